#pragma once

namespace tessera
{

/// Returns the memory of a container. `values = {}` keeps it: it assigns an empty list.
template <class Container>
void let_go(Container& values)
{
    Container().swap(values);
}

} // namespace tessera
