#include "cli/command/command_text.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace npunet::cli {

namespace {

constexpr std::array<std::string_view, 9> without_a_say = {"--jobs",  "--quiet",      "--json",
                                                           "--force", "--output-dir", "--restart",
                                                           "--mpi",   "--full",       "--timeline"};

/// One word, quoted for a POSIX shell if necessary.
std::string shell_word(const std::string& text) {
    constexpr std::string_view harmless =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+%@";
    if (!text.empty() && text.find_first_not_of(harmless) == std::string::npos) {
        return text;
    }
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return quoted + "'";
}

}  // namespace

std::string path_of(const CLI::App& level) {
    return level.get_parent() == nullptr ? level.get_name()
                                         : path_of(*level.get_parent()) + " " + level.get_name();
}

bool decides_results(const CLI::Option& option) {
    return option.count() > 0 && std::find(without_a_say.begin(), without_a_say.end(),
                                           option.get_name()) == without_a_say.end();
}

std::string command_text(const CLI::App& command) {
    std::string text = path_of(command);
    for (const CLI::Option* option : command.get_options()) {
        if (!decides_results(*option)) {
            continue;
        }
        if (option->get_expected_max() == 0) {  // a flag
            const std::string& state = option->results().back();
            text += ' ' + option->get_name() + (state == "true" ? "" : "=" + state);
            continue;
        }
        for (const std::string& value : option->results()) {
            if (option->nonpositional()) {
                text += ' ' + option->get_name();
            }
            text += ' ' + shell_word(value);
        }
    }
    return text;
}

}  // namespace npunet::cli
