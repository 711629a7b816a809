#include "cli/command/commands.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command/command_text.h"
#include "cli/command/option_values.h"
#include "cli/command/parse_errors.h"
#include "cli/program.h"

namespace npunet::cli {

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    const auto every = [](const CLI::App*) { return true; };
    return app.get_subcommands(every);
}

/// "--a", "-b": an option's names with their dashes, long ones last.
std::vector<std::string> flags_of(const CLI::Option& option) {
    std::vector<std::string> flags;
    for (const std::string& name : option.get_snames()) {
        flags.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        flags.push_back("--" + name);
    }
    return flags;
}

/// A command or subcommand, identified in completions by the words that lead to it.
struct Level {
    std::string path;  ///< "npunet generate"
    const CLI::App* app;
};

void add_levels(const CLI::App& app, const std::string& path, std::vector<Level>& levels) {
    levels.push_back({path, &app});
    for (const CLI::App* below : commands_of(app)) {
        add_levels(*below, path + " " + below->get_name(), levels);
    }
}

std::vector<Level> levels_of(const CLI::App& program) {
    std::vector<Level> levels;
    add_levels(program, "npunet", levels);
    return levels;
}

/// The quoted paths of all levels but the first.
std::string quoted_paths(const std::vector<Level>& levels, const char* between) {
    std::vector<std::string> paths;
    for (std::size_t i = 1; i < levels.size(); ++i) {
        paths.push_back("'" + levels[i].path + "'");
    }
    return fmt::format("{}", fmt::join(paths, between));
}

/// Single-quoted for a shell, with a backslash in front of each of the characters in `doubled`.
std::string quoted(const std::string& text, const char* doubled, const char* quote) {
    std::string result = "'";
    for (const char character : text) {
        if (character == '\'') {
            result += quote;
        } else {
            result += std::string(doubled).find(character) == std::string::npos ? "" : "\\";
            result += character;
        }
    }
    return result + "'";
}

/// The generated functions follow the words typed so far to a subcommand and offer its options and
/// subcommands, or files if none matches.
void complete_in_bash(const CLI::App& program, std::ostream& out) {
    const std::vector<Level> levels = levels_of(program);
    fmt::print(out,
               "_npunet() {{\n"
               "    local path=npunet words= i\n"
               "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
               "        case \"$path ${{COMP_WORDS[i]}}\" in\n"
               "            {}) path=\"$path ${{COMP_WORDS[i]}}\" ;;\n"
               "        esac\n"
               "    done\n"
               "    case \"$path\" in\n",
               quoted_paths(levels, " | "));
    for (const Level& level : levels) {
        std::vector<std::string> words;
        for (const CLI::App* below : commands_of(*level.app)) {
            words.push_back(below->get_name());
        }
        for (const CLI::Option* option : level.app->get_options()) {
            const std::vector<std::string> flags = flags_of(*option);
            words.insert(words.end(), flags.begin(), flags.end());
        }
        fmt::print(out, "        '{}') words='{}' ;;\n", level.path, fmt::join(words, " "));
    }
    fmt::print(out,
               "    esac\n"
               "    COMPREPLY=($(compgen -W \"$words\" -- \"${{COMP_WORDS[COMP_CWORD]}}\"))\n"
               "}}\n"
               "complete -o default -F _npunet npunet\n");
}

void complete_in_zsh(const CLI::App& program, std::ostream& out) {
    const std::vector<Level> levels = levels_of(program);
    const auto offer = [&out](const std::string& word, const std::string& description) {
        fmt::print(out, " {}", quoted(word + ":" + description, "", "'\\''"));
    };
    fmt::print(out,
               "#compdef npunet\n"
               "_npunet() {{\n"
               "    local at=npunet i\n"
               "    local -a offered\n"
               "    for ((i = 2; i < CURRENT; i++)); do\n"
               "        case \"$at ${{words[i]}}\" in\n"
               "            {}) at=\"$at ${{words[i]}}\" ;;\n"
               "        esac\n"
               "    done\n"
               "    case \"$at\" in\n",
               quoted_paths(levels, " | "));
    for (const Level& level : levels) {
        fmt::print(out, "        '{}') offered=(", level.path);
        for (const CLI::App* below : commands_of(*level.app)) {
            offer(below->get_name(), below->get_description());
        }
        for (const CLI::Option* option : level.app->get_options()) {
            for (const std::string& flag : flags_of(*option)) {
                offer(flag, option->get_description());
            }
        }
        fmt::print(out, ") ;;\n");
    }
    // Loaded by compinit, the file is the body of the function; when sourced, it has to register
    // itself.
    fmt::print(out,
               "    esac\n"
               "    _describe npunet offered || _files\n"
               "}}\n"
               "if [ \"$funcstack[1]\" = _npunet ]; then\n"
               "    _npunet\n"
               "else\n"
               "    compdef _npunet npunet\n"
               "fi\n");
}

void complete_in_fish(const CLI::App& program, std::ostream& out) {
    const std::vector<Level> levels = levels_of(program);
    const auto text = [](const std::string& words) { return quoted(words, "\\", "\\'"); };
    fmt::print(out,
               "function __npunet_is_at\n"
               "    set -l at npunet\n"
               "    set -l words (commandline -opc)\n"
               "    set -e words[1]\n"
               "    for word in $words\n"
               "        if contains -- \"$at $word\" {}\n"
               "            set at \"$at $word\"\n"
               "        end\n"
               "    end\n"
               "    test \"$at\" = \"$argv\"\n"
               "end\n",
               quoted_paths(levels, " "));
    for (const Level& level : levels) {
        const std::string start =
            fmt::format("complete -c npunet -n '__npunet_is_at {}'", level.path);
        for (const CLI::App* below : commands_of(*level.app)) {
            fmt::print(out, "{} -a {} -d {}\n", start, below->get_name(),
                       text(below->get_description()));
        }
        for (const CLI::Option* option : level.app->get_options()) {
            if (!option->nonpositional()) {
                continue;
            }
            std::string names;
            for (const std::string& name : option->get_snames()) {
                names += " -s " + name;
            }
            for (const std::string& name : option->get_lnames()) {
                names += " -l " + name;
            }
            fmt::print(out, "{}{}{} -d {}\n", start, names,
                       option->get_items_expected_max() > 0 ? " -r" : "",
                       text(option->get_description()));
        }
    }
}

/// Text that troff takes as it is.
std::string roff(const std::string& text) {
    std::string result;
    bool line_begins = true;
    for (const char character : text) {
        if (line_begins && (character == '.' || character == '\'')) {
            result += "\\&";
        }
        if (character == '\\') {
            result += "\\e";
        } else if (character == '-') {
            result += "\\-";
        } else {
            result += character;
        }
        line_begins = character == '\n';
    }
    return result;
}

void describe_command(const CLI::App& command, const std::string& path, std::ostream& out) {
    fmt::print(out, ".SH {}\n{}\n", roff(path), roff(command.get_description()));
    for (const CLI::Option* option : command.get_options()) {
        const std::vector<std::string> flags = flags_of(*option);
        std::string term = fmt::format("{}", fmt::join(flags, ", "));
        if (flags.empty()) {
            term = option->get_name();
        } else if (option->get_items_expected_max() > 0) {
            term += " " + option->get_type_name();
        }
        fmt::print(out, ".TP\n.B {}\n{}\n", roff(term), roff(option->get_description()));
    }
    if (!command.get_footer().empty()) {
        fmt::print(out, ".PP\n.nf\n{}\n.fi\n", roff(command.get_footer()));
    }
    for (const CLI::App* below : commands_of(command)) {
        describe_command(*below, path + " " + below->get_name(), out);
    }
}

void write_manual(const CLI::App& program, std::ostream& out) {
    fmt::print(out,
               ".TH NPUNET 1 \"\" \"npunet {}\" \"User commands\"\n"
               ".SH NAME\nnpunet \\- training of large models on networks of NPUs, simulated\n"
               ".SH SYNOPSIS\n.B npunet\n.I COMMAND\n[OPTIONS]\n"
               ".SH DESCRIPTION\n{}\n"
               ".SH EXIT STATUS\n"
               ".TP\n0\ndone\n.TP\n1\nan internal error\n.TP\n2\nbad input\n"
               ".TP\n3\nthe simulation stalled\n.TP\n4\nan I/O error, or no memory\n"
               ".TP\n128 + N\nstopped by signal N\n",
               version(), roff(program.get_description()));
    for (const CLI::App* command : commands_of(program)) {
        describe_command(*command, "npunet " + command->get_name(), out);
    }
}

}  // namespace

void add_completion_command(CLI::App& program, CommandContext& context) {
    CLI::App* const command =
        program.add_subcommand("completion", "Print a shell completion script");
    const auto shell = std::make_shared<std::string>("bash");
    command->add_option("SHELL", *shell, "The shell")
        ->check(one_of({"bash", "zsh", "fish"}))
        ->capture_default_str();
    command->footer("Example, for 'source' in bash:\n  npunet completion > npunet-completion.bash");
    command->callback([&program, &context, shell] {
        const auto complete = *shell == "zsh"    ? complete_in_zsh
                              : *shell == "fish" ? complete_in_fish
                                                 : complete_in_bash;
        complete(program, context.out);
    });
}

void add_help_command(CLI::App& program, CommandContext& context) {
    CLI::App* const command = program.add_subcommand("help", "Explain a command, as --help does");
    const auto words = std::make_shared<std::vector<std::string>>();
    command->add_option("COMMAND", *words, "The command; without one, npunet itself");
    command->footer("Example:\n  npunet help generate transformer");
    command->callback([&program, &context, words] {
        const CLI::App& level = subcommand_of(program, *words);
        context.out << level.get_formatter()->make_help(&level, path_of(level),
                                                        CLI::AppFormatMode::Normal);
    });
}

void add_manual_command(CLI::App& program, CommandContext& context) {
    CLI::App* const command = program.add_subcommand("manual", "Print the manual page");
    command->footer("Example:\n  npunet manual | man -l -");
    command->callback([&program, &context] { write_manual(program, context.out); });
}

}  // namespace npunet::cli
