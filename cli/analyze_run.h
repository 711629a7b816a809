// Reads and measures the profiles of a folder, several at a time, and writes what the options ask
// for into a folder.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "cli/analyze_options.h"

namespace npunet::cli {

/// One RunProfile for each iteration. `outputs`: where files go, empty for none; `done` is called,
/// by one thread at a time, when a profile was read. The result does not depend on the number of
/// threads.
[[nodiscard]] std::vector<analysis::RunProfile> analyze(
    const AnalyzeOptions& options, const std::vector<analysis::Iteration>& iterations,
    const std::filesystem::path& outputs, const std::function<void()>& done);

/// Makes outputs/iteration_N/rank_RRRR_iter_N.pt.trace.json[.gz|.zst], links to the profiles of
/// flat folders, N being the number in the iteration's name or its place, and a link to its file of
/// groups. Gives the number of links to profiles.
std::size_t arrange(const std::vector<analysis::Iteration>& iterations,
                    const std::filesystem::path& outputs);

}  // namespace npunet::cli
