#pragma once

#include "cuda/integer_sums.hpp"
#include "cuda/stream.hpp"
#include "engine/backend/transport.hpp"
#include "engine/plans/halo_plan.hpp"

#include <memory>

namespace tessera
{

/// The messages of a halo between ranks whose atoms lie on GPUs, one GPU a rank. Positions and
/// forces are integers, [atoms][3], in the GPU's memory and stay there: kernels pack and unpack.
/// Where the transport reaches devices, it takes the packed messages from the GPU and puts others'
/// there; else they are staged through page-locked memory of the host. The bits are the same.
///
/// All work is queued on the stream that was given, which must live longer, as must the plan; a
/// call that begins messages waits until they are packed, no other call waits for the GPU.
class DeviceHalo {
public:
    DeviceHalo(const HaloPlan& plan, Transport& ranks, const Stream& stream);
    ~DeviceHalo();
    DeviceHalo(const DeviceHalo&) = delete;
    DeviceHalo& operator=(const DeviceHalo&) = delete;

    /// Positions of own atoms leave for the ranks that know them.
    void send_positions(const DeviceInteger* positions);
    /// Those of ghosts have come: into their places.
    void place_ghosts(DeviceInteger* positions);
    /// Forces of ghosts leave for their owners; zero stays behind.
    void send_forces(DeviceInteger* forces);
    /// Those that others made for own atoms have come: added, as integers.
    void take_forces(DeviceInteger* forces);

private:
    class Way;
    std::unique_ptr<Way> positions_, forces_;
};

} // namespace tessera
