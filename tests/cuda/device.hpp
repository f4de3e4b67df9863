#pragma once

#include "engine/backend/sums.hpp"
#include "tests/oracle/answer.hpp"
#include "tests/support/geometries.hpp"

#if defined(TESSERA_TEST_ON_STANDIN)
#include "tests/standin/cuda_standin.hpp"
#else
#include "cuda/make_backend.hpp"
#endif

#include <gtest/gtest.h>

namespace tessera
{

/// The kernels run through the stand-in, or on a GPU; without one the test is skipped.
class OnDevice : public testing::Test {
protected:
#if defined(TESSERA_TEST_ON_STANDIN)
    static constexpr bool bits_equal_cpu = true; ///< same mathematical library
    static void shuffle_threads(unsigned seed)
    {
        standin::set_seed(seed);
    }
    void TearDown() override
    {
        standin::set_seed(0);
    }
#else
    static constexpr bool bits_equal_cpu = false; ///< the GPU's sin, exp, ... differ in last bits
    static void shuffle_threads(unsigned) {}
    void SetUp() override
    {
        if (gpu_report().devices == 0) {
            GTEST_SKIP() << "no GPU is visible; the same kernels are tested through the stand-in";
        }
    }
#endif
};

/// ADR 0001: FP64 forces of a kernel against an independent path, relative RMS.
inline constexpr double kernel_forces = 1e-12;

/// An atom's force is the sum of up to some 20 addends, each rounded to the grid of 2^-36
/// kJ/mol/nm.
inline constexpr double force_quanta = 20 * 1.5e-11;

/// Whether forces agree with the oracle's within what FP64 and the force grid allow.
inline bool agree(const std::vector<Vec3>& forces, const oracle::Answer& expected)
{
    double difference = 0;
    double size = 0;
    for (std::size_t a = 0; a < forces.size(); ++a) {
        difference += norm2(forces[a] - expected.force(a));
        size += norm2(expected.force(a));
    }
    const auto atoms = static_cast<double>(forces.size());
    return std::sqrt(difference / atoms) < force_quanta + kernel_forces * std::sqrt(size / atoms);
}

inline std::vector<Vec3> to_vectors(const ForceSums& sums)
{
    std::vector<Vec3> f;
    for (std::size_t a = 0; a < sums.size(); ++a) {
        f.push_back(sums.force(a));
    }
    return f;
}

inline std::vector<Vec3> scaled_by(double factor, std::vector<Vec3> forces)
{
    for (Vec3& f : forces) {
        f *= factor;
    }
    return forces;
}

} // namespace tessera
