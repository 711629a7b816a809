#include "cli/stop_request.h"

#include <csignal>

namespace npunet::cli {

namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void remember_signal(int signal) {
    received = signal;
    std::signal(signal, SIG_DFL);
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
