#pragma once

#include "engine/model/topology.hpp"
#include "forcefields/combination_rules.hpp"
#include "forcefields/gromacs_bonded_types.hpp"
#include "forcefields/gromacs_functions.hpp"
#include "forcefields/gromacs_row.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace tessera
{

struct GromacsDefaults {
    CombinationRule rule = CombinationRule::lorentz_berthelot;
    bool generate_pairs = false;
    double fudge_lj = 1, fudge_qq = 1;
};

struct GromacsAtomType {
    std::string name;
    std::int32_t bonded = 0; ///< number of the bonded type
    std::int32_t atomic_number = 0;
    double mass = 0, charge = 0; ///< u, e
    ParticleKind kind = ParticleKind::atom;
    LjNumbers lj;
    LineOrigin origin;
};

/// What stands before the first [ moleculetype ]: defaults and types, with the look-ups that
/// molecules need. Faults go to the report; unusable lines are left out.
class GromacsForceField {
public:
    explicit GromacsForceField(const GromacsReport& report) : report_(report) {}

    void read_defaults(const GromacsRow& row);
    void read_atom_type(const GromacsRow& row);
    /// So that what names a type at fault is no fault of its own.
    void remember_faulty(std::string_view name, std::string_view bonded);
    void read_bonded_type(BondedFamily family, const GromacsRow& row);
    void read_pair_type(const GromacsRow& row);
    void read_nonbonded(const GromacsRow& row);
    void read_cmap_type(const GromacsRow& row);

    [[nodiscard]] bool has_defaults() const { return has_defaults_; }
    [[nodiscard]] const GromacsDefaults& defaults() const { return defaults_; }
    [[nodiscard]] const std::vector<GromacsAtomType>& types() const { return types_; }
    [[nodiscard]] std::optional<std::int32_t> find_type(std::string_view name) const;
    [[nodiscard]] std::string nearest_type(std::string_view name) const;
    [[nodiscard]] const std::string& bonded_name(std::int32_t bonded) const
    {
        return bonded_names_[static_cast<std::size_t>(bonded)];
    }

    /// The Lennard-Jones numbers of two types: [ nonbond_params ], else combined.
    [[nodiscard]] LjCoefficients nonbonded(std::int32_t a, std::int32_t b) const;
    /// Those of a 1-4 pair: [ pairtypes ], else, with gen-pairs, nonbonded() times fudgeLJ; else
    /// empty.
    [[nodiscard]] std::optional<LjCoefficients> pair14(std::int32_t a, std::int32_t b) const;

    /// Parameters for bonded types in the order of the atoms (see BondedTypeTable::find).
    [[nodiscard]] std::vector<const BondedTypeTable::Entry*>
    find_bonded(const BondedFunction& function, std::span<const std::int32_t> bonded) const;

    /// The correction map of five atoms; null where there is none. `residues`: their residue names,
    /// which an entry may ask for ("C-ALA", "N-*").
    [[nodiscard]] const Cmap* find_cmap(std::span<const std::int32_t, 5> bonded,
                                        const std::array<std::string_view, 5>& residues) const;

private:
    struct CmapType {
        std::array<std::string, 5> names;
        Cmap map;
        LineOrigin origin;
    };
    using PairKey = std::pair<std::int32_t, std::int32_t>;
    struct PairParameters {
        LjNumbers lj;
        LineOrigin origin;
    };

    [[nodiscard]] std::int32_t bonded_number(std::string_view name);
    [[nodiscard]] std::optional<std::int32_t> known_bonded(const GromacsRow& row, std::size_t at,
                                                           bool allow_wildcard) const;
    [[nodiscard]] BondedTypeTable& table(BondedFamily family, int function);
    void read_pair_parameters(const GromacsRow& row, std::string_view directive,
                              std::map<PairKey, PairParameters>& into);

    const GromacsReport& report_;
    bool has_defaults_ = false;
    GromacsDefaults defaults_;
    LineOrigin defaults_origin_;
    std::vector<GromacsAtomType> types_;
    std::unordered_map<std::string, std::int32_t> type_of_name_;
    std::vector<std::string> bonded_names_;
    std::unordered_map<std::string, std::int32_t> bonded_of_name_;
    std::map<PairKey, PairParameters> pair_types_, nonbonded_;
    std::map<std::pair<BondedFamily, int>, BondedTypeTable> bonded_;
    std::vector<CmapType> cmaps_;
};

/// Cuts `p` to state A when a perturbed state follows; warns where the two differ. False (after an
/// error) when the count of parameters fits neither.
bool keep_state_a(const GromacsReport& report, const GromacsRow& row,
                  const BondedFunction& function, std::vector<double>& p);

} // namespace tessera
