// Prints the tables of docs/validation.md as this build makes them, and ends with 1 when a row is
// outside of its bound: validation_tables [--write PAGE]. With --write the tables of the page
// become these.

#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include "tests/support/temporary_folder.h"
#include "validation_table.h"

namespace npunet::validation {
namespace {

/// The page with this table in the place of the first one below the heading of its title.
std::string with_table(std::string page, const Table& table) {
    const std::size_t heading = page.find("## " + table.title + '\n');
    const std::size_t begin = page.find("\n| ", heading);
    if (heading == std::string::npos || begin == std::string::npos) {
        throw std::runtime_error("the page has no section \"" + table.title + "\" with a table");
    }
    std::size_t end = begin + 1;
    while (end < page.size() && page[end] == '|') {
        end = page.find('\n', end) + 1;
    }
    return page.replace(begin + 1, end - begin - 1, markdown(table));
}

int print_tables(const std::string& page_name) {
    std::string page = page_name.empty() ? "" : test::bytes_of(page_name);
    int outside = 0;
    const auto show = [&](const Table& table) {
        std::cout << "## " << table.title << "\n\n" << markdown(table) << '\n' << std::flush;
        for (const std::string& failure : table.failures) {
            std::cerr << "outside of its bound: " << failure << '\n';
            ++outside;
        }
        if (!page_name.empty()) {
            page = with_table(page, table);
        }
    };
    show(tried(recordings_title, recordings(), NPUNET_BUILD_DIR));
    for (const Table& table : computed_tables()) {
        show(table);
    }
    show(tried(oracles_title, oracles(), NPUNET_BUILD_DIR));
    show(tried(generated_title, generated(), NPUNET_BUILD_DIR));
    if (!page_name.empty()) {
        std::ofstream(page_name, std::ios::binary) << page;
    }
    std::cout << (outside == 0 ? "every row is within its bound\n"
                               : std::to_string(outside) + " rows are outside of their bounds\n");
    return outside == 0 ? 0 : 1;
}

}  // namespace
}  // namespace npunet::validation

int main(int argc, char** argv) {
    try {
        if (argc == 1) {
            return npunet::validation::print_tables("");
        }
        if (argc == 3 && std::string(argv[1]) == "--write") {
            return npunet::validation::print_tables(argv[2]);
        }
        std::cerr << "usage: validation_tables [--write PAGE]\n";
        return 2;
    } catch (const std::exception& error) {
        std::cerr << "validation_tables: " << error.what() << '\n';
        return 1;
    }
}
