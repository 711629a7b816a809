// docs/cli.md against --help-all: the same levels, and at each of them the same options.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "help.h"
#include "page.h"

namespace npunet::docs_test {
namespace {

/// The names in the tables of a section and of those sections of the page that it links to.
std::set<std::string> documented(const Page& page, const Section& section) {
    std::set<std::string> names = first_cells(section);
    for (const std::string& line : section.lines) {
        for (const std::string& link : links_of(line)) {
            for (const Section& other : page.sections) {
                if (link == anchor_of(other.title)) {
                    names.merge(first_cells(other));
                }
            }
        }
    }
    return names;
}

// The headings "npunet ..." of the page are the levels of the program.
TEST(CommandLine, EveryLevelHasItsSection) {
    const Page page = read_page("docs/cli.md");
    std::vector<std::string> sections;
    for (const Section& section : page.sections) {
        if (section.title.rfind("npunet", 0) == 0) {
            sections.push_back(section.title);
        }
    }
    std::vector<std::string> levels;
    for (const HelpLevel& level : help_levels()) {
        levels.push_back(level.name);
    }
    EXPECT_THAT(sections, ::testing::UnorderedElementsAreArray(levels));
}

TEST(CommandLine, OptionsAreExactlyThoseOfTheHelp) {
    const Page page = read_page("docs/cli.md");
    std::size_t options = 0;
    for (const HelpLevel& level : help_levels()) {
        SCOPED_TRACE(level.name + " (docs/cli.md first, then --help-all)");
        EXPECT_THAT(documented(page, section_of(page, level.name)),
                    ::testing::ContainerEq(level.names));
        options += level.names.size();
    }
    EXPECT_GT(options, 50U) << "the help was not understood";
}

// Each section of options belongs to some command: none is left over from the past.
TEST(CommandLine, EveryTableIsReached) {
    const Page page = read_page("docs/cli.md");
    std::set<std::string> known;
    for (const HelpLevel& level : help_levels()) {
        known.insert(level.names.begin(), level.names.end());
    }
    for (const Section& section : page.sections) {
        for (const std::string& name : first_cells(section)) {
            EXPECT_EQ(known.count(name), 1U) << section.title << ": " << name;
        }
    }
}

TEST(CommandLine, EveryHelpShowsAnExample) {
    for (const HelpLevel& level : help_levels()) {
        EXPECT_FALSE(commands_of(level.lines).empty())
            << level.name << " --help-all has no example";
    }
}

}  // namespace
}  // namespace npunet::docs_test
