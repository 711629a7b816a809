// The reported problems in docs/coming-from.md: every row has a test that exists, or says why there
// is none.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <regex>

#include "page.h"
#include "tests/support/temporary_folder.h"

namespace npunet::docs_test {
namespace {

using Row = std::vector<std::string>;

bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// The rows that begin with a number; the other tables of the page map options and files.
std::vector<Row> comparison_rows() {
    std::vector<Row> rows;
    for (const Section& section : read_page("docs/coming-from.md").sections) {
        for (const Row& row : table_rows(section)) {
            if (is_number(row.front())) {
                rows.push_back(row);
            }
        }
    }
    return rows;
}

bool has_test(const std::string& text, const std::string& name) {
    const std::size_t dot = name.find('.');
    const std::regex definition(R"(\bTEST(?:_F|_P)?\(\s*)" + name.substr(0, dot) + R"(,\s*)" +
                                name.substr(dot + 1) + R"(\))");
    return std::regex_search(text, definition);
}

/// How many tests a cell names: a file in backquotes, then names of tests in it; and so on.
std::size_t check_tests(const std::string& cell) {
    std::size_t tests = 0;
    std::string text;
    for (const std::string& word : quoted(cell)) {
        if (word.find(".cc") != std::string::npos) {
            text = test::bytes_of(NPUNET_SOURCE_DIR "/tests/" + word);
        } else if (word.rfind("scripts/", 0) != 0) {
            EXPECT_TRUE(has_test(text, word)) << word << ": " << cell;
            ++tests;
        }
    }
    return tests;
}

TEST(Comparison, RowsAreNumberedAndFilledIn) {
    std::vector<int> numbers;
    for (const Row& row : comparison_rows()) {
        ASSERT_EQ(row.size(), 5U) << row.front();
        numbers.push_back(std::stoi(row.front()));
        EXPECT_THAT(row[1], ::testing::HasSubstr("/")) << row.front();
        EXPECT_FALSE(row[2].empty()) << row.front();
        EXPECT_FALSE(row[3].empty()) << row.front();
    }
    std::vector<int> expected(73);
    std::iota(expected.begin(), expected.end(), 1);
    EXPECT_EQ(numbers, expected);
}

TEST(Comparison, EveryRowHasATestOrAReason) {
    for (const Row& row : comparison_rows()) {
        const std::string& cell = row.back();
        if (check_tests(cell) == 0) {
            EXPECT_THAT(cell, ::testing::ContainsRegex("^not testable .*:|^does not apply$"))
                << row.front();
        }
    }
}

}  // namespace
}  // namespace npunet::docs_test
