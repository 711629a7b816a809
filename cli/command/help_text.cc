#include "cli/command/help_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

#include "cli/command/command_text.h"

namespace npunet::cli {

namespace {

constexpr std::size_t most_columns = 100;
constexpr std::size_t text_column = 30;

/// The words of a text behind `line`, in lines that fit a terminal; `column`: where further lines
/// begin.
std::string wrapped(std::string line, const std::string& text, std::size_t column) {
    std::string result;
    bool empty = true;
    std::istringstream words(text);
    for (std::string word; words >> word; empty = false) {
        if (!empty && line.size() + 1 + word.size() > most_columns) {
            result += line + '\n';
            line.assign(column, ' ');
            empty = true;
        }
        line += (empty ? "" : " ") + word;
    }
    return result + line + '\n';
}

/// Two columns.
std::string entry(const std::string& left, const std::string& text) {
    std::string result;
    std::string line = "  " + left;
    if (line.size() + 1 > text_column) {
        result = std::exchange(line, "") + '\n';
    }
    line.resize(text_column, ' ');
    return result + wrapped(std::move(line), text, text_column);
}

bool only_in_full(const CLI::Option& option) {
    const std::string& group = option.get_group();
    const std::string own_names = "own names";
    return group == further_group || (group.size() > own_names.size() &&
                                      group.substr(group.size() - own_names.size()) == own_names);
}

bool is_help(const CLI::App& command, const CLI::Option* option) {
    return option == command.get_help_ptr() || option == command.get_help_all_ptr();
}

/// "--causal-flops {full,half}=full" and what it means.
std::string short_entry(const CLI::Option& option) {
    constexpr std::size_t longest_list = 40;
    std::string left = option.get_name(option.get_positional());
    std::string text = option.get_description();
    if (option.get_type_size() == 0) {
        return entry(left, text);
    }
    std::string type = option.get_type_name();
    const std::size_t colon = type.find(':');
    if (colon != std::string::npos && type.compare(colon, 2, ":{") == 0) {
        type.erase(0, colon + 1);
        if (type.size() > longest_list) {
            std::istringstream words(type.substr(1, type.size() - 2));
            const char* between = ": ";
            for (std::string word; std::getline(words, word, ','); between = ", ") {
                text += between + word;
            }
            type = "NAME";
        }
    } else if (type != "NAME:COUNT") {
        type = type.substr(0, colon);
    }
    const std::string& standard = option.get_default_str();
    left += ' ' + type + (standard.empty() ? "" : '=' + standard);
    left += option.get_expected_max() >= CLI::detail::expected_max_vector_size ? " ..." : "";
    return entry(left + (option.get_required() ? " REQUIRED" : ""), text);
}

/// The options of --help without sections, and whether they are all.
std::pair<std::string, bool> main_options(const CLI::App& command) {
    std::vector<std::pair<std::string, std::string>> groups{{"Positionals", ""}};
    bool complete = true;
    for (const CLI::Option* option : command.get_options()) {
        if (only_in_full(*option)) {
            complete = false;
        } else if (!is_help(command, option)) {
            const std::string group =
                option->get_positional() ? groups.front().first : option->get_group();
            auto at = std::find_if(groups.begin(), groups.end(),
                                   [&group](const auto& one) { return one.first == group; });
            at = at == groups.end() ? groups.insert(at, {group, ""}) : at;
            at->second += short_entry(*option);
        }
    }
    std::string text;
    for (const auto& [group, entries] : groups) {
        text += entries.empty() ? "" : '\n' + group + ":\n" + entries;
    }
    return {text, complete};
}

/// The examples, which end the text below the options.
std::string examples_of(const std::string& footer) {
    const std::size_t at = footer.rfind("Example");
    return at == std::string::npos ? footer : footer.substr(at);
}

}  // namespace

std::string HelpText::make_subcommand(const CLI::App* command) const {
    return entry(command->get_name(), command->get_description());
}

std::string HelpText::make_option(const CLI::Option* option, bool positional) const {
    return entry(make_option_name(option, positional) + make_option_opts(option),
                 option->get_description());
}

std::string HelpText::every_option(const CLI::App& command) const {
    std::string text = make_positionals(&command);
    for (const std::string& group : command.get_groups()) {
        const std::vector<const CLI::Option*> options =
            command.get_options([&group](const CLI::Option* option) {
                return option->get_group() == group && option->nonpositional();
            });
        text += options.empty() ? "" : make_group(group, false, options);
    }
    return text;
}

std::string HelpText::sections(const CLI::App& command) const {
    std::string text;
    for (const HelpSection& section : sections_) {
        text += '\n' + section.title + ":\n";
        for (const HelpEntry& each : section.entries) {
            const std::string first = each.names.substr(0, each.names.find(','));
            text +=
                entry(each.names + (each.value.empty() ? "" : " " + each.value),
                      each.text.empty() ? command.get_option(first)->get_description() : each.text);
        }
    }
    return text;
}

std::string HelpText::make_help(const CLI::App* command, std::string name,
                                CLI::AppFormatMode mode) const {
    std::string text =
        wrapped("", command->get_description(), 0) + make_usage(command, std::move(name));
    const std::string& footer = command->get_footer();
    if (mode == CLI::AppFormatMode::All) {
        return text + every_option(*command) +
               make_subcommands(command, CLI::AppFormatMode::Normal) + '\n' + footer + '\n';
    }
    const auto [options, complete] =
        sections_.empty() ? main_options(*command) : std::pair{sections(*command), false};
    const std::string examples = examples_of(footer);
    text +=
        options + make_subcommands(command, CLI::AppFormatMode::Normal) + '\n' + examples + '\n';
    if (!complete || examples.size() < footer.size()) {
        text += "\nAll options: " + path_of(*command) + " --help-all\n";
    }
    return text;
}

void add_short_help(CLI::App& command, std::vector<HelpSection> sections) {
    for (const HelpSection& section : sections) {
        for (const HelpEntry& each : section.entries) {
            std::istringstream names(each.names);
            for (std::string name; std::getline(names, name, ',');) {
                static_cast<void>(command.get_option(name));
            }
        }
    }
    command.formatter(std::make_shared<HelpText>(std::move(sections)));
}

}  // namespace npunet::cli
