#include "engine/parallel/mpi_transport.hpp"

#include "engine/base/atom_fault.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

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

/// How ranks hear of each other's faults: by messages of their own communicator, which nobody looks
/// for unless it has waited for long.
class FaultWatch {
public:
    FaultWatch()
    {
        check(MPI_Comm_dup(MPI_COMM_WORLD, &world_), "starting MPI");
        check(MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN), "starting MPI");
    }

    /// Ends the others' waits. For the rest of the process.
    void tell(std::string reason)
    {
        constexpr std::size_t longest = 4000; // goes out at once, whoever receives it
        int rank = 0, ranks = 1;
        check(MPI_Comm_rank(world_, &rank), "asking for the rank");
        check(MPI_Comm_size(world_, &ranks), "asking for the number of ranks");
        reason_ = std::move(reason);
        reason_.resize(std::min(reason_.size(), longest));
        for (int r = 0; r < ranks; ++r) {
            if (r != rank) {
                MPI_Request ignored = MPI_REQUEST_NULL;
                check(MPI_Isend(reason_.data(), static_cast<int>(reason_.size()), MPI_CHAR, r, 0,
                                world_, &ignored),
                      "telling other ranks of a fault");
            }
        }
    }

    /// Throws OtherRankError where a rank has told of a fault.
    void look()
    {
        int is_there = 0;
        MPI_Status about;
        check(MPI_Iprobe(MPI_ANY_SOURCE, 0, world_, &is_there, &about), "looking for faults");
        if (is_there == 0) {
            return;
        }
        int length = 0;
        check(MPI_Get_count(&about, MPI_CHAR, &length), "looking for faults");
        std::string reason(static_cast<std::size_t>(length), ' ');
        check(MPI_Recv(reason.data(), length, MPI_CHAR, about.MPI_SOURCE, 0, world_,
                       MPI_STATUS_IGNORE),
              "looking for faults");
        throw OtherRankError(fmt::format("rank {}: {}", about.MPI_SOURCE, reason));
    }

    [[nodiscard]] MPI_Comm world() const { return world_; }

private:
    MPI_Comm world_ = MPI_COMM_NULL;
    std::string reason_;
};

/// MPICH waits busily: with more ranks than cores that takes the core from the rank one waits for.
/// Then this sleeps after a short while (measured 15 to 40 times faster when oversubscribed); with
/// a core for each it does not, as every sleep costs a tenth of a millisecond.
class Patience {
public:
    Patience(bool shares_cores, FaultWatch& faults) : shares_cores_(shares_cores), faults_(faults)
    {
    }

    /// `pass_time`: does something else; false where there is nothing. May throw OtherRankError:
    /// buffers of the requests must be kept then until MPI is ended.
    template <class PassTime>
    void wait(std::vector<MPI_Request>& requests, const PassTime& pass_time) const
    {
        using Clock = std::chrono::steady_clock;
        constexpr auto busy = std::chrono::microseconds(20);
        constexpr auto unusual = std::chrono::milliseconds(20);
        Clock::time_point begin = Clock::now();
        int done = 0;
        while (done == 0) {
            check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                              MPI_STATUSES_IGNORE),
                  "waiting for other ranks");
            if (done != 0) {
                return;
            }
            if (pass_time()) {
                begin = Clock::now();
                continue;
            }
            const auto waited = Clock::now() - begin;
            if (waited > unusual) {
                faults_.look();
            }
            if (shares_cores_ && waited > busy) {
                std::this_thread::sleep_for(std::chrono::microseconds(10));
            }
        }
    }

private:
    bool shares_cores_;
    FaultWatch& faults_;
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

/// Between two ranks messages arrive in the order in which they were sent: none needs a tag.
void receive(std::span<std::byte> in, int rank, std::vector<MPI_Request>& requests)
{
    check(MPI_Irecv(in.data(), count_of(in.size()), MPI_BYTE, rank, 0, MPI_COMM_WORLD,
                    &requests.emplace_back()),
          "receiving from another rank");
}

void send(std::span<const std::byte> out, int rank, std::vector<MPI_Request>& requests)
{
    check(MPI_Isend(out.data(), count_of(out.size()), MPI_BYTE, rank, 0, MPI_COMM_WORLD,
                    &requests.emplace_back()),
          "sending to another rank");
}

/// Whether this MPI takes addresses of CUDA memory, by its own word at run time.
bool mpi_reaches_devices()
{
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000 // MPICH and its relatives
    int reaches = 0;
    check(MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &reaches), "asking for GPU support");
    return reaches != 0;
#elif defined(OPEN_MPI)
    return MPIX_Query_cuda_support() != 0;
#else
    return false;
#endif
}

class MpiTransport final : public Transport {
public:
    explicit MpiTransport(FaultWatch& faults) : patience_(has_more_ranks_than_cores(), faults)
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
        wait(requests, mine, told);
        return Transport::exchange(std::move(to),
                                   std::vector<std::size_t>(told.begin(), told.end()));
    }

    class Exchange final : public Transport::Exchange {
    public:
        Exchange(MpiTransport& ranks, std::vector<Bytes> to)
            : ranks_(ranks), from_(to.size()), to_(std::move(to))
        {
        }
        void begin(std::span<const std::size_t> lengths);
        std::vector<Bytes> finish() override
        {
            ranks_.wait(requests_, from_, to_);
            requests_.clear();
            return std::move(from_);
        }
        ~Exchange() override
        {
            if (!requests_.empty()) {
                ranks_.keep(from_, to_);
            }
        }
        Exchange(const Exchange&) = delete;
        Exchange& operator=(const Exchange&) = delete;

    private:
        MpiTransport& ranks_;
        std::vector<Bytes> from_, to_;
        std::vector<MPI_Request> requests_;
    };

    std::unique_ptr<Transport::Exchange>
    begin_exchange(std::vector<Bytes> to, std::span<const std::size_t> lengths) override
    {
        auto out = std::make_unique<Exchange>(*this, std::move(to));
        out->begin(lengths);
        return out;
    }

    class Copies final : public Transport::Copies {
    public:
        Copies(MpiTransport& ranks, std::shared_ptr<const void> memory)
            : ranks_(ranks), memory_(std::move(memory))
        {
        }
        std::vector<MPI_Request>& requests() { return requests_; }
        void finish() override
        {
            ranks_.wait(requests_, memory_);
            requests_.clear();
        }
        ~Copies() override
        {
            if (!requests_.empty()) {
                ranks_.keep(memory_);
            }
        }
        Copies(const Copies&) = delete;
        Copies& operator=(const Copies&) = delete;

    private:
        MpiTransport& ranks_;
        std::shared_ptr<const void> memory_;
        std::vector<MPI_Request> requests_;
    };

    std::unique_ptr<Transport::Copies> begin_copies(std::span<const Sent> out,
                                                    std::span<const Received> in,
                                                    std::shared_ptr<const void> memory) override
    {
        auto copies = std::make_unique<Copies>(*this, std::move(memory));
        for (const Received& part : in) {
            receive(part.bytes, part.rank, copies->requests());
        }
        for (const Sent& part : out) {
            send(part.bytes, part.rank, copies->requests());
        }
        return copies;
    }

    [[nodiscard]] bool reaches_devices() const override { return mpi_reaches_devices(); }

    void add(std::span<std::int64_t> values) override
    {
        // unsigned: sums wrap, which signed ones must not
        static_assert(sizeof(unsigned long long) == sizeof(std::int64_t));
        reduce(values, MPI_UNSIGNED_LONG_LONG, MPI_SUM, "adding over ranks");
    }

    void take_largest(std::span<std::int64_t> values) override
    {
        reduce(values, MPI_INT64_T, MPI_MAX, "asking for the largest of all ranks");
    }

private:
    void reduce(std::span<std::int64_t> values, MPI_Datatype type, MPI_Op how, const char* what)
    {
        std::vector<std::int64_t> joined(values.begin(), values.end());
        std::vector<MPI_Request> requests(1);
        check(MPI_Iallreduce(MPI_IN_PLACE, joined.data(), count_of(joined.size()), type, how,
                             MPI_COMM_WORLD, requests.data()),
              what);
        wait(requests, joined);
        std::copy(joined.begin(), joined.end(), values.begin());
    }

    /// Buffers of what is given up stay, as messages may still come into them.
    template <class... Buffers>
    void keep(Buffers&... buffers)
    {
        (kept_.push_back(std::make_shared<Buffers>(std::move(buffers))), ...);
    }

    template <class... Buffers>
    void wait(std::vector<MPI_Request>& requests, Buffers&... buffers)
    {
        try {
            patience_.wait(requests, [this] { return pass_time(); });
        } catch (...) {
            keep(buffers...);
            throw;
        }
    }

    Patience patience_;
    int rank_ = 0, size_ = 1;
    std::vector<std::shared_ptr<void>> kept_;
};

/// Waits for a collective of all ranks; false: it did not come about within `limit`.
bool comes_about(MPI_Request request, std::chrono::steady_clock::duration limit)
{
    const auto begin = std::chrono::steady_clock::now();
    int done = 0;
    while (true) {
        check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "waiting for other ranks");
        if (done != 0) {
            return true;
        }
        if (std::chrono::steady_clock::now() - begin > limit) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

/// Where ranks meet at their end, with or without faults.
class Meeting {
public:
    Meeting(const FaultWatch& faults, bool is_ill)
        : world_(faults.world()),
          limit_(is_ill ? Clock::duration(std::chrono::seconds(60)) : Clock::duration::max())
    {
    }

    /// The smallest of what all ranks bring; nothing where they do not come.
    template <std::size_t n>
    std::optional<std::array<std::int64_t, n>> smallest(const std::array<std::int64_t, n>& mine)
    {
        // not on the stack: what does not come about now may write there later
        const auto buffer = std::make_shared<std::array<std::int64_t, n>>(mine);
        kept_.push_back(buffer);
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Iallreduce(MPI_IN_PLACE, buffer->data(), static_cast<int>(n), MPI_INT64_T,
                             MPI_MIN, world_, &request),
              "meeting other ranks");
        return comes_about(request, limit_) ? std::optional(*buffer) : std::nullopt;
    }

private:
    using Clock = std::chrono::steady_clock;
    MPI_Comm world_;
    Clock::duration limit_;
    std::vector<std::shared_ptr<void>> kept_;
};

/// Standard output and error go nowhere meanwhile: MPI's libraries complain of messages that were
/// given up, which tells a user nothing.
class Silence {
public:
    Silence()
    {
        std::fflush(nullptr);
        const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        for (std::size_t k = 0; k < streams.size() && nowhere >= 0; ++k) {
            before_[k] = fcntl(streams[k], F_DUPFD_CLOEXEC, 3);
            dup2(nowhere, streams[k]);
        }
        close(nowhere);
    }
    ~Silence()
    {
        std::fflush(nullptr);
        for (std::size_t k = 0; k < streams.size(); ++k) {
            if (before_[k] >= 0) {
                dup2(before_[k], streams[k]);
                close(before_[k]);
            }
        }
    }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

private:
    static constexpr std::array<int, 2> streams{STDOUT_FILENO, STDERR_FILENO};
    std::array<int, 2> before_{-1, -1};
};

/// The work of one rank, and how all ranks come to one end.
class RankRun {
public:
    using Work = std::function<int(Transport&)>;
    using Tell = std::function<int(const std::exception_ptr&, int)>;

    explicit RankRun(const Tell& tell) : tell_(tell), transport_(faults_) {}

    void work(const Work& work)
    {
        try {
            status_ = work(transport_);
        } catch (const OtherRankError&) {
            heard_ = std::current_exception();
        } catch (const std::exception& fault) {
            own_ = std::current_exception();
            const auto* at = dynamic_cast<const AtomFault*>(&fault);
            place_ = at != nullptr ? at->atom : behind_all_atoms + transport_.rank();
            faults_.tell(fault.what());
        }
    }

    /// False: the ranks did not meet.
    bool meet()
    {
        Meeting meeting(faults_, own_ || heard_);
        const auto end = meeting.smallest<2>({place_, own_ || heard_ ? 0 : 1});
        if (!end) {
            return false;
        }
        is_ill_ = (*end)[1] == 0;
        if ((*end)[0] == nowhere) {
            return true;
        }
        const bool speaks = (*end)[0] == place_; // an atom is moved by one rank
        const auto told = meeting.smallest<1>({speaks ? -tell_(own_, transport_.rank()) : 0});
        status_ = told ? static_cast<int>(-(*told)[0]) : status_;
        return told.has_value();
    }

    /// Ends MPI. Returns the exit status.
    int finish()
    {
        if (is_ill_) {
            const Silence silence;
            alarm(30); // s: what was given up must not keep the process for ever
            check(MPI_Finalize(), "ending MPI");
            alarm(0);
        } else {
            check(MPI_Finalize(), "ending MPI");
        }
        return status_;
    }

    int end_by_force()
    {
        status_ = tell_(own_ ? own_ : heard_, transport_.rank());
        // launchers drop what they have not passed on when they are told to end
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        MPI_Abort(MPI_COMM_WORLD, status_);
        return status_;
    }

private:
    const Tell& tell_;
    FaultWatch faults_;
    MpiTransport transport_;
    static constexpr std::int64_t behind_all_atoms = std::int64_t{1} << 40;
    static constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();
    std::exception_ptr own_, heard_;
    std::int64_t place_ = nowhere; ///< of the own fault, in the order in which one is chosen
    int status_ = 0;
    bool is_ill_ = false;
};

void MpiTransport::Exchange::begin(std::span<const std::size_t> lengths)
{
    for (int r = 0; r < ranks_.size(); ++r) {
        Bytes& in = from_[static_cast<std::size_t>(r)];
        Bytes& out = to_[static_cast<std::size_t>(r)];
        if (r == ranks_.rank()) {
            in = std::move(out);
            continue;
        }
        in.resize(lengths[static_cast<std::size_t>(r)]);
        if (!in.empty()) {
            receive(in, r, requests_);
        }
        if (!out.empty()) {
            send(out, r, requests_);
        }
    }
}

} // namespace

int run_mpi(const std::function<int(Transport&)>& work,
            const std::function<int(const std::exception_ptr& fault, int rank)>& tell)
{
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "starting MPI");
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "starting MPI");
    RankRun run(tell);
    run.work(work);
    return run.meet() ? run.finish() : run.end_by_force();
}

} // namespace tessera
