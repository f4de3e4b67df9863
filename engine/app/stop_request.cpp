#include "engine/app/stop_request.hpp"

#include <csignal>

namespace tessera
{

namespace
{

volatile std::sig_atomic_t caught = 0;

void remember(int signal)
{
    if (signal == SIGINT && caught != 0) {
        std::signal(SIGINT, SIG_DFL);
        std::raise(SIGINT);
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
