#include "report/html/data_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/report/html/parsed_page.h"
#include "tests/report/html/sample_pages.h"

namespace npunet::report::data_table_test {
namespace {

using Json = nlohmann::json;
using Kind = DataTable::Kind;
using testing::ElementsAre;

DataTable numbers() {
    DataTable table("t", "Numbers & names",
                    {{"name"}, {"time", "ns", Kind::Exact}, {"share", "%", Kind::Real}});
    table.add({"a", "92620.16", "12.3456789"});
    table.add({"b", "-9223372036854775.807", "nan"});
    table.add({"a", "", "1e+22"});
    return table;
}

Json data_of(const Element& root) {
    return Json::parse(root.all("script").at(0)->text());
}

std::vector<std::string> cells_of(const Json& column) {
    std::istringstream stream(column["cells"].get<std::string>());
    std::vector<std::string> cells;
    for (std::string cell; stream >> cell;) {
        cells.push_back(column["kind"] == "text"
                            ? column["texts"].at(std::stoul(cell)).get<std::string>()
                            : cell);
    }
    return cells;
}

TEST(DataTable, NamesColumnsWithTheirUnits) {
    const Element root = parsed(numbers().html());
    EXPECT_EQ(root.all("caption").at(0)->text(), "Numbers & names");
    std::vector<std::string> heads;
    for (const Element* head : root.all("thead").at(0)->all("th")) {
        EXPECT_EQ(head->attribute("scope"), "col");
        heads.push_back(head->text());
    }
    EXPECT_THAT(heads, ElementsAre("name", "time (ns)", "share (%)"));
}

// An exact number is shown as it is; a double with three decimals, and its shortest form as a
// title.
TEST(DataTable, ShowsNumbers) {
    const Element root = parsed(numbers().html());
    EXPECT_THAT(body_rows(root), ElementsAre(ElementsAre("a", "92620.16", "12.346"),
                                             ElementsAre("b", "-9223372036854775.807", "-"),
                                             ElementsAre("a", "-", "10000000000000000000000.000")));
    const Element* const share = root.all("tbody").at(0)->all("tr").at(0)->all("td").at(1);
    EXPECT_EQ(share->attribute("title"), "12.3456789");
    EXPECT_EQ(root.all("tbody").at(0)->all("th").at(0)->attribute("scope"), "row");
}

// In units that fit; the exact number as a title.
TEST(DataTable, ShowsTimesAndBytes) {
    DataTable table("t", "Quantities", {{"time", "", Kind::Time}, {"size", "", Kind::Bytes}});
    table.add({"1592949702.526", "152202903552"});
    table.add({"-0.5", "65536"});
    table.add({"inf", "12"});
    const Element root = parsed(table.html());
    EXPECT_THAT(body_rows(root),
                ElementsAre(ElementsAre("1.593 s", "141.8 GiB"), ElementsAre("-0.5 ns", "64 KiB"),
                            ElementsAre("-", "12 B")));
    const Element* const row = root.all("tbody").at(0)->all("tr").at(0);
    EXPECT_EQ(row->all("th").at(0)->attribute("title"), "1592949702.526 ns");
    EXPECT_EQ(row->all("td").at(0)->attribute("title"), "152202903552 bytes");
    const Json columns = data_of(root);
    EXPECT_THAT(cells_of(columns[0]), ElementsAre("1592949702.526", "-0.5", "-"));
    EXPECT_EQ(columns[1]["kind"], "bytes");
}

// Digits are set apart by elements, so that the text stays the number.
TEST(DataTable, GroupsDigits) {
    EXPECT_EQ(grouped_digits("1234"), "1234");
    EXPECT_EQ(grouped_digits("12345"), "12<span>345</span>");
    EXPECT_EQ(grouped_digits("-123456.789"), "-123<span>456</span>.789");
    EXPECT_EQ(grouped_digits("1234567"), "1<span>234</span><span>567</span>");
    EXPECT_EQ(grouped_digits("-"), "-");
}

// The data has every cell as it was given; texts stand there once each.
TEST(DataTable, KeepsExactCells) {
    const Json columns = data_of(parsed(numbers().html()));
    EXPECT_THAT(cells_of(columns[0]), ElementsAre("a", "b", "a"));
    EXPECT_EQ(columns[0]["texts"].size(), 2U);
    EXPECT_THAT(cells_of(columns[1]), ElementsAre("92620.16", "-9223372036854775.807", "-"));
    EXPECT_THAT(cells_of(columns[2]), ElementsAre("12.3456789", "-", "1e+22"));
}

TEST(DataTable, HoldsAnyText) {
    DataTable table("t", hostile_texts()[0], {{hostile_texts()[1], hostile_texts()[2]}});
    for (const std::string& text : hostile_texts()) {
        table.add({text});
    }
    table.add({std::string("\xFF\0", 2)});
    const Element root = parsed(table.html());
    const std::vector<std::vector<std::string>> rows = body_rows(root);
    const std::vector<std::string> cells = [&] {
        Json column = data_of(root)[0];
        return column["texts"].get<std::vector<std::string>>();
    }();
    for (std::size_t i = 0; i < hostile_texts().size(); ++i) {
        EXPECT_EQ(rows[i].at(0), hostile_texts()[i]);
        EXPECT_EQ(cells[i], hostile_texts()[i]);
    }
    EXPECT_EQ(rows.back().at(0), "\xEF\xBF\xBD\xEF\xBF\xBD");
    EXPECT_EQ(cells.back(), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

// Fifty rows as HTML; all as data, up to the limit, and the page says how many there are beyond.
TEST(DataTable, ShowsTheFirstRowsOfMany) {
    DataTable table("t", "many", {{"n", "", Kind::Exact}});
    for (std::size_t i = 0; i < DataTable::most_rows + 5; ++i) {
        table.add({std::to_string(i)});
    }
    EXPECT_EQ(table.rows(), DataTable::most_rows + 5);
    const Element root = parsed(table.html());
    EXPECT_EQ(body_rows(root).size(), DataTable::first_rows);
    EXPECT_EQ(cells_of(data_of(root)[0]).size(), DataTable::most_rows);
    EXPECT_THAT(root.text(), testing::HasSubstr("The first 50000 of 50005 rows."));
    EXPECT_EQ(root.having("class", "without-script").size(), 1U);
}

TEST(DataTable, MayBeEmpty) {
    const Element root = parsed(DataTable("t", "none", {{"name"}, {"n", "", Kind::Exact}}).html());
    EXPECT_TRUE(body_rows(root).empty());
    EXPECT_EQ(data_of(root)[0]["cells"], "");
}

TEST(DataTable, HasAFootApartFromItsRows) {
    DataTable table = numbers();
    table.set_foot({"sum", "3", "100"});
    const Element root = parsed(table.html());
    EXPECT_EQ(body_rows(root).size(), 3U);
    EXPECT_EQ(root.all("tfoot").at(0)->text(), "sum3100.000\n");
    EXPECT_EQ(cells_of(data_of(root)[0]).size(), 3U);
}

}  // namespace
}  // namespace npunet::report::data_table_test
