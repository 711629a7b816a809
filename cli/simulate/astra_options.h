// ASTRA-sim's own names of the options of `simulate`, so that its scripts run with the program's
// name changed and nothing else.
//
//     AstraOptions astra;
//     astra.add_to(command);              // beside RunInputs::add_to()
//     astra.apply(inputs);                // before the inputs are used
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "cli/simulate/run_inputs.h"

namespace npunet::cli {

class AstraOptions {
public:
    /// This object must outlive `command`.
    void add_to(CLI::App& command);

    /// When one of the names stands on the command line: takes over the files, selects the dialect
    /// astra-sim-2025-03 unless --dialect was given, and leaves nothing but log lines on stdout and
    /// stderr. Throws InputError for a file named twice and for a setting that is not offered.
    void apply(RunInputs& inputs) const;

private:
    /// An option that we accept only where it changes nothing.
    struct Setting {
        const CLI::Option* option;
        std::string value;
        std::vector<std::string> neutral;
    };

    [[nodiscard]] bool given() const;
    void add_file(CLI::App& command, const std::string& name, const std::string& ours);
    void add_setting(CLI::App& command, const std::string& name, std::vector<std::string> neutral);

    struct File {
        const CLI::Option* option;
        std::string path;
    };
    std::map<std::string, File> files_;        ///< by our name
    std::map<std::string, Setting> settings_;  ///< by name
};

}  // namespace npunet::cli
