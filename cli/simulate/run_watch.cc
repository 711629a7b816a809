#include "cli/simulate/run_watch.h"

#include <fmt/format.h>

#include "base/units.h"

namespace npunet::cli {

namespace {

/// Shorter runs show no progress.
constexpr std::chrono::seconds quiet_for{3};

}  // namespace

RunWatch::RunWatch(std::ostream& log, RunLimits limits, bool quiet)
    : limits_(limits), begin_(Clock::now()), progress_(log, quiet) {}

std::function<std::string(const study::RunProgress&)> RunWatch::function(const std::string& whose) {
    return [this, what = "nodes of the traces" + whose](const study::RunProgress& progress) {
        show(what, progress.done, progress.nodes, progress.share,
             "at " + format_time(progress.now) + " of the step");
        return reason_to_stop();
    };
}

bool RunWatch::goes_on(const std::string& what, std::uint64_t done, std::uint64_t total) {
    show(what, done, total, total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total),
         "");
    return reason_to_stop().empty();
}

std::string RunWatch::reason_to_stop() const {
    if (stop_.signal() != 0) {
        return fmt::format("interrupted by signal {}", stop_.signal());
    }
    if (limits_.wall && Clock::now() - begin_ >= *limits_.wall) {
        return "the run has taken " + ProgressLine::format_seconds(limits_.wall->count());
    }
    return "";
}

void RunWatch::show(const std::string& what, std::uint64_t done, std::uint64_t total, double share,
                    const std::string& also) {
    if (shown_.empty() && Clock::now() - begin_ < quiet_for) {
        return;
    }
    if (shown_ != what) {
        shown_ = what;
        progress_.start(what, total, 0);
    }
    progress_.to(done, share, also);
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
