// Limits of a run, its progress, and Ctrl-C as a request to break it off in good order.
//
//     RunWatch watch(context.log, limits, quiet);
//     run_options.watch = watch.function();
//     ... simulate and write the results ...
//     watch.check(results);            // throws where they are partial
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>

#include "base/quantities.h"
#include "cli/console/progress_line.h"
#include "cli/console/stop_request.h"
#include "engine/results/results.h"
#include "study/simulation_run.h"

namespace npunet::cli {

struct RunLimits {
    std::optional<Time> simulated;                      ///< --max-sim-time
    std::optional<std::chrono::duration<double>> wall;  ///< --max-wall-time
};

/// A run that has come to a limit of its user's; its results are partial.
class LimitReached : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class RunWatch {
public:
    RunWatch(std::ostream& log, RunLimits limits, bool quiet);

    /// For study::RunOptions::watch, as long as this lives. `whose`: added to the progress text if
    /// there are several runs, such as ", analytical".
    [[nodiscard]] std::function<std::string(const study::RunProgress&)> function(
        const std::string& whose = "");

    /// The same for other kinds of work: `done` of `total` `what` are finished. False: stop.
    [[nodiscard]] bool goes_on(const std::string& what, std::uint64_t done, std::uint64_t total);

    /// The signal that was received; 0 for none.
    [[nodiscard]] int signal() const { return stop_.signal(); }
    /// Throws Stopped after a signal, and LimitReached after a limit.
    void check(const engine::Results& results) const;

private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] std::string reason_to_stop() const;

    RunLimits limits_;
    Clock::time_point begin_;
    void show(const std::string& what, std::uint64_t done, std::uint64_t total, double share,
              const std::string& also);

    std::string shown_;  ///< work whose progress is shown; not for short runs
    ProgressLine progress_;
    StopRequest stop_;
};

}  // namespace npunet::cli
