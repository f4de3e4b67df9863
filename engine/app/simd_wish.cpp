#include "engine/app/simd_wish.hpp"

#include "engine/base/error.hpp"
#include "engine/cpu/simd/simd_choice.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>

namespace tessera
{

void look_at_simd_wish()
{
    const char* const text = std::getenv("TESSERA_SIMD");
    const std::string wish = text == nullptr ? "" : text;
    if (wish.empty()) {
        return;
    }
    std::string known;
    bool is_known = false;
    for (const SimdLevel level : {SimdLevel::baseline, SimdLevel::avx2, SimdLevel::avx512}) {
        known += (known.empty() ? "" : ", ") + std::string(name_of(level));
        is_known = is_known || name_of(level) == wish;
    }
    if (!is_known) {
        throw InputError(fmt::format("TESSERA_SIMD = \"{}\" is no instruction set of the kernels "
                                     "(the environment variable chooses one of: {}). Set one of "
                                     "them, or unset it: the best of this processor is then used.",
                                     wish, known));
    }
    const auto& levels = supported_simd_levels();
    if (std::none_of(levels.begin(), levels.end(),
                     [&](SimdLevel level) { return name_of(level) == wish; })) {
        std::cerr << fmt::format("warning: TESSERA_SIMD = \"{}\" has no effect (this processor "
                                 "lacks it; {} is used)\n",
                                 wish, name_of(simd_level()));
    }
}

} // namespace tessera
