#include "cli/describe_commands.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <string>
#include <vector>

#include "cli/version.h"

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

void complete_command(const CLI::App& command, const std::string& path, std::ostream& out) {
    std::vector<std::string> words;
    for (const CLI::App* below : commands_of(command)) {
        words.push_back(below->get_name());
    }
    for (const CLI::Option* option : command.get_options()) {
        const std::vector<std::string> flags = flags_of(*option);
        words.insert(words.end(), flags.begin(), flags.end());
    }
    fmt::print(out, "        '{}') words='{}' ;;\n", path, fmt::join(words, " "));
    for (const CLI::App* below : commands_of(command)) {
        complete_command(*below, path + " " + below->get_name(), out);
    }
}

void list_paths(const CLI::App& command, const std::string& path, std::vector<std::string>& paths) {
    for (const CLI::App* below : commands_of(command)) {
        paths.push_back(fmt::format("'{} {}'", path, below->get_name()));
        list_paths(*below, path + " " + below->get_name(), paths);
    }
}

/// Follows the words so far down to a subcommand, and offers that one's options and subcommands;
/// where none fits, files.
void write_completion(const CLI::App& program, std::ostream& out) {
    std::vector<std::string> paths;
    list_paths(program, "npunet", paths);
    fmt::print(out,
               "_npunet() {{\n"
               "    local path=npunet words= i\n"
               "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
               "        case \"$path ${{COMP_WORDS[i]}}\" in\n"
               "            {}) path=\"$path ${{COMP_WORDS[i]}}\" ;;\n"
               "        esac\n"
               "    done\n"
               "    case \"$path\" in\n",
               fmt::join(paths, " | "));
    complete_command(program, "npunet", out);
    fmt::print(out,
               "    esac\n"
               "    COMPREPLY=($(compgen -W \"$words\" -- \"${{COMP_WORDS[COMP_CWORD]}}\"))\n"
               "}}\n"
               "complete -o default -F _npunet npunet\n");
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
        program.add_subcommand("completion", "Print what makes bash complete commands and options");
    command->footer("Example, for 'source' in bash:\n  npunet completion > npunet-completion.bash");
    command->callback([&program, &context] { write_completion(program, context.out); });
}

void add_manual_command(CLI::App& program, CommandContext& context) {
    CLI::App* const command = program.add_subcommand("manual", "Print the manual page");
    command->footer("Example:\n  npunet manual | man -l -");
    command->callback([&program, &context] { write_manual(program, context.out); });
}

}  // namespace npunet::cli
