// Turns SIGINT, SIGTERM and SIGHUP into a request to stop in an orderly way.
//
//     const StopRequest stop;                    // from here on signals only set a flag
//     while (!stop.signal()) work();
//     if (stop.signal()) throw Stopped(stop.signal());
//
// A second signal of the same kind, half a second or more after the first, ends the process at once
// (cleanup_on_signal.h).
#pragma once

#include <signal.h>

#include <array>
#include <stdexcept>
#include <string>

namespace npunet::cli {

/// The signals that end a program.
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

/// Handles the signals while it lives, except a SIGHUP that is ignored (nohup). At most one at a
/// time in a process.
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
