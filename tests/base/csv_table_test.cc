#include "base/csv_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.h"

namespace npunet {
namespace {

using testing::HasSubstr;

CsvTable table_of(const std::string& text) {
    return {"rows.csv", text, {"rows", ""}};
}

std::string error_of(const std::string& text) {
    try {
        static_cast<void>(table_of(text));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(CsvTable, ReadsQuotedFields) {
    const CsvTable table = table_of("id,text\r\n1,\"a, \"\"b\"\"\nc\"\r\n\n2,\n3,x");
    ASSERT_EQ(table.rows(), 3U);
    EXPECT_EQ(table.text(0, "text"), "a, \"b\"\nc");
    EXPECT_EQ(table.text(1, "text"), "");
    EXPECT_EQ(table.text(2, "text"), "x");
    EXPECT_EQ(table.line(1), 5U);
    EXPECT_TRUE(table.has("id"));
    EXPECT_FALSE(table.has("value"));
    EXPECT_EQ(table.text(0, "value"), "");
}

TEST(CsvTable, IgnoresTheMarkOfUtf8) {
    EXPECT_EQ(table_of("\xEF\xBB\xBFid\n7\n").text(0, "id"), "7");
}

TEST(CsvTable, ErrorsNameTheLine) {
    EXPECT_THAT(error_of(""), HasSubstr("empty file"));
    EXPECT_THAT(error_of("a,b\n1,2\n1\n"), HasSubstr("line 3"));
    EXPECT_THAT(error_of("a,b\n1,2,3\n"), HasSubstr("3 fields"));
    EXPECT_THAT(error_of("a,a\n"), HasSubstr("twice"));
    EXPECT_THAT(error_of("a\n\"x\n"), HasSubstr("line 2: found a quote"));
    EXPECT_THAT(error_of("a\n\"x\"y\n"), HasSubstr("after a closing quote"));
}

}  // namespace
}  // namespace npunet
