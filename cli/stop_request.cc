#include "cli/stop_request.h"

#include <atomic>
#include <chrono>
#include <csignal>

namespace npunet::cli {

namespace {

using Clock = std::chrono::steady_clock;

/// Who stops a program and its group of processes sends it the same signal twice: that is one
/// request.
constexpr Clock::duration one_request = std::chrono::milliseconds(500);

volatile std::sig_atomic_t received = 0;
std::atomic<Clock::rep> received_at{0};
static_assert(std::atomic<Clock::rep>::is_always_lock_free, "used by a signal handler");

extern "C" void remember_signal(int signal) {
    const Clock::rep now = Clock::now().time_since_epoch().count();
    if (received != signal) {
        received = signal;
        received_at = now;
    } else if (now - received_at > one_request.count()) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
}

}  // namespace

StopRequest::StopRequest() {
    received = 0;
    std::signal(SIGINT, remember_signal);
    std::signal(SIGTERM, remember_signal);
}

StopRequest::~StopRequest() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

int StopRequest::signal() const {
    return received;
}

}  // namespace npunet::cli
