#include "engine/app/stop_request.hpp"

#include <csignal>
#include <ctime>

namespace tessera
{

namespace
{

volatile std::sig_atomic_t caught = 0;
volatile std::time_t first_term = 0; ///< on the monotonic clock, s; 0: none yet

/// Whether it comes after another one and is not its echo: timeout, srun and mpirun send a signal
/// to the process and to its group.
bool is_second_term()
{
    constexpr std::time_t echo = 2; // s
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now); // allowed in a handler
    if (first_term == 0) {
        first_term = now.tv_sec;
    }
    return now.tv_sec - first_term > echo;
}

void remember(int signal)
{
    if ((signal == SIGINT && caught != 0) || (signal == SIGTERM && is_second_term())) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
    caught = signal;
}

bool hangup_was_ignored = false;

void look_at_hangup()
{
    struct sigaction now = {};
    hangup_was_ignored = sigaction(SIGHUP, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

// before any library's own start: later its state can no longer be told
__attribute__((section(".preinit_array"), used)) void (*const look_first)() = look_at_hangup;

constexpr int watched[] = {SIGTERM, SIGINT, SIGUSR1, SIGHUP, SIGXCPU};

} // namespace

void let_writes_fail()
{
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

void give_back_hangup()
{
    std::signal(SIGHUP, hangup_was_ignored ? SIG_IGN : SIG_DFL);
}

StopRequest::StopRequest()
{
    caught = 0;
    first_term = 0;
    for (const int signal : watched) {
        if (std::signal(signal, remember) == SIG_IGN && signal == SIGHUP) {
            std::signal(signal, SIG_IGN);
        }
    }
}

StopRequest::~StopRequest()
{
    for (const int signal : watched) {
        if (std::signal(signal, SIG_DFL) == SIG_IGN) {
            std::signal(signal, SIG_IGN);
        }
    }
}

int StopRequest::signal() const
{
    return caught;
}

} // namespace tessera
