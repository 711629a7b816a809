#include "cli/console/cleanup_on_signal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "base/unfinished.h"
#include "cli/console/stop_request.h"

namespace npunet::cli {

namespace {

volatile std::sig_atomic_t told_at = -1;

// Few functions are async-signal-safe, so the cleanup is left to the thread.
extern "C" void tell_of_signal(int signal) {
    const int error = errno;
    const auto number = static_cast<unsigned char>(signal);
    static_cast<void>(!::write(told_at, &number, 1));
    errno = error;
}

}  // namespace

CleanupOnSignal::CleanupOnSignal() {
    // Without a pipe or thread, signals keep their default action.
    if (::pipe2(inquiries_, O_CLOEXEC) != 0) {
        return;
    }
    try {
        thread_ = std::thread(end_on_signal, inquiries_[0]);
    } catch (const std::system_error&) {
        return;
    }
    told_at = inquiries_[1];
    for (const int signal : ending_signals) {
        struct sigaction before {};
        if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
            std::signal(signal, tell_of_signal);
        }
    }
}

CleanupOnSignal::~CleanupOnSignal() {
    for (const int signal : ending_signals) {
        struct sigaction before {};
        if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == tell_of_signal) {
            std::signal(signal, SIG_DFL);
        }
    }
    told_at = -1;
    ::close(inquiries_[1]);
    if (thread_.joinable()) {
        thread_.join();
    }
    ::close(inquiries_[0]);
}

void CleanupOnSignal::end_on_signal(int inquiries) {
    unsigned char signal = 0;
    ssize_t count = 0;
    do {
        count = ::read(inquiries, &signal, 1);
    } while (count < 0 && errno == EINTR);
    if (count != 1 ||
        std::find(ending_signals.begin(), ending_signals.end(), signal) == ending_signals.end()) {
        return;  // the destructor has closed the pipe
    }
    remove_unfinished();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

}  // namespace npunet::cli
