// Limits of a run, its progress, and Ctrl-C as a request to break it off in good order.
//
//     RunWatch watch(context.log, limits, quiet);
//     run_options.watch = watch.function();
//     ... simulate and write the results ...
//     watch.check(results);            // throws where they are partial
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>

#include "base/quantities.h"
#include "cli/progress_line.h"
#include "cli/stop_request.h"
#include "engine/results.h"

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

    /// For study::RunOptions::watch, as long as this lives.
    [[nodiscard]] std::function<std::string(Time, std::uint64_t, std::uint64_t)> function();

    /// Throws Stopped after a signal, and LimitReached after a limit.
    void check(const engine::Results& results) const;

private:
    using Clock = std::chrono::steady_clock;

    std::string look(Time now, std::uint64_t done, std::uint64_t nodes);

    RunLimits limits_;
    Clock::time_point begin_;
    bool shows_ = false;  ///< progress, which short runs do not
    ProgressLine progress_;
    StopRequest stop_;
};

}  // namespace npunet::cli
