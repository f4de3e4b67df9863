#include "engine/parallel/mpi_transport.hpp"

#include "engine/base/error.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <thread>

#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

namespace tessera
{

namespace
{

void check(int result, const char* what)
{
    if (result != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING] = "";
        int length = 0;
        MPI_Error_string(result, text, &length);
        throw MpiError(std::string(what) + " failed (MPI: " + std::string(text, text + length) +
                       "). Look at the messages of the other ranks and of the launcher.");
    }
}

/// MPICH waits busily: with more ranks than cores that takes the core from the rank one waits for.
/// Then this sleeps after a short while (measured 15 to 40 times faster when oversubscribed); with
/// a core for each it does not, as every sleep costs a tenth of a millisecond.
class Patience {
public:
    explicit Patience(bool shares_cores) : shares_cores_(shares_cores) {}

    void wait(std::vector<MPI_Request>& requests) const
    {
        using Clock = std::chrono::steady_clock;
        constexpr auto busy = std::chrono::microseconds(20);
        const Clock::time_point begin = Clock::now();
        int done = 0;
        while (done == 0) {
            check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                              MPI_STATUSES_IGNORE),
                  "waiting for other ranks");
            if (done == 0 && shares_cores_ && Clock::now() - begin > busy) {
                std::this_thread::sleep_for(std::chrono::microseconds(10));
            }
        }
    }

private:
    bool shares_cores_;
};

/// Whether this node has more ranks than processors.
bool has_more_ranks_than_cores()
{
    MPI_Comm node = MPI_COMM_NULL;
    check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
          "asking for the ranks of this node");
    int ranks = 1;
    check(MPI_Comm_size(node, &ranks), "asking for the ranks of this node");
    check(MPI_Comm_free(&node), "asking for the ranks of this node");
    return static_cast<unsigned>(ranks) > std::max(1U, std::thread::hardware_concurrency());
}

int count_of(std::size_t bytes)
{
    if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        throw MpiError("a message of " + std::to_string(bytes) +
                       " bytes is beyond what one MPI call can carry (2 GiB). Use more ranks.");
    }
    return static_cast<int>(bytes);
}

class MpiTransport final : public Transport {
public:
    MpiTransport() : patience_(has_more_ranks_than_cores())
    {
        check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "asking for the rank");
        check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "asking for the number of ranks");
    }

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return size_; }

    std::vector<Bytes> exchange(std::vector<Bytes> to) override
    {
        std::vector<std::int64_t> mine, told(to.size());
        for (const Bytes& bytes : to) {
            mine.push_back(static_cast<std::int64_t>(bytes.size()));
        }
        std::vector<MPI_Request> requests(1);
        check(MPI_Ialltoall(mine.data(), 1, MPI_INT64_T, told.data(), 1, MPI_INT64_T,
                            MPI_COMM_WORLD, requests.data()),
              "telling the lengths of messages");
        patience_.wait(requests);
        return exchange(std::move(to), std::vector<std::size_t>(told.begin(), told.end()));
    }

    std::vector<Bytes> exchange(std::vector<Bytes> to,
                                std::span<const std::size_t> lengths) override
    {
        std::vector<Bytes> from(to.size());
        std::vector<MPI_Request> requests;
        for (int r = 0; r < size_; ++r) {
            Bytes& in = from[static_cast<std::size_t>(r)];
            Bytes& out = to[static_cast<std::size_t>(r)];
            if (r == rank_) {
                in = std::move(out);
                continue;
            }
            in.resize(lengths[static_cast<std::size_t>(r)]);
            if (!in.empty()) {
                requests.emplace_back();
                check(MPI_Irecv(in.data(), count_of(in.size()), MPI_BYTE, r, 0, MPI_COMM_WORLD,
                                &requests.back()),
                      "receiving from another rank");
            }
            if (!out.empty()) {
                requests.emplace_back();
                check(MPI_Isend(out.data(), count_of(out.size()), MPI_BYTE, r, 0, MPI_COMM_WORLD,
                                &requests.back()),
                      "sending to another rank");
            }
        }
        patience_.wait(requests);
        return from;
    }

    void add(std::span<std::int64_t> values) override
    {
        // unsigned: sums wrap, which signed ones must not
        static_assert(sizeof(unsigned long long) == sizeof(std::int64_t));
        std::vector<MPI_Request> requests(1);
        check(MPI_Iallreduce(MPI_IN_PLACE, values.data(), count_of(values.size()),
                             MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD, requests.data()),
              "adding over ranks");
        patience_.wait(requests);
    }

    void take_largest(std::span<std::int64_t> values) override
    {
        std::vector<MPI_Request> requests(1);
        check(MPI_Iallreduce(MPI_IN_PLACE, values.data(), count_of(values.size()), MPI_INT64_T,
                             MPI_MAX, MPI_COMM_WORLD, requests.data()),
              "asking for the largest of all ranks");
        patience_.wait(requests);
    }

private:
    Patience patience_;
    int rank_ = 0, size_ = 1;
};

} // namespace

void run_mpi(const std::function<void(Transport&)>& work)
{
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "starting MPI");
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "starting MPI");
    MpiTransport transport;
    work(transport);
    check(MPI_Finalize(), "ending MPI");
}

void end_all_ranks(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
    throw MpiError("MPI could not end the other ranks. End them by hand.");
}

} // namespace tessera
