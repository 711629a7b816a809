#include "help.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/program.h"

namespace npunet::docs_test {

namespace {

std::vector<std::string> words(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

/// "--npus,--ranks" or "NETWORK".
void add_names(const std::string& word, HelpLevel& level) {
    std::istringstream stream(word);
    for (std::string name; std::getline(stream, name, ',');) {
        if (name != "-h" && name != "--help" && name != "--help-all") {
            level.names.insert(name);
        }
    }
}

/// The entries of the help begin with two blanks; explanations on lines of their own with more.
bool is_entry(const std::string& line) {
    return line.size() > 2 && line.substr(0, 2) == "  " && line[2] != ' ';
}

/// Appends the level of `path` and those below it.
void collect(const std::string& path, std::vector<HelpLevel>& levels) {
    std::ostringstream out;
    std::ostringstream log;
    std::vector<std::string> arguments = words(path + " --help-all");
    arguments.erase(arguments.begin());  // npunet itself
    EXPECT_EQ(cli::run_program(arguments, out, log), 0) << path << ": " << log.str();
    EXPECT_EQ(log.str(), "") << path;
    HelpLevel level{path, {}, {}};
    std::vector<std::string> below;
    std::string heading;
    std::istringstream stream(out.str());
    for (std::string line; std::getline(stream, line);) {
        level.lines.push_back(line);
        if (!line.empty() && line.front() != ' ') {
            heading = line;
        } else if (is_entry(line) && heading == "Subcommands:") {
            below.push_back(path + " " + words(line).front());
        } else if (is_entry(line) && (heading == "Positionals:" || line[2] == '-')) {
            add_names(words(line).front(), level);
        }
    }
    levels.push_back(level);
    for (const std::string& name : below) {
        collect(name, levels);
    }
}

}  // namespace

std::vector<HelpLevel> help_levels() {
    std::vector<HelpLevel> levels;
    collect("npunet", levels);
    return levels;
}

}  // namespace npunet::docs_test
