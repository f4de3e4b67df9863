#include "cuda/device_array.hpp"
#include "cuda/nonbonded.hpp"
#include "cuda/pair_body.hpp"
#include "cuda/tuning.hpp"
#include "cuda/unit_body.hpp"
#include "engine/plans/double_parameters.hpp"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace tessera
{
namespace nonbonded_on_device // not anonymous: CudaNonbonded::Device has members of these types
{

constexpr int width = ClusterOrder::width;
static_assert(width == 4, "the lane pictures of the kernels are drawn for clusters of four");

template <class Coulomb>
__global__ void pair_kernel(PairArgs<Coulomb> args)
{
    const int warp = static_cast<int>(threadIdx.x / 32);
    const int row = static_cast<int>(blockIdx.x) * tuning::warps_per_pair_block + warp;
    if (row < args.list.row_count) { // whole warps only
        PairsOfRow<Coulomb>(args, row, static_cast<int>(threadIdx.x % 32))();
    }
}

template <CoulombForm Coulomb, bool Energies>
__global__ void unit_kernel(UnitArgs args)
{
    __shared__ UnitLists units[tuning::warps_per_pair_block];
    const int warp = static_cast<int>(threadIdx.x / 32);
    const int row = static_cast<int>(blockIdx.x) * tuning::warps_per_pair_block + warp;
    if (row < args.list.row_count) { // whole warps only
        UnitsOfRow<Coulomb, Energies>(args, row, static_cast<int>(threadIdx.x % 32), units[warp])();
    }
}

/// One warp a row.
template <class Args>
void launch_rows(void (*kernel)(Args), const Args& args, const Stream& stream)
{
    constexpr int rows = tuning::warps_per_pair_block;
    const int blocks = (args.list.row_count + rows - 1) / rows;
    if (blocks > 0) {
        check(gpu::launch(kernel, dim3(static_cast<unsigned>(blocks)), dim3(32 * rows), 0,
                          stream.get(), args),
              "starting a kernel of pairs");
    }
}

template <CoulombForm Coulomb>
void launch_units_of(const UnitArgs& args, bool energies, const Stream& stream)
{
    launch_rows(energies ? unit_kernel<Coulomb, true> : unit_kernel<Coulomb, false>, args, stream);
}

void launch_units(const UnitArgs& args, bool energies, const Stream& stream)
{
    switch (args.form.coulomb) {
    case CoulombForm::none:
        launch_units_of<CoulombForm::none>(args, energies, stream);
        break;
    case CoulombForm::reaction_field:
        launch_units_of<CoulombForm::reaction_field>(args, energies, stream);
        break;
    case CoulombForm::ewald:
        launch_units_of<CoulombForm::ewald>(args, energies, stream);
        break;
    }
}

using AnyCoulomb = std::variant<NoCoulomb, ReactionFieldCoulomb, EwaldCoulomb>;

AnyCoulomb coulomb_of(const PairForm& form)
{
    switch (form.coulomb) {
    case CoulombForm::none:
        break;
    case CoulombForm::reaction_field:
        return ReactionFieldCoulomb{form.field};
    case CoulombForm::ewald:
        return EwaldCoulomb{form.beta, form.ewald_shift};
    }
    return NoCoulomb{};
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
    PairForm form;
    AnyCoulomb coulomb;
    int types = 0;
    DeviceArray<LjPair<double>> pairs;
    std::shared_ptr<const DoubleParameters> doubles; ///< null: no form for units
    DeviceArray<double> six_c6, twelve_c12;
    DeviceArray<std::uint8_t> has_lj;

    // of the list
    std::vector<std::int32_t> atom_of_slot;
    DeviceArray<DeviceRow> rows;
    DeviceArray<DeviceColumn> columns;
    DeviceArray<int> type;

    // of an evaluation; host copies where there are two
    std::vector<DeviceAtom> atom;
    std::vector<DeviceInteger> by_slot, energy;
    int fault = no_fault;
    DeviceArray<DeviceAtom> atoms;
    DeviceArray<Vec3> shifts;
    DeviceArray<DeviceInteger> forces, sums;
    DeviceArray<int> faults;
    static constexpr int no_fault = -1;

    /// Uploads atoms, charges times `scale`, and clears the sums.
    RowsOnDevice start(std::span<const Vec3> positions, double scale)
    {
        for (std::size_t s = 0; s < atom.size(); ++s) {
            if (atom_of_slot[s] >= 0) {
                const auto a = static_cast<std::size_t>(atom_of_slot[s]);
                const Vec3& x = positions[a];
                atom[s] = {x.x, x.y, x.z, scale * charge[a]};
            }
        }
        atoms.upload(atom, stream);
        forces.resize(3 * atom.size());
        forces.set_zero(stream);
        sums.resize(2 * words_of_split_sum);
        sums.set_zero(stream);
        fault = no_fault;
        faults.upload(std::span(&fault, 1), stream);
        return {rows.data(),    static_cast<int>(rows.size()),
                columns.data(), atoms.data(),
                type.data(),    shifts.data(),
                forces.data(),  sums.data(),
                faults.data()};
    }
    /// Downloads the sums; the fault.
    int finish()
    {
        by_slot.resize(forces.size());
        energy.resize(sums.size());
        forces.download(by_slot, stream);
        sums.download(energy, stream);
        faults.download(std::span(&fault, 1), stream);
        stream.wait();
        return fault;
    }

    /// False: some pair is beyond the range of the grids, or the form has no units.
    bool add_units(std::span<const Vec3> positions, bool energies)
    {
        if (!doubles) {
            return false;
        }
        DoubleForm on_device = doubles->form;
        on_device.six_c6 = six_c6.data();
        on_device.twelve_c12 = twelve_c12.data();
        on_device.has_lj = has_lj.data();
        launch_units({start(positions, on_device.charge_scale), on_device}, energies, stream);
        return finish() == no_fault;
    }
    void add_pairs(std::span<const Vec3> positions, bool energies)
    {
        const RowsOnDevice list = start(positions, 1.0);
        std::visit(
            [&]<class Coulomb>(const Coulomb& coulomb_form) {
                launch_rows<PairArgs<Coulomb>>(pair_kernel<Coulomb>,
                                               {list, pairs.data(), types, form.lj_cutoff2,
                                                form.coulomb_cutoff2, form.shift,
                                                form.coulomb_constant, coulomb_form, energies},
                                               stream);
            },
            coulomb);
        const int slot = finish();
        if (slot >= 0) {
            throw PhysicsError(
                "the force between two atoms, one of them atom " +
                std::to_string(atom_of_slot[static_cast<std::size_t>(slot)] + 1) +
                ", is not finite or beyond 8.4e6 kJ/mol/nm (they overlap). Minimise the start "
                "coordinates, or shorten the time step.");
        }
    }
};

CudaNonbonded::CudaNonbonded(const Topology& topology, const NonbondedSettings& s)
    : device_(std::make_unique<Device>())
{
    refuse_without_kernel(s);
    Device& d = *device_;
    const PairTable& table = topology.pairs;
    d.charge = topology.charge;
    d.atom_type = topology.type;
    d.form = make_pair_form(s, topology.coulomb_constant);
    d.coulomb = coulomb_of(d.form);
    d.types = table.types;
    std::vector<LjPair<double>> pairs;
    for (std::size_t k = 0; k < table.c6.size(); ++k) {
        pairs.push_back({table.c6[k], table.c12[k], table.has_c4() ? table.c4[k] : 0.0});
    }
    d.pairs.upload(pairs, d.stream);
    d.doubles = make_double_parameters(d.form, table.c6, table.c12, table.has_c4());
    if (d.doubles) {
        d.six_c6.upload(d.doubles->six_c6, d.stream);
        d.twelve_c12.upload(d.doubles->twelve_c12, d.stream);
        d.has_lj.upload(d.doubles->has_lj, d.stream);
    }
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
            type[s] = d.atom_type[static_cast<std::size_t>(d.atom_of_slot[s])];
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
    d.shifts.upload(shifts, d.stream);
    if (!d.add_units(positions, wanted.energies)) {
        d.add_pairs(positions, wanted.energies);
    }
    std::vector<DeviceInteger> by_atom(3 * positions.size());
    for (std::size_t s = 0; s < d.atom.size(); ++s) {
        for (std::size_t c = 0; c < 3 && d.atom_of_slot[s] >= 0; ++c) {
            by_atom[3 * static_cast<std::size_t>(d.atom_of_slot[s]) + c] =
                d.by_slot[(3 * (s / width) + c) * width + s % width];
        }
    }
    merge_forces(by_atom, forces);
    if (wanted.energies) {
        const SplitValue lj = split_value(d.energy.data());
        const SplitValue coulomb = split_value(d.energy.data() + words_of_split_sum);
        sums.add(EnergyKind::lj, lj.high);
        sums.add(EnergyKind::lj, lj.low);
        sums.add(EnergyKind::coulomb_real, coulomb.high);
        sums.add(EnergyKind::coulomb_real, coulomb.low);
    }
}

} // namespace tessera
