#pragma once

#include "engine/backend/outer_sum.hpp"
#include "engine/base/bit_hash.hpp"
#include "engine/base/fixed_point.hpp"
#include "engine/math/mat3.hpp"
#include "engine/physics/energy_kind.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera
{

/// What a force evaluation shall yield beside the forces.
struct Wanted {
    bool energies = false;
    bool virial = false;
    bool hashes = false; ///< of what the phases make (debugging)
};

/// exact: int64 on a 2^-36 kJ/mol/nm grid, independent of order, threads and ranks. floating: plain
/// FP64, for forces beyond the range of the grid (overlapping atoms); order-dependent, used by
/// `energy` and deep overlaps under minimisers only, and said so.
enum class SumMode : std::uint8_t { exact, floating };

/// The forces on the atoms of this rank, summed. One per thread; merge() joins them.
class ForceSums {
public:
    ForceSums() = default;
    ForceSums(std::size_t atoms, SumMode mode) : mode_(mode) { resize(atoms); }

    void resize(std::size_t atoms)
    {
        fixed_.assign(mode_ == SumMode::exact ? atoms : 0, {0, 0, 0});
        floating_.assign(mode_ == SumMode::floating ? atoms : 0, Vec3{});
        out_of_range_ = -1;
        partner_ = -1;
    }
    void clear() { resize(size()); }
    [[nodiscard]] std::size_t size() const
    {
        return mode_ == SumMode::exact ? fixed_.size() : floating_.size();
    }
    [[nodiscard]] SumMode mode() const { return mode_; }

    /// Adds f (kJ/mol/nm) to the force on an atom.
    void add(std::size_t atom, const Vec3& f)
    {
        if (mode_ == SumMode::floating) {
            floating_[atom] += f;
            return;
        }
        const bool fits = std::fabs(f.x) < fixed::largest_force &&
                          std::fabs(f.y) < fixed::largest_force &&
                          std::fabs(f.z) < fixed::largest_force;
        if (!fits) { // also NaN, which fmax would have swallowed
            if (out_of_range_ < 0) {
                out_of_range_ = static_cast<std::int64_t>(atom);
            }
            return;
        }
        auto& sum = fixed_[atom];
        sum[0] += to_fixed(f.x, fixed::force_scale);
        sum[1] += to_fixed(f.y, fixed::force_scale);
        sum[2] += to_fixed(f.z, fixed::force_scale);
    }
    void merge(const ForceSums& other)
    {
        for (std::size_t a = 0; a < fixed_.size(); ++a) {
            for (std::size_t k = 0; k < 3; ++k) {
                fixed_[a][k] += other.fixed_[a][k];
            }
        }
        for (std::size_t a = 0; a < floating_.size(); ++a) {
            floating_[a] += other.floating_[a];
        }
        if (out_of_range_ < 0) {
            out_of_range_ = other.out_of_range_;
            partner_ = other.partner_;
        }
    }
    /// Adds the sums of a few atoms, which are called `atoms` here.
    void merge(const ForceSums& other, std::span<const std::int32_t> atoms)
    {
        for (std::size_t k = 0; k < other.fixed_.size(); ++k) {
            auto& sum = fixed_[static_cast<std::size_t>(atoms[k])];
            for (std::size_t c = 0; c < 3; ++c) {
                sum[c] += other.fixed_[k][c];
            }
        }
        for (std::size_t k = 0; k < other.floating_.size(); ++k) {
            floating_[static_cast<std::size_t>(atoms[k])] += other.floating_[k];
        }
        if (out_of_range_ < 0 && other.out_of_range_ >= 0) {
            out_of_range_ = atoms[static_cast<std::size_t>(other.out_of_range_)];
            partner_ = -1;
        }
    }
    [[nodiscard]] Vec3 force(std::size_t atom) const
    {
        if (mode_ == SumMode::floating) {
            return floating_[atom];
        }
        const auto& sum = fixed_[atom];
        return {from_fixed(sum[0], fixed::force_scale), from_fixed(sum[1], fixed::force_scale),
                from_fixed(sum[2], fixed::force_scale)};
    }
    void set(std::size_t atom, const Vec3& f)
    {
        if (mode_ == SumMode::floating) {
            floating_[atom] = f;
        } else {
            fixed_[atom] = {0, 0, 0};
            add(atom, f);
        }
    }
    /// An atom whose addend did not fit the grid (its sum is then worthless); -1: none.
    [[nodiscard]] std::int64_t out_of_range() const { return out_of_range_; }
    /// The force between these two did not fit (mixed precision): the sums are worthless.
    void mark_pair(std::int64_t atom, std::int64_t partner)
    {
        out_of_range_ = atom;
        partner_ = partner;
    }
    /// The other atom of the pair whose force did not fit; -1: it was no pair's force.
    [[nodiscard]] std::int64_t out_of_range_partner() const { return partner_; }
    /// Raw integer sums for kernels that convert by themselves (exact mode only).
    [[nodiscard]] std::vector<std::array<std::int64_t, 3>>& fixed() { return fixed_; }
    [[nodiscard]] const std::vector<std::array<std::int64_t, 3>>& fixed() const { return fixed_; }

private:
    std::vector<std::array<std::int64_t, 3>> fixed_;
    std::vector<Vec3> floating_;
    std::int64_t out_of_range_ = -1;
    std::int64_t partner_ = -1;
    SumMode mode_ = SumMode::exact;
};

/// Energies by kind and the virial Xi = -1/2 sum r x F, kJ/mol, as exact sums.
class EnergySums {
public:
    void add(EnergyKind kind, double energy)
    {
        energy_[static_cast<std::size_t>(kind)].add(energy);
    }
    void add(EnergyKind kind, const ExactSum& energy)
    {
        energy_[static_cast<std::size_t>(kind)].add(energy);
    }
    /// Adds to the virial; m is already -1/2 r outer F.
    void add_virial(const Mat3& m)
    {
        for (int k = 0; k < 3; ++k) {
            for (int l = 0; l < 3; ++l) {
                virial_[static_cast<std::size_t>(3 * k + l)].add(m[k][l]);
            }
        }
    }
    /// Adds -1/2 of an exact sum of x outer F, which is rounded only once all parts are in.
    void add_virial_of(const OuterSum& outer) { outer_.add(outer); }
    void merge(const EnergySums& other)
    {
        outer_.add(other.outer_);
        for (std::size_t k = 0; k < energy_.size(); ++k) {
            energy_[k].add(other.energy_[k]);
        }
        for (std::size_t k = 0; k < virial_.size(); ++k) {
            virial_[k].add(other.virial_[k]);
        }
    }
    /// Calls visit(sum) for every exact sum, in a fixed order.
    template <class Visit>
    void for_each_sum(const Visit& visit)
    {
        for (ExactSum& sum : energy_) {
            visit(sum);
        }
        for (ExactSum& sum : virial_) {
            visit(sum);
        }
        visit(outer_);
    }
    [[nodiscard]] double energy(EnergyKind kind) const
    {
        return energy_[static_cast<std::size_t>(kind)].value();
    }
    [[nodiscard]] double potential() const
    {
        ExactSum sum;
        for (const ExactSum& e : energy_) {
            sum.add(e);
        }
        return sum.value();
    }
    [[nodiscard]] Mat3 virial() const
    {
        Mat3 m = outer_.value();
        for (int k = 0; k < 3; ++k) {
            for (int l = 0; l < 3; ++l) {
                ExactSum sum = virial_[static_cast<std::size_t>(3 * k + l)];
                sum.add(-0.5 * m[k][l]);
                m[k][l] = sum.value();
            }
        }
        return m;
    }
    [[nodiscard]] BitHash hash_of_energies() const { return hash_of(energy_); }
    [[nodiscard]] BitHash hash_of_virial() const { return hash_of(virial_); }
    friend bool operator==(const EnergySums&, const EnergySums&) = default;

private:
    template <std::size_t N>
    static BitHash hash_of(const std::array<ExactSum, N>& sums)
    {
        BitHash hash;
        for (std::size_t k = 0; k < N; ++k) {
            const std::array<std::uint64_t, 3> words = sums[k].words();
            hash.add(k, {words[0], words[1], words[2]});
        }
        return hash;
    }

    std::array<ExactSum, energy_kind_count> energy_;
    std::array<ExactSum, 9> virial_;
    OuterSum outer_; ///< to the virial by -1/2
};

} // namespace tessera
