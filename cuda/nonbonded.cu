#include "cuda/device_array.hpp"
#include "cuda/nonbonded.hpp"
#include "cuda/nonbonded_body.hpp"
#include "cuda/tuning.hpp"

#include <cmath>
#include <string>
#include <variant>
#include <vector>

namespace tessera
{
namespace nonbonded_on_device // not anonymous: CudaNonbonded::Device has members of these types
{

constexpr int width = ClusterOrder::width;
static_assert(width == 4, "the lane picture of nonbonded_body.hpp is drawn for clusters of four");

template <class Coulomb>
__global__ void pair_kernel(PairArgs<Coulomb> args)
{
    const int warp = static_cast<int>(threadIdx.x / 32);
    const int row = static_cast<int>(blockIdx.x) * tuning::warps_per_pair_block + warp;
    if (row < args.row_count) { // whole warps only
        RowOnDevice<Coulomb>(args, row, static_cast<int>(threadIdx.x % 32))();
    }
}

template <class Coulomb>
void launch_pairs(const PairArgs<Coulomb>& args, const Stream& stream)
{
    constexpr int rows = tuning::warps_per_pair_block;
    const int blocks = (args.row_count + rows - 1) / rows;
    if (blocks > 0) {
        check(gpu::launch(pair_kernel<Coulomb>, dim3(static_cast<unsigned>(blocks)),
                          dim3(32 * rows), 0, stream.get(), args),
              "starting the pair kernel");
    }
}

using AnyCoulomb = std::variant<NoCoulomb, ReactionFieldCoulomb, EwaldCoulomb>;

AnyCoulomb coulomb_of(const NonbondedSettings& s)
{
    switch (s.electrostatics) {
    case Electrostatics::none:
        return NoCoulomb{};
    case Electrostatics::cutoff:
        return ReactionFieldCoulomb{s.coulomb_potential_shift
                                        ? make_shifted_cutoff(s.coulomb_cutoff)
                                        : make_plain_cutoff()};
    case Electrostatics::reaction_field:
        return ReactionFieldCoulomb{
            make_reaction_field(s.reaction_field_permittivity, s.coulomb_cutoff)};
    case Electrostatics::pme:
    case Electrostatics::ewald:
        break;
    }
    const double at_cutoff = std::erfc(s.ewald_beta * s.coulomb_cutoff) / s.coulomb_cutoff;
    return EwaldCoulomb{s.ewald_beta, s.coulomb_potential_shift ? at_cutoff : 0.0};
}

void refuse_without_kernel(const NonbondedSettings& s)
{
    std::string what;
    if (s.lj_modifier == LjModifier::force_switch) {
        what = "a force switch of Lennard-Jones";
    } else if (s.lj_modifier == LjModifier::potential_switch) {
        what = "a potential switch of Lennard-Jones";
    } else if (s.lj_pme) {
        what = "LJ-PME";
    }
    if (!what.empty()) {
        throw NotBuilt("the GPU has no kernel for " + what +
                       ". Choose another modifier, or run on the CPU.");
    }
}

} // namespace nonbonded_on_device

using namespace nonbonded_on_device;

struct CudaNonbonded::Device {
    Stream stream;

    // of the topology and the settings
    std::vector<double> charge;
    std::vector<std::int32_t> atom_type;
    AnyCoulomb coulomb;
    double lj_cutoff2 = 0, coulomb_cutoff2 = 0;
    LjShift<double> lj_shift{};
    double coulomb_constant = 0;
    int types = 0;
    DeviceArray<LjPair<double>> pairs;

    // of the list
    std::vector<std::int32_t> atom_of_slot;
    std::vector<DeviceAtom> atom; ///< host copy in the order of slots, charges filled in
    DeviceArray<DeviceRow> rows;
    DeviceArray<DeviceColumn> columns;
    DeviceArray<int> type;

    // of an evaluation
    DeviceArray<DeviceAtom> atoms;
    DeviceArray<Vec3> shifts;
    DeviceArray<DeviceInteger> forces, sums;
    DeviceArray<int> fault;

    template <class Coulomb>
    void launch(const Coulomb& form, bool energies)
    {
        launch_pairs<Coulomb>({rows.data(), static_cast<int>(rows.size()), columns.data(),
                               atoms.data(), type.data(), pairs.data(), types, shifts.data(),
                               lj_cutoff2, coulomb_cutoff2, lj_shift, coulomb_constant, form,
                               energies, forces.data(), sums.data(), fault.data()},
                              stream);
    }
};

CudaNonbonded::CudaNonbonded(const Topology& topology, const NonbondedSettings& s)
    : device_(std::make_unique<Device>())
{
    refuse_without_kernel(s);
    Device& d = *device_;
    d.charge = topology.charge;
    d.atom_type = topology.type;
    d.coulomb = coulomb_of(s);
    d.lj_cutoff2 = s.lj_cutoff * s.lj_cutoff;
    d.coulomb_cutoff2 =
        s.electrostatics == Electrostatics::none ? 0.0 : s.coulomb_cutoff * s.coulomb_cutoff;
    if (s.lj_modifier == LjModifier::potential_shift) {
        d.lj_shift = make_lj_shift(s.lj_cutoff);
    }
    d.coulomb_constant = topology.coulomb_constant;
    d.types = topology.pairs.types;
    std::vector<LjPair<double>> pairs;
    for (std::size_t k = 0; k < topology.pairs.c6.size(); ++k) {
        pairs.push_back({topology.pairs.c6[k], topology.pairs.c12[k],
                         topology.pairs.has_c4() ? topology.pairs.c4[k] : 0.0});
    }
    d.pairs.upload(pairs, d.stream);
    d.stream.wait();
}

CudaNonbonded::~CudaNonbonded() = default;
CudaNonbonded::CudaNonbonded(CudaNonbonded&&) noexcept = default;
CudaNonbonded& CudaNonbonded::operator=(CudaNonbonded&&) noexcept = default;

void CudaNonbonded::load(const ClusterPairList& list)
{
    if (list.all_pairs) {
        throw NotBuilt(
            "the GPU has no kernel for pairs without a cut-off. Choose a cut-off, or run "
            "on the CPU.");
    }
    Device& d = *device_;
    std::vector<DeviceRow> rows;
    for (const ClusterPairList::Row& row : list.rows) {
        rows.push_back({row.cluster, row.shift, row.begin, row.end});
    }
    std::vector<DeviceColumn> columns;
    for (const ClusterPairList::Column& column : list.columns) {
        columns.push_back({column.cluster, column.mask});
    }
    d.atom_of_slot = list.order.atom_of_slot;
    d.atom.assign(d.atom_of_slot.size(), DeviceAtom{0, 0, 0, 0});
    std::vector<int> type(d.atom_of_slot.size(), 0);
    for (std::size_t s = 0; s < type.size(); ++s) {
        if (d.atom_of_slot[s] >= 0) {
            const auto a = static_cast<std::size_t>(d.atom_of_slot[s]);
            type[s] = d.atom_type[a];
            d.atom[s].charge = d.charge[a];
        }
    }
    d.rows.upload(rows, d.stream);
    d.columns.upload(columns, d.stream);
    d.type.upload(type, d.stream);
    d.stream.wait();
}

void CudaNonbonded::add_forces(std::span<const Vec3> positions, std::span<const Vec3> shifts,
                               Wanted wanted, ForceSums& forces, EnergySums& sums)
{
    Device& d = *device_;
    for (std::size_t s = 0; s < d.atom.size(); ++s) {
        if (d.atom_of_slot[s] >= 0) {
            const Vec3& x = positions[static_cast<std::size_t>(d.atom_of_slot[s])];
            d.atom[s].x = x.x;
            d.atom[s].y = x.y;
            d.atom[s].z = x.z;
        }
    }
    const int no_fault = -1;
    d.atoms.upload(d.atom, d.stream);
    d.shifts.upload(shifts, d.stream);
    d.forces.resize(3 * d.atom.size());
    d.forces.set_zero(d.stream);
    d.sums.resize(2 * words_of_split_sum);
    d.sums.set_zero(d.stream);
    d.fault.upload(std::span(&no_fault, 1), d.stream);

    std::visit([&](const auto& form) { d.launch(form, wanted.energies); }, d.coulomb);

    std::vector<DeviceInteger> by_slot(3 * d.atom.size());
    std::vector<DeviceInteger> energies(2 * words_of_split_sum);
    int fault = no_fault;
    d.forces.download(by_slot, d.stream);
    d.sums.download(energies, d.stream);
    d.fault.download(std::span(&fault, 1), d.stream);
    d.stream.wait();

    if (fault >= 0) {
        throw PhysicsError("the force between two atoms, one of them atom " +
                           std::to_string(d.atom_of_slot[static_cast<std::size_t>(fault)] + 1) +
                           ", is not finite or beyond 8.4e6 kJ/mol/nm (they overlap). Minimise the "
                           "start coordinates, or shorten the time step.");
    }
    std::vector<DeviceInteger> by_atom(3 * positions.size());
    for (std::size_t s = 0; s < d.atom.size(); ++s) {
        for (std::size_t c = 0; c < 3 && d.atom_of_slot[s] >= 0; ++c) {
            by_atom[3 * static_cast<std::size_t>(d.atom_of_slot[s]) + c] = by_slot[3 * s + c];
        }
    }
    merge_forces(by_atom, forces);
    if (wanted.energies) {
        const SplitValue lj = split_value(energies.data());
        const SplitValue coulomb = split_value(energies.data() + words_of_split_sum);
        sums.add(EnergyKind::lj, lj.high);
        sums.add(EnergyKind::lj, lj.low);
        sums.add(EnergyKind::coulomb_real, coulomb.high);
        sums.add(EnergyKind::coulomb_real, coulomb.low);
    }
}

} // namespace tessera
