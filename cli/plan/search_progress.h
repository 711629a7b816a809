// What a long search says while it works, and whether Ctrl-C has asked it to stop.
//
//     SearchProgress progress(context, quiet, "inter-stage plans");
//     search([&](auto done, auto total) { return progress.update(done, total); });
//     progress.end();                          // throws Stopped when it was asked to stop
#pragma once

#include <cstdint>
#include <string>

#include "cli/command/commands.h"
#include "cli/console/progress_line.h"
#include "cli/console/stop_request.h"

namespace npunet::cli {

class SearchProgress {
public:
    SearchProgress(CommandContext& context, bool quiet, std::string what);

    /// `total` 0: unknown. False: stop. A search that is done when it first calls says
    /// nothing.
    bool update(std::uint64_t done, std::uint64_t total);

    /// A stop was requested. Any thread may ask.
    [[nodiscard]] bool is_stopped() const { return stop_.signal() != 0; }
    /// The search is over. Throws Stopped.
    void end();

private:
    StopRequest stop_;
    ProgressLine line_;
    std::string what_;
    bool started_ = false;
};

}  // namespace npunet::cli
