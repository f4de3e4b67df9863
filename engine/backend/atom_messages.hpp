#pragma once

#include "engine/backend/transport.hpp"
#include "engine/model/topology.hpp"

#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace tessera
{

/// The parts of an array of values, in the order of a list's rows, that go to or come from each
/// rank. `values` lies where it may: in the host's memory or a device's.
template <class Part, class Value>
std::vector<Part> parts_of(const RaggedList& atoms, Value* values, std::size_t values_an_atom = 1)
{
    std::vector<Part> parts;
    for (std::size_t r = 0; r < atoms.rows(); ++r) {
        if (atoms.length(r) > 0) {
            const auto first = static_cast<std::size_t>(atoms.offset[r]);
            const std::span row(values + first * values_an_atom, atoms.length(r) * values_an_atom);
            if constexpr (std::is_const_v<Value>) {
                parts.push_back({static_cast<int>(r), std::as_bytes(row)});
            } else {
                parts.push_back({static_cast<int>(r), std::as_writable_bytes(row)});
            }
        }
    }
    return parts;
}

/// One value an atom, from this rank's atoms `out` to other ranks and from theirs to its atoms `in`
/// (one row a rank; the sender's row and the receiver's list the same atoms).
template <class Value>
class AtomMessages {
    static_assert(std::is_trivially_copyable_v<Value>);

public:
    AtomMessages() = default;
    /// The lists stay the caller's.
    AtomMessages(const RaggedList& out, const RaggedList& in)
        : out_(&out), in_(&in), buffers_(std::make_shared<Buffers>())
    {
        buffers_->out.resize(out.value.size());
        buffers_->in.resize(in.value.size());
    }

    /// `read(atom)`: its value.
    template <class Read>
    void begin(Transport& ranks, const Read& read)
    {
        for (std::size_t k = 0; k < out_->value.size(); ++k) {
            buffers_->out[k] = read(static_cast<std::size_t>(out_->value[k]));
        }
        under_way_ = ranks.begin_copies(
            parts_of<Transport::Sent>(*out_, std::as_const(buffers_->out).data()),
            parts_of<Transport::Received>(*in_, buffers_->in.data()), buffers_);
    }
    [[nodiscard]] bool are_under_way() const { return under_way_ != nullptr; }
    /// `place(atom, value)` for what has come, rank after rank.
    template <class Place>
    void finish(const Place& place)
    {
        std::exchange(under_way_, {})->finish();
        for (std::size_t k = 0; k < in_->value.size(); ++k) {
            place(static_cast<std::size_t>(in_->value[k]), buffers_->in[k]);
        }
    }

private:
    struct Buffers {
        std::vector<Value> out, in;
    };
    const RaggedList *out_ = nullptr, *in_ = nullptr;
    std::shared_ptr<Buffers> buffers_;
    std::unique_ptr<Transport::Copies> under_way_;
};

} // namespace tessera
