#include "cli/command/parse_errors.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.h"
#include "cli/command/command_text.h"

namespace npunet::cli {

namespace {

std::vector<const CLI::App*> subcommands_of(const CLI::App& level) {
    return level.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
    std::vector<std::string> names;
    for (const CLI::App* command : commands) {
        names.push_back(command->get_name());
    }
    return names;
}

InputError bad_subcommand(const CLI::App& level, const std::string& found) {
    const std::vector<std::string> names = names_of(subcommands_of(level));
    const std::string near = did_you_mean(found, names, "'");
    return InputError({path_of(level), "", found.empty() ? "no subcommand" : "'" + found + "'",
                       fmt::format("one of {}", fmt::join(names, ", ")),
                       near.empty() ? path_of(level) + " --help explains them" : near});
}

/// The level whose options stand on the command line.
const CLI::App& deepest_parsed(const CLI::App& program) {
    const CLI::App* level = &program;
    while (!level->get_subcommands().empty()) {
        level = level->get_subcommands().back();
    }
    return *level;
}

std::string help_of(const CLI::App& level) {
    return path_of(level) + " --help-all lists the options";
}

InputError unknown_argument(const CLI::App& level, const std::vector<std::string>& remaining) {
    const auto is_option = [](const std::string& word) { return word.rfind('-', 0) == 0; };
    const auto option = std::find_if(remaining.begin(), remaining.end(), is_option);
    const std::string& found = option == remaining.end() ? remaining.front() : *option;
    const std::string name = found.substr(0, found.find('='));
    std::string near;
    if (option == remaining.end()) {
        const std::string command = nearest(found, names_of(subcommands_of(level)));
        near = command.empty() ? "" : "'" + command + "'";
    } else {
        std::vector<std::string> known;
        for (const CLI::Option* candidate : level.get_options()) {
            const std::vector<std::string>& names = candidate->get_lnames();
            known.insert(known.end(), names.begin(), names.end());
        }
        near = nearest(name.substr(std::min(name.find_first_not_of('-'), name.size())), known);
        near = near.empty() ? "" : "--" + near;
    }
    return InputError(
        {name, "",
         option == remaining.end() ? "a word that belongs to no option" : "an unknown option",
         "an option of " + path_of(level),
         near.empty() ? help_of(level) : "Did you mean " + near + "?"});
}

/// The option that a message of CLI11's begins with; null for none.
const CLI::Option* option_of(const std::string& message, const CLI::App& level) {
    for (const CLI::Option* option : level.get_options()) {
        const std::string name = option->get_name();
        if (message.rfind(name, 0) == 0 &&
            (message.size() == name.size() || message[name.size()] == ':' ||
             message[name.size()] == ' ')) {
            return option;
        }
    }
    return nullptr;
}

InputError bad_option(const CLI::Option& option, const CLI::App& level) {
    const std::size_t values = option.results().size();
    const int least = option.get_items_expected_min();
    return InputError({option.get_name(), "",
                       values == 0 ? "no value" : fmt::format("{} values", values),
                       least == 1 ? "one" : fmt::format("{} of them", least), help_of(level)});
}

/// Values of other options are texts, or have been checked.
InputError bad_switch(const std::string& message, const CLI::App& level) {
    const std::string start = "Could not convert: ";
    const std::string rest = message.rfind(start, 0) == 0 ? message.substr(start.size()) : message;
    const CLI::Option* option = option_of(rest, level);
    return InputError({option == nullptr ? rest : option->get_name(), "", "a value",
                       "none, or true or false: it is a switch", ""});
}

/// Of two options that exclude each other: "--one excludes --other".
InputError both_given(const std::string& message) {
    const std::string word = " excludes ";
    const std::size_t at = message.find(word);
    return InputError({message.substr(0, at) + " and " + message.substr(at + word.size()), "",
                       "both", "one of them", "Leave one out"});
}

}  // namespace

void check_subcommands(const CLI::App& program, const std::vector<std::string>& arguments) {
    const CLI::App* level = &program;
    for (const std::string& word : arguments) {
        if (subcommands_of(*level).empty() || word.rfind('-', 0) == 0) {
            return;
        }
        level = &subcommand_of(*level, {word});
    }
}

const CLI::App& subcommand_of(const CLI::App& program, const std::vector<std::string>& words) {
    const CLI::App* level = &program;
    for (const std::string& word : words) {
        const std::vector<const CLI::App*> commands = subcommands_of(*level);
        const auto command =
            std::find_if(commands.begin(), commands.end(),
                         [&word](const CLI::App* known) { return known->get_name() == word; });
        if (commands.empty()) {
            throw InputError({path_of(*level), "", "'" + word + "'", "nothing more",
                              path_of(*level) + " has no subcommands"});
        }
        if (command == commands.end()) {
            throw bad_subcommand(*level, word);
        }
        level = *command;
    }
    return *level;
}

InputError bad_input_of(const CLI::ParseError& error, const CLI::App& program) {
    const std::string message = error.what();
    const CLI::App& level = deepest_parsed(program);
    if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) {
        // The checks of option_values.h tell everything.
        return InputError({message, "", "", "", ""});
    }
    const bool lacks_something = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
    if (lacks_something || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        // Each level keeps what it does not understand, as the wrong name of what is lacking.
        for (const CLI::App* at = &level; at != nullptr; at = at->get_parent()) {
            if (const std::vector<std::string> remaining = at->remaining(); !remaining.empty()) {
                return unknown_argument(*at, remaining);
            }
        }
    }
    if (lacks_something && !subcommands_of(level).empty()) {
        return bad_subcommand(level, "");
    }
    if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
        return bad_switch(message, level);
    }
    if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {
        return both_given(message);
    }
    if (const CLI::Option* option = option_of(message, level); option != nullptr) {
        return bad_option(*option, level);
    }
    return InputError({message, "", "", "", help_of(level)});
}

}  // namespace npunet::cli
