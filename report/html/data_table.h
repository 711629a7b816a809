// A table of a page that readers sort and filter: a name and units in the head of every column, and
// numbers that keep their exact value however they are shown.
//
//     DataTable table("links", "Links, busiest first",
//                     {{"from"}, {"to"}, {"on the wire", "", DataTable::Kind::Bytes}});
//     table.add({"npu0", "npu1", "6500"});
//     section.body += table.html();
//
// The first rows stand in the page as HTML, for readers without scripts, and all rows as compact
// data from which report.js makes those to be seen: tens of thousands of rows stay quick.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace npunet::report {

class DataTable {
public:
    enum class Kind : std::uint8_t {
        Text,
        Exact,  ///< a decimal number, shown as it is: "92620.16"
        Real,   ///< a double in its shortest form, shown with three decimals
        Time,   ///< nanoseconds, shown in the unit that fits: "92.62 us"
        Bytes   ///< shown in the unit that fits: "64 MiB"
    };

    struct Column {
        std::string name;
        std::string unit = {};  ///< empty: none
        Kind kind = Kind::Text;
    };

    /// So many rows are kept; what is added beyond is only counted.
    static constexpr std::size_t most_rows = 50'000;
    /// So many rows stand in the page as HTML; as many are shown at first.
    static constexpr std::size_t first_rows = 50;

    /// `id`: letters, digits and dashes, unique on the page. `caption`: what the rows are.
    DataTable(std::string id, std::string caption, std::vector<Column> columns);

    /// As many cells as there are columns; any text is safe. What is not a number in a column of
    /// numbers ("nan", "inf", "") is shown as "-" and sorted behind the numbers.
    void add(const std::vector<std::string>& row);

    /// A row below the others that stays there: a sum.
    void set_foot(std::vector<std::string> row);

    [[nodiscard]] std::size_t rows() const { return rows_; }

    [[nodiscard]] std::string html() const;

private:
    /// The cells of a column: numbers separated by blanks; texts once each, and which one it is.
    struct Cells {
        std::string numbers;
        std::vector<std::string> texts;
        std::map<std::string, std::size_t> place_of;
    };

    [[nodiscard]] std::string head() const;
    [[nodiscard]] std::string row_html(const std::vector<std::string>& row) const;
    [[nodiscard]] std::string body() const;
    [[nodiscard]] std::string data() const;

    std::string id_;
    std::string caption_;
    std::vector<Column> columns_;
    std::vector<Cells> cells_;
    std::vector<std::vector<std::string>> first_;
    std::vector<std::string> foot_;
    std::size_t rows_ = 0;
};

/// A number of a table: its digits in groups of three, which are set apart but not separated, so
/// that the number can be copied.
[[nodiscard]] std::string grouped_digits(const std::string& number);

}  // namespace npunet::report
