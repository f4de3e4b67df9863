#pragma once

#include <memory>

namespace tessera
{

/// Shares what its owner keeps longer.
template <class T>
std::shared_ptr<const T> lent(const T& value)
{
    return {std::shared_ptr<const T>(), &value};
}

} // namespace tessera
