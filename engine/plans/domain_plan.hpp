#pragma once

#include "engine/geometry/box.hpp"
#include "engine/model/topology.hpp"

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
/// `reach` (nm). Throws InputError without a cell.
DomainGrid choose_domain_grid(const Box& box, double reach, int ranks);

/// Who owns an atom, who knows of it, and who computes a pair or a term. A value: made from
/// positions alone, the same on every rank; it stands until the next one is made.
///
/// Update groups go whole, with the domain of their first atom that is no site. Of the atoms of a
/// pair or term, each taken next to the first, the domain that is lowest along each cell vector by
/// itself computes it: the eighth-shell rule (K. J. Bowers et al., J. Phys. Conf. Ser. 16, 300
/// (2005); ADR 0019). So a rank needs ghosts from above only, and any wider halo gives the same
/// bits.
struct DomainPlan {
    using Domain = std::array<std::int16_t, 3>;

    DomainGrid grid;
    std::array<double, 3> reach{};   ///< along each height of the cell: how far above its domain a
                                     ///< rank must know atoms, nm
    std::vector<std::int32_t> owner; ///< [atoms], rank
    std::vector<Domain> domain;      ///< [atoms], of the canonical image: may lie beyond the cell

    /// Atoms that a rank knows, ascending: its own and its ghosts.
    std::vector<std::vector<std::int32_t>> known; ///< [ranks]
};

/// Which pairs of the atoms that it knows a rank computes.
struct PairOwner {
    struct Atom {
        DomainPlan::Domain above; ///< domains counted from the rank's own
        std::uint8_t home;        ///< bit d: along vector d it stands in the rank's own domain
    };
    std::array<int, 3> count{1, 1, 1}; ///< of the grid
    std::vector<Atom> atoms;           ///< [local atoms]

    void add(const DomainPlan::Domain& above)
    {
        Atom& atom = atoms.emplace_back(Atom{above, 0});
        for (std::size_t d = 0; d < 3; ++d) {
            atom.home |= static_cast<std::uint8_t>((above[d] % count[d] == 0 ? 1 : 0) << d);
        }
    }
    /// The pair of the canonical images x_i + shift - x_j; shift in cell vectors.
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
    /// The atom is the rank's own: it computes all pairs of two such.
    [[nodiscard]] bool is_own(std::int32_t atom) const
    {
        return atoms[static_cast<std::size_t>(atom)].home == 7;
    }
};

/// Who computes a term: each atom is taken next to the first.
int rank_of_term(const DomainPlan& plan, const Box& box, std::span<const Vec3> canonical,
                 std::span<const std::int32_t> atoms);

/// `canonical`: images in the brick (Box::wrap), sites in place; `groups` are update groups
/// (ConstraintPlan); `cutoff` is the largest distance of listed pairs. Throws InputError without a
/// cell or a finite cut-off.
DomainPlan make_domain_plan(const Topology& topology, const RaggedList& groups, const Box& box,
                            std::span<const Vec3> canonical, double cutoff, DomainGrid grid);

/// A rank's part of a topology, in its own numbering (ascending, as the whole): its atoms and
/// ghosts, and the terms, sites, constraints and corrections of excluded pairs that it computes.
/// Parameters and pair table are the whole's. Ghosts have no mass: nothing moves them but the word
/// of their owners.
struct LocalTopology {
    Topology topology;
    std::vector<std::int32_t> global; ///< [local atoms]
    std::vector<std::uint8_t> owned;  ///< [local atoms]
    PairOwner pairs;
    RaggedList corrected; ///< excluded pairs whose correction this rank makes, [local atoms], j > i
};

/// Throws ContractViolation when a term needs an atom that the rank does not know.
LocalTopology make_local_topology(const Topology& topology, const DomainPlan& plan, const Box& box,
                                  std::span<const Vec3> canonical, int rank);

} // namespace tessera
