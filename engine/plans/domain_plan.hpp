#pragma once

#include "engine/geometry/box.hpp"
#include "engine/math/vec3.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera
{

/// The cell cut along its vectors into domains, one a rank.
struct DomainGrid {
    std::array<int, 3> count{1, 1, 1};
    /// Where domains begin and end, in fractions of the cell vector: 0 = first ... last = 1,
    /// ascending, [3][count + 1].
    std::array<std::vector<double>, 3> bound{{{0, 1}, {0, 1}, {0, 1}}};

    DomainGrid() = default;
    /// Domains of equal width.
    explicit DomainGrid(const std::array<int, 3>& count);

    [[nodiscard]] int ranks() const { return count[0] * count[1] * count[2]; }
    [[nodiscard]] std::array<int, 3> domain_of(int rank) const
    {
        return {rank / count[2] / count[1], rank / count[2] % count[1], rank % count[2]};
    }
    /// The domain, also beyond the cell: domain (x + count, ...) is the image of (x, ...).
    [[nodiscard]] int rank_of(const std::array<int, 3>& domain) const
    {
        int rank = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            rank = rank * count[d] + (domain[d] % count[d] + count[d]) % count[d];
        }
        return rank;
    }
};

/// The way to cut the cell into `ranks` domains that imports the least volume, for pairs within
/// `reach` (nm); of equal ones that with most cuts along the first vector, then the second, as the
/// mesh is cut (MeshPlan): then most of a rank's charges are its own planes'. Throws InputError
/// without a cell.
DomainGrid choose_domain_grid(const Box& box, double reach, int ranks);

/// Boundaries moved, along each cell vector, halfway to where the layers of domains between them
/// would have had equal shares of the work. `work`: what each rank took since the last cut, any
/// unit, [ranks]; within a domain it counts as spread evenly. A domain stays wider than a third of
/// an equal share, and who differs by less than a twentieth is left alone.
DomainGrid balanced(const DomainGrid& grid, std::span<const double> work);

/// How far apart, along the heights of the cell, atoms may be that belong together. Unit: nm.
struct Extents {
    std::array<double, 3> terms{};  ///< atoms of a bonded term or an excluded pair
    std::array<double, 3> groups{}; ///< an atom of an update group and its key
};

/// Who owns an update group and who knows of it: a pure function of the position of its key, its
/// first atom that is no site. A value, the same on every rank; it stands until the next cut.
///
/// Of the atoms of a pair or term, each taken next to the first, the domain that is lowest along
/// each cell vector by itself computes it: the eighth-shell rule (K. J. Bowers et al., J. Phys.
/// Conf. Ser. 16, 300 (2005); ADR 0019). So a rank needs ghosts from above only, and any wider halo
/// gives the same bits.
struct DomainCut {
    DomainGrid grid;
    Box box;                       ///< on the position grid
    std::array<double, 3> reach{}; ///< along each height: how far above its domain a rank must
                                   ///< know atoms, nm

    struct Home {
        std::array<int, 3> domain; ///< within the cell
        std::array<int, 3> image;  ///< cell vectors from there to the key's position
        Vec3 fraction;             ///< of the cell vectors, in [0, 1)
    };
    /// `key`: in the brick (Box::wrap).
    [[nodiscard]] Home home_of(const Vec3& key) const;
    [[nodiscard]] int owner_of(const Home& home) const { return grid.rank_of(home.domain); }
    /// The ranks that know the group, its owner among them.
    [[nodiscard]] std::vector<int> readers_of(const Home& home) const;
    /// The domain of an atom of the group at its image in the brick: may lie beyond the cell.
    [[nodiscard]] std::array<int, 3> domain_of(const Home& home, const Vec3& key,
                                               const Vec3& atom) const;
};

/// `pairs`: the largest distance of listed pairs, nm. Throws InputError without a cell or a finite
/// distance.
DomainCut make_domain_cut(const Box& box, double pairs, const Extents& extents, DomainGrid grid);

/// How many cell vectors the image of `to` nearest to `from` lies beyond `to` itself.
std::array<int, 3> cells_beyond(const Box& box, const Vec3& from, const Vec3& to);

/// Which pairs and terms of the atoms that it knows a rank computes.
struct DomainOwner {
    struct Atom {
        std::array<std::int16_t, 3> above; ///< domains counted from the rank's own
        std::uint8_t home;                 ///< bit d: along vector d it stands in the rank's own
    };
    std::array<int, 3> count{1, 1, 1}; ///< of the grid
    std::vector<Atom> atoms;           ///< [local atoms]

    void add(const std::array<int, 3>& above)
    {
        Atom& atom = atoms.emplace_back(Atom{{}, 0});
        for (std::size_t d = 0; d < 3; ++d) {
            atom.above[d] = static_cast<std::int16_t>(above[d]);
            atom.home |= static_cast<std::uint8_t>((above[d] % count[d] == 0 ? 1 : 0) << d);
        }
    }
    /// The pair of the images x_i + shift - x_j in the brick; shift in cell vectors.
    [[nodiscard]] bool owns(std::int32_t i, std::int32_t j, const std::array<int, 3>& shift) const
    {
        const Atom& a = atoms[static_cast<std::size_t>(i)];
        const Atom& b = atoms[static_cast<std::size_t>(j)];
        int home = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            const bool is_lower = a.above[d] + count[d] * shift[d] < b.above[d];
            home |= (is_lower ? a.home : b.home) & (1 << d);
        }
        return home == 7;
    }
    [[nodiscard]] bool stand_together(std::int32_t i, std::int32_t j) const
    {
        return atoms[static_cast<std::size_t>(i)].above == atoms[static_cast<std::size_t>(j)].above;
    }
    /// The atom is the rank's own: it computes all pairs of two such.
    [[nodiscard]] bool is_own(std::int32_t atom) const
    {
        return atoms[static_cast<std::size_t>(atom)].home == 7;
    }
};

} // namespace tessera
