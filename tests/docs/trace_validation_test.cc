// docs/traces.md lists exactly the codes that the program has.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chakra/validation/finding.h"
#include "page.h"

namespace npunet::docs_test {
namespace {

TEST(TraceValidationPage, ListsEveryCode) {
    std::set<std::string> codes;
    for (std::size_t code = 0; code < chakra::finding_codes; ++code) {
        codes.emplace(name_of(static_cast<chakra::FindingCode>(code)));
    }
    EXPECT_THAT(first_cells(section_of(read_page("docs/traces.md"), "Findings")),
                ::testing::ContainerEq(codes));
}

// A severity and a remedy stand beside each code.
TEST(TraceValidationPage, EveryRowIsFilledIn) {
    for (const auto& row : table_rows(section_of(read_page("docs/traces.md"), "Findings"))) {
        ASSERT_EQ(row.size(), 4U);
        EXPECT_THAT(row[1], ::testing::ContainsRegex("error|warning|info")) << row[0];
        EXPECT_FALSE(row[2].empty()) << row[0];
        EXPECT_FALSE(row[3].empty()) << row[0];
    }
}

}  // namespace
}  // namespace npunet::docs_test
