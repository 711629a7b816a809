#include "cli/run_watch.h"

#include <fmt/format.h>

#include "base/units.h"

namespace npunet::cli {

namespace {

/// Shorter runs show no progress.
constexpr std::chrono::seconds quiet_for{3};

}  // namespace

RunWatch::RunWatch(std::ostream& log, RunLimits limits, bool quiet)
    : limits_(limits), begin_(Clock::now()), progress_(log, quiet) {}

std::function<std::string(Time, std::uint64_t, std::uint64_t)> RunWatch::function() {
    return [this](Time now, std::uint64_t done, std::uint64_t nodes) {
        return look(now, done, nodes);
    };
}

std::string RunWatch::look(Time now, std::uint64_t done, std::uint64_t nodes) {
    if (stop_.signal() != 0) {
        return fmt::format("signal {} came", stop_.signal());
    }
    const Clock::duration elapsed = Clock::now() - begin_;
    if (limits_.wall && elapsed >= *limits_.wall) {
        return "the run has taken " + ProgressLine::format_seconds(limits_.wall->count());
    }
    if (!shows_ && elapsed >= quiet_for) {
        shows_ = true;
        progress_.start("nodes of the traces", nodes, 0);
    }
    if (shows_) {
        progress_.to(done, "at " + format_time(now) + " of the step");
    }
    return "";
}

void RunWatch::check(const engine::Results& results) const {
    if (!results.partial) {
        return;
    }
    const std::string message =
        fmt::format("{}; the results are partial, up to {}", engine::describe(*results.partial),
                    format_time(results.partial->at));
    if (stop_.signal() != 0) {
        throw Stopped(stop_.signal(), message);
    }
    throw LimitReached(message);
}

}  // namespace npunet::cli
