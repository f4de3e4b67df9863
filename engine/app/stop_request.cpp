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

constexpr int watched[] = {SIGTERM, SIGINT, SIGUSR1};

} // namespace

StopRequest::StopRequest()
{
    caught = 0;
    for (const int signal : watched) {
        std::signal(signal, remember);
    }
}

StopRequest::~StopRequest()
{
    for (const int signal : watched) {
        std::signal(signal, SIG_DFL);
    }
}

int StopRequest::signal() const
{
    return caught;
}

} // namespace tessera
