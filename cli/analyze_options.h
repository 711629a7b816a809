// What `npunet analyze` is asked for.
#pragma once

#include <string>
#include <vector>

#include "analysis/patterns.h"
#include "analysis/profile_folder.h"
#include "analysis/run_profile.h"

namespace npunet::cli {

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

}  // namespace npunet::cli
