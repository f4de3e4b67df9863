#pragma once

#include "engine/base/real.hpp"

namespace tessera
{

/// `condition ? yes : no`, as a function, so that formulas may also be evaluated for many lanes at
/// once (engine/cpu/simd/pack.hpp).
template <class R>
TESSERA_FORMULA R select(bool condition, const R& yes, const R& no)
{
    return condition ? yes : no;
}

} // namespace tessera
