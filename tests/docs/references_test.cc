// What the pages point to exists: files, sections, tests, switches of a dialect.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "page.h"
#include "tests/support/temporary_folder.h"

namespace npunet::docs_test {
namespace {

namespace fs = std::filesystem;

bool has_anchor(const Page& page, const std::string& anchor) {
    for (const Section& section : page.sections) {
        if (anchor_of(section.title) == anchor) {
            return true;
        }
    }
    return false;
}

void check_link(const std::string& page, const std::string& link) {
    if (link.rfind("http", 0) == 0) {
        return;
    }
    const std::size_t mark = std::min(link.find('#'), link.size());
    fs::path target = page;
    if (mark > 0) {
        target = fs::path(page).parent_path() / link.substr(0, mark);
    }
    ASSERT_TRUE(fs::exists(root / target)) << page << " links to " << link;
    if (mark < link.size()) {
        EXPECT_TRUE(has_anchor(read_page(target.string()), link.substr(mark)))
            << page << " links to " << link;
    }
}

TEST(References, LinksLeadSomewhere) {
    for (const std::string& name : page_names()) {
        for (const Section& section : read_page(name).sections) {
            for (const std::string& line : section.lines) {
                for (const std::string& link : links_of(line)) {
                    check_link(name, link);
                }
            }
        }
    }
}

/// The pages that a page links to, anchors left out.
std::set<std::string> pages_linked_from(const std::string& name) {
    std::set<std::string> pages;
    for (const Section& section : read_page(name).sections) {
        for (const std::string& line : section.lines) {
            for (const std::string& link : links_of(line)) {
                const fs::path target =
                    fs::path(name).parent_path() / link.substr(0, link.find('#'));
                pages.insert(target.lexically_normal().generic_string());
            }
        }
    }
    return pages;
}

TEST(References, EveryPageIsInTheIndexAndTheIndexInReadme) {
    const std::set<std::string> index = pages_linked_from("docs/index.md");
    for (const std::string& name : page_names()) {
        EXPECT_TRUE(name == "README.md" || name == "docs/index.md" || index.count(name) == 1)
            << name;
    }
    EXPECT_EQ(pages_linked_from("README.md").count("docs/index.md"), 1U);
}

/// "Suite.Name" of every TEST, TEST_F, TEST_P and TYPED_TEST below tests/.
std::set<std::string> all_tests() {
    std::set<std::string> tests;
    const std::regex definition(R"(\b(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))");
    for (const auto& entry : fs::recursive_directory_iterator(root / "tests")) {
        if (entry.path().extension() != ".cc") {
            continue;
        }
        const std::string text = test::bytes_of(entry.path());
        for (std::sregex_iterator match(text.begin(), text.end(), definition), end; match != end;
             ++match) {
            tests.insert((*match)[1].str() + "." + (*match)[2].str());
        }
    }
    return tests;
}

TEST(References, NamedTestsExist) {
    const std::set<std::string> tests = all_tests();
    const std::regex name(R"([A-Z]\w*\.[A-Z]\w*)");
    std::size_t named = 0;
    for (const std::string& page : page_names()) {
        for (const Section& section : read_page(page).sections) {
            for (const std::string& line : section.lines) {
                for (const std::string& word : quoted(line)) {
                    if (std::regex_match(word, name)) {
                        EXPECT_EQ(tests.count(word), 1U) << page << ": " << word;
                        ++named;
                    }
                }
            }
        }
    }
    EXPECT_GT(named, 30U);
}

// One row for each member of struct Dialect, its name aside.
TEST(References, EverySwitchOfADialectIsExplained) {
    std::string header = test::bytes_of(root / "engine/machine/dialect.h");
    // The rules of schedules have a struct of their own.
    const std::string schedules = test::bytes_of(root / "engine/collective_algorithms/phase.h");
    const std::size_t begin = schedules.find("struct ScheduleRules {");
    ASSERT_NE(begin, std::string::npos);
    header += schedules.substr(begin, schedules.find("};", begin) - begin);
    const std::regex member(R"(\n    [\w:]+ (\w+) = )");
    std::set<std::string> switches;
    for (std::sregex_iterator match(header.begin(), header.end(), member), end; match != end;
         ++match) {
        switches.insert((*match)[1]);
    }
    EXPECT_GT(switches.size(), 10U);
    std::set<std::string> explained;
    for (const Section& section : read_page("docs/dialects.md").sections) {
        explained.merge(first_cells(section));
    }
    EXPECT_THAT(explained, ::testing::ContainerEq(switches));
}

}  // namespace
}  // namespace npunet::docs_test
