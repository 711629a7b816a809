// Tables of profiles as files: Parquet read back by its published layout, SQLite by its library.
#include "report/profile/column_table.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <limits>
#include <string>
#include <vector>

#include "parquet_reading.h"
#include "report/profile/reference_tables.h"
#include "tests/support/temporary_folder.h"

namespace npunet::report::column_table_test {
namespace {

using Numbers = std::vector<std::int64_t>;
using Reals = std::vector<double>;
using Texts = std::vector<std::string>;

const Numbers numbers = {0, -1, std::numeric_limits<std::int64_t>::max()};
const Reals reals = {0.5, -1e300, 3};
const Texts texts = {"", "a, \"b\"", std::string("\xC3\xA4")};

ColumnTable sample() {
    ColumnTable table("sample");
    table.column("id", numbers);
    table.column("share", reals);
    table.column("name", texts);
    table.column("nothing", ColumnTable::Nulls{3});
    return table;
}

TEST(ColumnTable, IsCsv) {
    EXPECT_EQ(csv_of(sample()),
              "id,share,name,nothing\n"
              "0,0.5,,\n"
              "-1,-1e+300,\"a, \"\"b\"\"\",\n"
              "9223372036854775807,3,\xC3\xA4,\n");
}

// Formulas and control characters are escaped, except in dialects that reproduce another tool's
// output. Numbers stay numbers, also when given as text.
TEST(ColumnTable, IsHarmlessCsv) {
    ColumnTable table("names");
    table.column("=A1", Texts{"=1+2", "+x", "-x,y", "@now", "-5", "+1.5e3", "-", "a=b", "a\x1b\n"});
    table.column("n", Numbers{-1, -2, -3, -4, -5, -6, -7, -8, -9});
    EXPECT_EQ(csv_of(table),
              "'=A1,n\n'=1+2,-1\n'+x,-2\n\"'-x,y\",-3\n'@now,-4\n-5,-5\n+1.5e3,-6\n'-,-7\n"
              "a=b,-8\na\\x1b\\n,-9\n");
    EXPECT_EQ(csv_of(table, CsvTexts::Kept),
              "=A1,n\n=1+2,-1\n+x,-2\n\"-x,y\",-3\n@now,-4\n-5,-5\n+1.5e3,-6\n-,-7\n"
              "a=b,-8\n\"a\x1b\n\",-9\n");
}

TEST(ColumnTable, AppendsRows) {
    ColumnTable table = sample();
    table.append(sample());
    EXPECT_EQ(table.rows(), 6U);
    const ReadTable read = read_parquet(parquet_of(table));
    EXPECT_EQ(read.columns[3].nulls, 6U);
    EXPECT_EQ(read.columns[2].texts[4], texts[1]);
}

TEST(ColumnTable, IsParquet) {
    const ReadTable read = read_parquet(parquet_of(sample()));
    EXPECT_EQ(read.version, 1);
    EXPECT_EQ(read.rows, 3);
    ASSERT_EQ(read.columns.size(), 4U);
    EXPECT_EQ(read.columns[0].name, "id");
    EXPECT_EQ(read.columns[0].numbers, numbers);
    EXPECT_EQ(read.columns[1].reals, reals);
    EXPECT_EQ(read.columns[2].texts, texts);
    EXPECT_EQ(read.columns[2].converted, 0);
    EXPECT_EQ(read.columns[2].repetition, 0);
    EXPECT_EQ(read.columns[3].repetition, 1);
    EXPECT_EQ(read.columns[3].nulls, 3U);
}

// Lists of more than 14 items and runs of more than 63 rows have longer headings.
TEST(ColumnTable, IsParquetWithManyColumnsAndRows) {
    ColumnTable table("wide");
    for (int i = 0; i < 40; ++i) {
        table.column("c" + std::to_string(i), Numbers(1000, i));
    }
    table.column("nothing", ColumnTable::Nulls{1000});
    const ReadTable read = read_parquet(parquet_of(table));
    ASSERT_EQ(read.columns.size(), 41U);
    EXPECT_EQ(read.columns[39].numbers, Numbers(1000, 39));
    EXPECT_EQ(read.columns[40].nulls, 1000U);
}

TEST(ColumnTable, IsADatabase) {
    const test::TemporaryFolder folder;
    const auto path = folder.write("table.db", sqlite_of({sample()}));
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    sqlite3_stmt* statement = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(database, "SELECT * FROM sample", -1, &statement, nullptr),
              SQLITE_OK);
    for (std::size_t row = 0; row < numbers.size(); ++row) {
        ASSERT_EQ(sqlite3_step(statement), SQLITE_ROW);
        EXPECT_EQ(sqlite3_column_int64(statement, 0), numbers[row]);
        EXPECT_EQ(sqlite3_column_double(statement, 1), reals[row]);
        EXPECT_EQ(reinterpret_cast<const char*>(sqlite3_column_text(statement, 2)), texts[row]);
        EXPECT_EQ(sqlite3_column_type(statement, 3), SQLITE_NULL);
    }
    EXPECT_EQ(sqlite3_step(statement), SQLITE_DONE);
    sqlite3_finalize(statement);
    sqlite3_close(database);
}

TEST(ColumnTable, DurationsAreTheReferences) {
    EXPECT_EQ(reference_duration(0), "0.00 ns");
    EXPECT_EQ(reference_duration(999), "999.00 ns");
    EXPECT_EQ(reference_duration(1000), "1.00 us");
    EXPECT_EQ(reference_duration(722500), "722.50 us");
    EXPECT_EQ(reference_duration(12'345'678), "12.35 ms");
    EXPECT_EQ(reference_duration(1'500'000'000), "1.50 s");
}

}  // namespace
}  // namespace npunet::report::column_table_test
