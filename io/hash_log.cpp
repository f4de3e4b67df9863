#include "io/hash_log.hpp"

#include <fmt/format.h>
#include <ostream>

namespace tessera
{

namespace
{

BitHash hash_of(const Mat3& m)
{
    BitHash hash;
    for (int k = 0; k < 3; ++k) {
        hash.add(static_cast<std::uint64_t>(k),
                 {bits_of(m[k].x), bits_of(m[k].y), bits_of(m[k].z)});
    }
    return hash;
}

} // namespace

BitHash hash_of(const State& state)
{
    BitHash hash;
    for (std::size_t a = 0; a < state.position.size(); ++a) {
        const GridPosition& x = state.position[a];
        const Vec3& v = state.velocity[a];
        hash.add(a, {bits_of(x.x), bits_of(x.y), bits_of(x.z), bits_of(v.x), bits_of(v.y),
                     bits_of(v.z)});
    }
    return hash;
}

Interest HashLog::interest(std::int64_t step) const
{
    const bool listens = step % every_ == 0;
    return {listens, {listens, listens, listens}, true, false};
}

void HashLog::notify(const StepView& view)
{
    const State& state = view.state();
    const auto line = [&](std::string_view phase, std::uint64_t value) {
        stream_ << fmt::format("hash {:>12} {:<16} {:016x}\n", state.step, phase, value);
    };
    line("cell", hash_of(state.box.vectors()).value());
    for (const PhaseHash& hash : view.phase_hashes()) {
        line(hash.phase, hash.value);
    }
    line("kinetic energy", hash_of(view.observables().kinetic_tensor).value());
    line("state", hash_of(state).value());
    stream_.flush();
}

} // namespace tessera
