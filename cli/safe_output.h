// Standard output that a terminal shows as it is: whatever names files and nodes have, nothing that
// a command prints moves the cursor, changes colours or says something to the terminal.
//
//     SafeOutput safe(std::cout);
//     std::ostream out(&safe);
//     out << name << '\n';
//
// Tabs and ends of lines stay. Other control characters are written as \u001b, which means the same
// in a JSON document; bytes that are not UTF-8 as \xff. Tables escape their cells themselves
// (report/text_table.h): this is for everything.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace npunet::cli {

class SafeOutput final : public std::streambuf {
public:
    /// Whole lines go to `target` at once, what is left with sync() or the destructor.
    explicit SafeOutput(std::ostream& target) : target_(target) {}
    ~SafeOutput() override { write_line(); }
    SafeOutput(const SafeOutput&) = delete;
    SafeOutput& operator=(const SafeOutput&) = delete;

    /// The errno of the first write that failed; 0 for none.
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
