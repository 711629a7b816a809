// Ctrl-C and kill as a request to stop in good order.
//
//     const StopRequest stop;                    // from here on SIGINT and SIGTERM only ask
//     while (!stop.signal()) work();
//     if (stop.signal()) throw Stopped(stop.signal());
//
// The second signal of a kind, half a second or more after the first, ends the process at once, as
// it would without this.
#pragma once

#include <stdexcept>
#include <string>

namespace npunet::cli {

/// Work that a signal ended early; the program's exit code is then 128 + the signal's number, as
/// shells have it.
class Stopped : public std::runtime_error {
public:
    Stopped(int signal, const std::string& message)
        : std::runtime_error(message), signal_(signal) {}
    [[nodiscard]] int signal() const { return signal_; }

private:
    int signal_;
};

/// Catches both signals while it lives. One at a time in a process.
class StopRequest {
public:
    StopRequest();
    ~StopRequest();
    StopRequest(const StopRequest&) = delete;
    StopRequest& operator=(const StopRequest&) = delete;

    /// The signal that came; 0 for none.
    [[nodiscard]] int signal() const;
};

}  // namespace npunet::cli
