#include "cuda/device_array.hpp"
#include "cuda/listed.hpp"
#include "cuda/listed_body.hpp"
#include "cuda/tuning.hpp"

#include <string>
#include <tuple>
#include <vector>

namespace tessera
{
namespace listed_on_device // not anonymous: CudaListed::Device has members of these types
{

template <class Term>
__global__ void listed_kernel(ListedArgs<Term> args)
{
    const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    evaluate_entry(args, index);
}

template <class Term>
void launch_listed(const ListedArgs<Term>& args, const Stream& stream)
{
    const int blocks = (args.count + tuning::listed_block - 1) / tuning::listed_block;
    check(gpu::launch(listed_kernel<Term>, dim3(static_cast<unsigned>(blocks)),
                      dim3(tuning::listed_block), 0, stream.get(), args),
          "starting the kernel of bonded terms");
}

/// The table of one kind of term on the GPU.
template <class Term>
struct DeviceTable {
    DeviceArray<DeviceEntry<Term::atoms>> entries;
    DeviceArray<Term> parameters;
    DeviceArray<DeviceInteger> sums;
    DeviceArray<int> fault;
    std::vector<DeviceEntry<Term::atoms>> host_entries; ///< for messages

    void upload(const TermTable<Term>& table, const Stream& stream)
    {
        for (const auto& entry : table.entries) {
            DeviceEntry<Term::atoms> copy{};
            for (std::size_t k = 0; k < entry.atom.size(); ++k) {
                copy.atom[k] = entry.atom[k];
            }
            copy.parameter = entry.parameter;
            host_entries.push_back(copy);
        }
        entries.upload(host_entries, stream);
        parameters.upload(table.parameters, stream);
        sums.resize(words_of_listed);
        fault.resize(1);
    }
    [[nodiscard]] int count() const { return static_cast<int>(host_entries.size()); }
};

template <class Term>
void add_sums(const std::vector<DeviceInteger>& values, Wanted wanted, EnergySums& sums)
{
    if (wanted.energies) {
        const SplitValue energy = split_value(values.data());
        sums.add(Term::kind, energy.high);
        sums.add(Term::kind, energy.low);
    }
    if (wanted.virial) {
        Mat3 high;
        Mat3 low;
        for (int k = 0; k < 9; ++k) {
            const SplitValue element = split_value(values.data() + (1 + k) * words_of_split_sum);
            high[k / 3][k % 3] = element.high;
            low[k / 3][k % 3] = element.low;
        }
        sums.add_virial(high);
        sums.add_virial(low);
    }
}

template <class Term>
[[noreturn]] void fail_at(const DeviceEntry<Term::atoms>& entry)
{
    std::string atoms;
    for (const int atom : entry.atom) {
        atoms += (atoms.empty() ? "" : ", ") + std::to_string(atom + 1);
    }
    throw PhysicsError(
        std::string(Term::name) + " of atoms " + atoms +
        " has no finite force, or one beyond the range of exact sums (6.7e7 "
        "kJ/mol/nm, 8e6 kJ/mol). Check the start coordinates, or shorten the time step.");
}

} // namespace listed_on_device

using namespace listed_on_device;

struct CudaListed::Device {
    Stream stream;
    CudaListedTerms::tuple_of<DeviceTable> tables;
    DeviceArray<Vec3> positions;
    DeviceArray<DeviceInteger> forces;
};

CudaListed::CudaListed(const Topology& topology) : device_(std::make_unique<Device>())
{
    CudaListedTerms::for_each([&]<class Term>() {
        std::get<DeviceTable<Term>>(device_->tables)
            .upload(topology.table<Term>(), device_->stream);
    });
    device_->stream.wait();
}

CudaListed::~CudaListed() = default;
CudaListed::CudaListed(CudaListed&&) noexcept = default;
CudaListed& CudaListed::operator=(CudaListed&&) noexcept = default;

void CudaListed::add_forces(const Box& box, std::span<const Vec3> positions, Wanted wanted,
                            ForceSums& forces, EnergySums& sums)
{
    Device& d = *device_;
    d.positions.upload(positions, d.stream);
    d.forces.resize(3 * positions.size());
    d.forces.set_zero(d.stream);

    CudaListedTerms::for_each([&]<class Term>() {
        auto& table = std::get<DeviceTable<Term>>(d.tables);
        if (table.count() == 0) {
            return;
        }
        const int none = table.count();
        table.sums.set_zero(d.stream);
        table.fault.upload(std::span(&none, 1), d.stream);
        launch_listed<Term>({table.entries.data(), table.parameters.data(), table.count(),
                             d.positions.data(), box.images(), wanted, d.forces.data(),
                             table.sums.data(), table.fault.data()},
                            d.stream);
        std::vector<DeviceInteger> values(words_of_listed);
        int fault = none;
        table.sums.download(values, d.stream);
        table.fault.download(std::span(&fault, 1), d.stream);
        d.stream.wait();
        if (fault < none) {
            fail_at<Term>(table.host_entries[static_cast<std::size_t>(fault)]);
        }
        add_sums<Term>(values, wanted, sums);
    });

    std::vector<DeviceInteger> host(3 * positions.size());
    d.forces.download(host, d.stream);
    d.stream.wait();
    merge_forces(host, forces);
}

} // namespace tessera
