#include "cli/plan/search_progress.h"

#include <utility>

namespace npunet::cli {

SearchProgress::SearchProgress(CommandContext& context, bool quiet, std::string what)
    : line_(context.log, quiet), what_(std::move(what)) {}

bool SearchProgress::update(std::uint64_t done, std::uint64_t total) {
    if (!started_ && done != total) {
        started_ = true;
        line_.start(what_, total, 0);
    }
    if (started_) {
        line_.to(done);
    }
    return stop_.signal() == 0;
}

void SearchProgress::end() {
    if (started_) {
        line_.end();
        started_ = false;
    }
    if (stop_.signal() != 0) {
        throw Stopped(stop_.signal(), "only a part was searched, and nothing is printed of it");
    }
}

}  // namespace npunet::cli
