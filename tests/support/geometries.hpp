#pragma once

#include "engine/math/mat3.hpp"

#include <random>
#include <vector>

namespace tessera::support
{

/// Evenly distributed numbers, the same on every machine.
class Dice {
public:
    explicit Dice(unsigned seed) : engine_(seed) {}
    double between(double low, double high)
    {
        return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
    }
    Vec3 in_cube(double half)
    {
        return {between(-half, half), between(-half, half), between(-half, half)};
    }

private:
    std::mt19937 engine_;
};

/// n points in a cell, no two nearer than `apart` (nm) in any image: drawn one by one, refused when
/// too near. Throws nothing; the caller sees to it that they fit.
inline std::vector<Vec3> scattered(std::size_t n, const Mat3& h, double apart, unsigned seed)
{
    Dice dice(seed);
    std::vector<Vec3> x;
    while (x.size() < n) {
        const Vec3 s{dice.between(0, 1), dice.between(0, 1), dice.between(0, 1)};
        const Vec3 trial = row_times(s, h);
        bool fits = true;
        for (const Vec3& other : x) {
            for (int k = 0; k < 27 && fits; ++k) {
                const int cells[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
                const Vec3 shift =
                    row_times({static_cast<double>(cells[0]), static_cast<double>(cells[1]),
                               static_cast<double>(cells[2])},
                              h);
                fits = norm2(trial - other + shift) > apart * apart;
            }
        }
        if (fits) {
            x.push_back(trial);
        }
    }
    return x;
}

/// Root of the mean square of a - b over that of b: how far forces are apart.
inline double relative_rms(const std::vector<Vec3>& a, const std::vector<Vec3>& b)
{
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        difference += norm2(a[i] - b[i]);
        size += norm2(b[i]);
    }
    return size > 0 ? std::sqrt(difference / size) : std::sqrt(difference);
}

inline double largest_element(const Mat3& m)
{
    double largest = 0;
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            largest = std::fmax(largest, std::fabs(m[k][l]));
        }
    }
    return largest;
}

} // namespace tessera::support
