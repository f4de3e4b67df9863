#pragma once

#include "engine/base/bit_hash.hpp"
#include "engine/simulation/observers.hpp"

#include <iosfwd>

namespace tessera
{

/// Of every atom's number, position as the checkpoint holds it and velocity.
BitHash hash_of(const State& state);

/// Writes hashes of the phases of a step and of the state after it, a line each:
/// "hash <step> <phase> <16 hexadecimal digits>", in the order in which the phases are done. In two
/// logs of the same run the first line that differs names step and phase where they part.
/// A force phase ("pairs", "mesh", "bonded") stands for the forces that it added.
class HashLog : public Observer {
public:
    /// `stream` outlives this object; every: steps, above 0.
    HashLog(std::ostream& stream, std::int64_t every) : stream_(stream), every_(every) {}
    [[nodiscard]] Interest interest(std::int64_t step) const override;
    void notify(const StepView& view) override;

private:
    std::ostream& stream_;
    std::int64_t every_;
};

} // namespace tessera
