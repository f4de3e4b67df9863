#include "engine/app/ranks.hpp"

#include "engine/app/exit_status.hpp"
#include "engine/app/threads.hpp"
#include "engine/base/diagnostic.hpp"
#include "engine/parallel/mpi_transport.hpp"
#include "engine/simulation/domain_backend.hpp"

#include <exception>
#include <fmt/format.h>
#include <iostream>

namespace tessera
{

namespace
{

void refuse_unjoined(int joined)
{
    throw MpiError(fmt::format("{} processes were started, but MPI joins {} of them (the launcher "
                               "belongs to another MPI). Use mpirun.mpich, or srun --mpi=pmi2.",
                               launched_ranks(), joined));
}

} // namespace

int on_ranks(Unjoined unjoined, const std::function<int(Transport*)>& command)
{
    if (launched_ranks() <= 1) {
        return command(nullptr);
    }
    return run_mpi(
        [&](Transport& ranks) {
            const bool is_joined = ranks.size() == launched_ranks();
            if (!is_joined && unjoined == Unjoined::refused) {
                refuse_unjoined(ranks.size());
            }
            return command(is_joined ? &ranks : nullptr);
        },
        [](const std::exception_ptr& fault, int rank) {
            if (rank > 0) {
                std::cerr << fmt::format("rank {}: ", rank);
            }
            return guarded([&]() -> int { std::rethrow_exception(fault); });
        });
}

namespace
{

/// Of a key of the deck or of --set that the words name; else the deck.
SourcePlace place_of_key_named(const Deck& deck, std::string_view words)
{
    for (const auto& [key, place] : deck.places) {
        if (words.find(key) != std::string_view::npos) {
            return deck.line_of(key);
        }
    }
    return deck.line_of("");
}

} // namespace

void refuse_on_ranks(const Deck& deck, const Assembly& assembly, int ranks)
{
    if (deck.output.hash_every > 0) {
        fail({deck.line_of("output.hash_every"),
              "hashes of the phases (output.hash_every) are made on one rank only. Use one rank, "
              "or take the key out.",
              "", ""});
    }
    try {
        refuse_what_ranks_cannot_share(deck.dynamics, assembly.nonbonded, assembly.box, ranks);
    } catch (const InputError& refusal) {
        fail({place_of_key_named(deck, refusal.what()), refusal.what(), "", ""});
    }
}

void refuse_several_ranks(const Transport* ranks, const std::string& command)
{
    if (ranks != nullptr) {
        throw InputError(fmt::format("{} processes were started, but tessera {} is the work of "
                                     "one. Start it without mpirun or srun.",
                                     ranks->size(), command));
    }
}

} // namespace tessera
