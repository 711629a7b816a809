#include "base/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/errors.h"
#include "base/input_text.h"

namespace npunet {

namespace {

/// Goes through the records of a text.
class CsvReader {
public:
    CsvReader(const std::string& file, const std::string& text) : file_(file), text_(text) {
        constexpr std::string_view mark = "\xEF\xBB\xBF";  // of UTF-8, as spreadsheets write it
        at_ = text.compare(0, mark.size(), mark) == 0 ? mark.size() : 0;
    }

    [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
    [[nodiscard]] std::size_t line() const { return line_; }

    std::vector<std::string> record() {
        std::vector<std::string> fields{field()};
        while (at_ < text_.size() && text_[at_] == ',') {
            ++at_;
            fields.push_back(field());
        }
        end_line();
        return fields;
    }

private:
    std::string field() {
        if (at_ < text_.size() && text_[at_] == '"') {
            return quoted();
        }
        const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
        std::string field = text_.substr(at_, end - at_);
        at_ = end;
        return field;
    }

    std::string quoted() {
        const std::size_t first = line_;
        std::string field;
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] == '"') {
                if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') {
                    ++at_;
                    return field;
                }
                ++at_;
            }
            line_ += text_[at_] == '\n' ? 1 : 0;
            field += text_[at_];
        }
        refuse(first, "a quote that does not end", "a closing \"");
    }

    void end_line() {
        if (at_ < text_.size() && text_[at_] == '\r') {
            ++at_;
        }
        if (at_ < text_.size() && text_[at_] != '\n') {
            refuse(line_, "text after a closing quote", "a comma or the end of the line");
        }
        ++at_;
        ++line_;
    }

    [[noreturn]] void refuse(std::size_t line, const char* found, const char* expected) const {
        throw InputError(
            {file_, fmt::format("line {}", line), found, expected, "Correct the line"});
    }

    const std::string& file_;
    const std::string& text_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
};

}  // namespace

CsvTable::CsvTable(std::string file, const std::string& text, const CsvKind& kind)
    : file_(std::move(file)) {
    CsvReader reader(file_, text);
    if (reader.at_end()) {
        throw InputError({file_, "", "an empty file", kind.expected + ", with a header line", ""});
    }
    columns_ = reader.record();
    for (const std::string& column : columns_) {
        if (std::count(columns_.begin(), columns_.end(), column) > 1) {
            throw InputError({file_, "line 1", fmt::format("the column '{}' twice", column),
                              "each column once", "Remove one of them"});
        }
    }
    while (!reader.at_end()) {
        const std::size_t line = reader.line();
        std::vector<std::string> fields = reader.record();
        if (fields.size() == 1 && fields.front().empty()) {
            continue;  // an empty line
        }
        if (fields.size() != columns_.size()) {
            throw InputError({file_, fmt::format("line {}", line),
                              fmt::format("{} fields", fields.size()),
                              fmt::format("{}, as the header has", columns_.size()),
                              "Fields with commas are quoted"});
        }
        std::move(fields.begin(), fields.end(), std::back_inserter(fields_));
        lines_.push_back(line);
    }
}

std::size_t CsvTable::column_of(std::string_view name) const {
    return static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), name) -
                                    columns_.begin());
}

bool CsvTable::has(std::string_view column) const {
    return column_of(column) < columns_.size();
}

const std::string& CsvTable::text(std::size_t row, std::string_view column) const {
    const std::size_t number = column_of(column);
    return number < columns_.size() ? fields_[row * columns_.size() + number] : empty_;
}

CsvTable read_csv_table(const std::string& path, const CsvKind& kind) {
    return {path, read_input_text(path, kind.expected, kind.remedy), kind};
}

}  // namespace npunet
