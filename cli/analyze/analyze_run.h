// Reads and measures the profiles of a folder, several at a time, and writes what the options ask
// for into a folder.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analysis/patterns.h"
#include "analysis/profile_folder.h"
#include "analysis/run_profile.h"

namespace npunet::cli {

/// What `npunet analyze` is asked for.
struct AnalyzeOptions {
    std::string folder;
    std::string groups_file;  ///< empty: looked for
    std::string patterns_file;
    std::string dialect = "npunet";
    std::string alignment = "global";
    std::vector<std::string> formats;  ///< empty: the dialect's own
    std::vector<std::string> files;    ///< of the reference's tables; empty: all
    std::string output_dir;
    analysis::ProfileChoice choice;
    std::size_t threads = 0;  ///< 0: as the machine has cores
    bool kernels = false;
    bool strict = false;
    bool arrange = false;
    bool json = false;
    bool quiet = false;
    bool force = false;
    std::string command;  ///< command line to run again; empty without output_dir

    [[nodiscard]] bool traceviz() const { return dialect == "traceviz"; }
};

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
