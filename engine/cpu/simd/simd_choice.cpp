#include "engine/cpu/simd/simd_choice.hpp"

#include "engine/base/contract.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace tessera
{

namespace
{

std::vector<SimdLevel> find_supported()
{
    std::vector<SimdLevel> levels{SimdLevel::baseline};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        levels.push_back(SimdLevel::avx2);
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
        levels.push_back(SimdLevel::avx512);
    }
    return levels;
}

SimdLevel first_choice()
{
    const std::vector<SimdLevel>& levels = supported_simd_levels();
    const char* wish = std::getenv("TESSERA_SIMD"); // NOLINT(concurrency-mt-unsafe)
    const auto found = std::find_if(levels.begin(), levels.end(), [&](SimdLevel level) {
        return wish != nullptr && name_of(level) == wish;
    });
    return found != levels.end() ? *found : levels.back();
}

std::atomic<SimdLevel>& level_in_use()
{
    static std::atomic<SimdLevel> level{first_choice()};
    return level;
}

} // namespace

std::string_view name_of(SimdLevel level)
{
    switch (level) {
    case SimdLevel::baseline:
        return "baseline";
    case SimdLevel::avx2:
        return "avx2";
    case SimdLevel::avx512:
        break;
    }
    return "avx512";
}

const std::vector<SimdLevel>& supported_simd_levels()
{
    static const std::vector<SimdLevel> levels = find_supported();
    return levels;
}

SimdLevel simd_level()
{
    return level_in_use().load(std::memory_order_relaxed);
}

void use_simd_level(SimdLevel level)
{
    const std::vector<SimdLevel>& levels = supported_simd_levels();
    TESSERA_EXPECT(std::find(levels.begin(), levels.end(), level) != levels.end());
    level_in_use() = level;
}

} // namespace tessera
