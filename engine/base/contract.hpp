#pragma once

#include "engine/base/error.hpp"

#include <string>

/// Contracts find our own bugs; they are on in Debug builds and with TESSERA_CHECK=ON.
/// Wrong user input is told by InputError instead, always.
#if defined(TESSERA_CHECK)
#define TESSERA_CONTRACT_(kind, condition)                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            throw ::tessera::ContractViolation(std::string(__FILE__) + ":" +                       \
                                               std::to_string(__LINE__) +                          \
                                               ": " kind " failed: " + #condition);                \
        }                                                                                          \
    } while (false)
#else
#define TESSERA_CONTRACT_(kind, condition) static_cast<void>(sizeof(!(condition)))
#endif
#define TESSERA_EXPECT(condition) TESSERA_CONTRACT_("precondition", condition)
#define TESSERA_ASSERT(condition) TESSERA_CONTRACT_("assertion", condition)
#define TESSERA_ENSURE(condition) TESSERA_CONTRACT_("postcondition", condition)
