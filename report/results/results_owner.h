// Whose results lie in a folder: commands that leave results write into a document of theirs, under
// "command", which command line made them, so that no other one writes over them unasked.
//
//     const ResultsOwner owner{"npunet simulate --network ring.yml", "results.json"};
//     owner.check("out");                   // throws InputError
//     ...
//     owner.discard_others(staged, "out");  // before commit(): with --force they may be there
#pragma once

#include <filesystem>
#include <string>

#include "base/staged_folder.h"

namespace npunet::report {

/// A command that writes results.
struct ResultsOwner {
    std::string command;   ///< as it can be typed again
    std::string document;  ///< its own that names the command: "results.json"
    bool force = false;    ///< whether it may write over those of another command

    /// Unless with force throws InputError that names both commands when the folder holds the
    /// results of another one, or such that do not say whose they are. Nothing else in it matters.
    void check(const std::filesystem::path& folder) const;

    /// The same for a sweep, whose journal tells what is its own.
    void check_of_sweep(const std::filesystem::path& folder) const;

    /// Checks once more, as a run can take long: results that another command has put into the
    /// folder meanwhile stay, and those of this one are kept in a folder inside it, which the error
    /// names. At commit() the documents of other commands go, lest they claim what has been
    /// replaced.
    void discard_others(StagedFolder& staged, const std::filesystem::path& folder) const;

    /// The same at once, for a sweep, which writes into its folder from the beginning.
    void remove_others(const std::filesystem::path& folder) const;
};

}  // namespace npunet::report
