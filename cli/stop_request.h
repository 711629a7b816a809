// Ctrl-C, kill and a terminal that goes as a request to stop in good order.
//
//     const StopRequest stop;                    // from here on the signals only ask
//     while (!stop.signal()) work();
//     if (stop.signal()) throw Stopped(stop.signal());
//
// The second signal of a kind, half a second or more after the first, does what it would without
// this: it ends the process at once (clean_ending.h).
#pragma once

#include <signal.h>

#include <array>
#include <stdexcept>
#include <string>

namespace npunet::cli {

/// Those that end a program.
inline constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};

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

/// Catches the signals while it lives, but for a SIGHUP that is ignored (nohup). One at a time in a
/// process.
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
