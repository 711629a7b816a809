// Standard output without control sequences: names of files and nodes cannot move the cursor,
// change colours or otherwise control the terminal.
//
//     SafeOutput safe(std::cout);
//     std::ostream out(&safe);
//     out << name << '\n';
//
// Tabs and line ends are kept. Other control characters are written as \u001b, which is equivalent
// in a JSON document; bytes that are not UTF-8 as \xff. Tables escape their cells themselves
// (report/text_table.h); this covers all output.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace npunet::cli {

class SafeOutput final : public std::streambuf {
public:
    /// Writes whole lines to `target` at once; sync() and the destructor write the rest.
    explicit SafeOutput(std::ostream& target) : target_(target) {}
    ~SafeOutput() override { write_line(); }
    SafeOutput(const SafeOutput&) = delete;
    SafeOutput& operator=(const SafeOutput&) = delete;

    /// The errno of the first failed write; 0 if none failed.
    [[nodiscard]] int error() const { return error_; }

private:
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int_type overflow(int_type character) override;
    int sync() override;
    bool write_line();
    bool note();

    std::ostream& target_;
    std::string line_;  ///< not written yet
    int error_ = 0;
};

}  // namespace npunet::cli
