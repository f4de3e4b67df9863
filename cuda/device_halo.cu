#include "cuda/device_array.hpp"
#include "cuda/device_halo.hpp"
#include "cuda/pinned_array.hpp"
#include "cuda/tuning.hpp"
#include "engine/backend/atom_messages.hpp"

#include <utility>

namespace tessera
{

namespace
{

constexpr std::size_t words = 3; ///< of an atom

/// One word of an atom a thread.
struct ListedWords {
    const int* atoms; ///< the list
    int count;        ///< of its words

    [[nodiscard]] __device__ __forceinline__ long long place_of(int word) const
    {
        return 3ll * atoms[word / 3] + word % 3;
    }
};

__device__ __forceinline__ int this_thread()
{
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void read_words(ListedWords list, const DeviceInteger* from, DeviceInteger* packed)
{
    const int word = this_thread();
    if (word < list.count) {
        packed[word] = from[list.place_of(word)];
    }
}

/// Each atom stands on the list once.
__global__ void take_words(ListedWords list, DeviceInteger* from, DeviceInteger* packed)
{
    const int word = this_thread();
    if (word < list.count) {
        packed[word] = from[list.place_of(word)];
        from[list.place_of(word)] = 0;
    }
}

/// Each atom stands on the list once.
__global__ void write_words(ListedWords list, const DeviceInteger* packed, DeviceInteger* to)
{
    const int word = this_thread();
    if (word < list.count) {
        to[list.place_of(word)] = packed[word];
    }
}

/// An atom may stand on the list once for each rank that knows it.
__global__ void add_words(ListedWords list, const DeviceInteger* packed, DeviceInteger* to)
{
    const int word = this_thread();
    if (word < list.count) {
        add_integer(to + list.place_of(word), static_cast<long long>(packed[word]));
    }
}

} // namespace

/// Messages one way, and their memory.
class DeviceHalo::Way {
public:
    Way(const RaggedList& out, const RaggedList& in, Transport& ranks, const Stream& stream)
        : out_(out), in_(in), ranks_(ranks), stream_(stream),
          memory_(
              std::make_shared<Memory>(out.value.size(), in.value.size(), !ranks.reaches_devices()))
    {
        memory_->out_atoms.upload(out.value, stream);
        memory_->in_atoms.upload(in.value, stream);
        stream.wait(); // the lists may go
    }

    template <class Kernel, class Words>
    void begin(Kernel kernel, Words* from)
    {
        launch(kernel, memory_->out_atoms, from, memory_->out.data());
        DeviceInteger* out = memory_->out.data();
        DeviceInteger* in = memory_->in.data();
        if (memory_->staged) {
            out = memory_->staged->out.data();
            in = memory_->staged->in.data();
            memory_->out.download({out, memory_->out.size()}, stream_);
        }
        stream_.wait();
        under_way_ = ranks_.begin_copies(parts_of<Transport::Sent>(out_, std::as_const(out), words),
                                         parts_of<Transport::Received>(in_, in, words), memory_);
    }

    template <class Kernel>
    void finish(Kernel kernel, DeviceInteger* to)
    {
        std::exchange(under_way_, {})->finish();
        if (memory_->staged) {
            memory_->in.upload({memory_->staged->in.data(), memory_->in.size()}, stream_);
        }
        launch(kernel, memory_->in_atoms, std::as_const(memory_->in).data(), to);
    }

private:
    struct Staged {
        PinnedArray<DeviceInteger> out, in;
    };
    struct Memory {
        Memory(std::size_t sent, std::size_t received, bool is_staged)
        {
            out.resize(words * sent);
            in.resize(words * received);
            if (is_staged) {
                staged.reset(new Staged{PinnedArray<DeviceInteger>(out.size()),
                                        PinnedArray<DeviceInteger>(in.size())});
            }
        }
        DeviceArray<int> out_atoms, in_atoms;
        DeviceArray<DeviceInteger> out, in;
        std::unique_ptr<Staged> staged; ///< where the transport does not reach the others
    };

    template <class Kernel, class From>
    void launch(Kernel kernel, DeviceArray<int>& atoms, From* from, DeviceInteger* to)
    {
        const int count = static_cast<int>(words * atoms.size());
        if (count > 0) {
            const int blocks = (count + tuning::halo_block - 1) / tuning::halo_block;
            check(gpu::launch(kernel, dim3(static_cast<unsigned>(blocks)), dim3(tuning::halo_block),
                              0, stream_.get(), ListedWords{atoms.data(), count}, from, to),
                  "starting a kernel of messages between ranks");
        }
    }

    const RaggedList &out_, &in_;
    Transport& ranks_;
    const Stream& stream_;
    std::shared_ptr<Memory> memory_;
    std::unique_ptr<Transport::Copies> under_way_;
};

DeviceHalo::DeviceHalo(const HaloPlan& plan, Transport& ranks, const Stream& stream)
    : positions_(std::make_unique<Way>(plan.exports, plan.ghosts, ranks, stream)),
      forces_(std::make_unique<Way>(plan.ghosts, plan.exports, ranks, stream))
{
}

DeviceHalo::~DeviceHalo() = default;

void DeviceHalo::send_positions(const DeviceInteger* positions)
{
    positions_->begin(read_words, positions);
}

void DeviceHalo::place_ghosts(DeviceInteger* positions)
{
    positions_->finish(write_words, positions);
}

void DeviceHalo::send_forces(DeviceInteger* forces)
{
    forces_->begin(take_words, forces);
}

void DeviceHalo::take_forces(DeviceInteger* forces)
{
    forces_->finish(add_words, forces);
}

} // namespace tessera
