#include "cli/console/stop_request.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>

namespace npunet::cli {

namespace {

using Clock = std::chrono::steady_clock;

/// Who stops a program and its group of processes sends it the same signal twice: that is one
/// request.
constexpr Clock::duration one_request = std::chrono::milliseconds(500);

volatile std::sig_atomic_t received = 0;
std::atomic<Clock::rep> received_at{0};
static_assert(std::atomic<Clock::rep>::is_always_lock_free, "used by a signal handler");
/// The actions to restore.
std::array<struct sigaction, ending_signals.size()> before;

void take_back(std::size_t which) {
    ::sigaction(ending_signals[which], &before[which], nullptr);
}

extern "C" void remember_signal(int signal) {
    const Clock::rep now = Clock::now().time_since_epoch().count();
    if (received != signal) {
        received = signal;
        received_at = now;
    } else if (now - received_at > one_request.count()) {
        for (std::size_t i = 0; i < ending_signals.size(); ++i) {
            if (ending_signals[i] == signal) {
                take_back(i);
            }
        }
        std::raise(signal);
    }
}

}  // namespace

StopRequest::StopRequest() {
    received = 0;
    struct sigaction ask {};
    ask.sa_handler = remember_signal;
    ask.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < ending_signals.size(); ++i) {
        ::sigaction(ending_signals[i], &ask, &before[i]);
        if (ending_signals[i] == SIGHUP && before[i].sa_handler == SIG_IGN) {
            take_back(i);
        }
    }
}

StopRequest::~StopRequest() {
    for (std::size_t i = 0; i < ending_signals.size(); ++i) {
        take_back(i);
    }
}

int StopRequest::signal() const {
    return received;
}

}  // namespace npunet::cli
