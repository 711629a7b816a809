// The tables of docs/validation.md: every row is within its bound, and the page has the very
// figures.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "packet/make_packet_network.h"
#include "tests/support/temporary_folder.h"
#include "validation_table.h"

namespace npunet::validation {
namespace {

using ::testing::HasSubstr;

const std::string& page() {
    static const std::string text = test::bytes_of(NPUNET_SOURCE_DIR "/docs/validation.md");
    return text;
}

void expect_on_the_page(const Table& table) {
    const std::string text = markdown(table);
    EXPECT_THAT(page(), HasSubstr("## " + table.title + '\n'));
    EXPECT_THAT(page(), HasSubstr(text));
}

TEST(ValidationTables, AreWithinTheirBoundsAndOnThePage) {
    for (const Table& table : computed_tables()) {
        EXPECT_THAT(table.failures, ::testing::IsEmpty());
        expect_on_the_page(table);
    }
}

// What scripts/validate finds when it runs the groups.
TEST(ValidationTables, StatedComparisonsAreOnThePage) {
    expect_on_the_page(stated(recordings_title, recordings()));
    expect_on_the_page(stated(oracles_title, oracles()));
    expect_on_the_page(stated(generated_title, generated()));
}

TEST(ValidationTables, RowsOutsideOfTheirBoundsAreNamed) {
    Table table{"Title", {"a", "b"}, {}, {}};
    table.add({"1", "2"}, true);
    table.add({"3", "4"}, false);
    EXPECT_EQ(markdown(table), "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n");
    EXPECT_THAT(table.failures, ::testing::ElementsAre("Title: 3 | 4"));
}

TEST(ValidationTables, NanosecondsAreExact) {
    EXPECT_EQ(nanoseconds(Time::ps(1'002'003)), "1002.003");
    EXPECT_EQ(nanoseconds(Time::ps(-7)), "-0.007");
}

}  // namespace
}  // namespace npunet::validation
