// The two helps of a command: --help with what most people need, in at most 40 lines, and
// --help-all with every option under all its names.
//
//     add_short_help(*command, {{"Machine", {{"--network", "FILE", ""}, {"--jobs", "N",
//     "Threads"}}}});
//
// A command with few options declares nothing: --help then shows them all, each under its first
// name, without those of `further_group` and of groups that end in "own names".
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace npunet::cli {

/// The group of options that only --help-all shows.
inline constexpr const char* further_group = "Further options";

/// One entry of --help.
struct HelpEntry {
    std::string names;  ///< "--dp,--tp": options of the command
    std::string value;  ///< "N"; empty for a switch
    std::string text;   ///< empty: the description of the (first) option
};

struct HelpSection {
    std::string title;
    std::vector<HelpEntry> entries;
};

/// Both helps, wrapped to 100 columns. Subcommands inherit it.
class HelpText : public CLI::Formatter {
public:
    explicit HelpText(std::vector<HelpSection> sections = {}) : sections_(std::move(sections)) {}

    /// `mode`: All for --help-all.
    std::string make_help(const CLI::App* command, std::string name,
                          CLI::AppFormatMode mode) const override;
    std::string make_subcommand(const CLI::App* command) const override;
    std::string make_option(const CLI::Option* option, bool positional) const override;

private:
    [[nodiscard]] std::string every_option(const CLI::App& command) const;
    [[nodiscard]] std::string sections(const CLI::App& command) const;

    std::vector<HelpSection> sections_;
};

/// Makes the sections the --help of a command whose options and subcommands have been added.
/// Throws CLI::OptionNotFound for a name that is no option of it.
void add_short_help(CLI::App& command, std::vector<HelpSection> sections);

}  // namespace npunet::cli
