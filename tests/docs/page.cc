#include "page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace npunet::docs_test {

namespace {

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string::npos) {
        return "";
    }
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool begins(const std::string& text, const std::string& start) {
    return text.rfind(start, 0) == 0;
}

std::vector<std::string> all_matches(const std::string& text, const std::regex& pattern) {
    std::vector<std::string> found;
    for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end;
         ++match) {
        found.push_back((*match)[1]);
    }
    return found;
}

std::vector<std::string> cells_of(const std::string& row) {
    std::vector<std::string> cells;
    std::istringstream stream(row.substr(1));
    for (std::string cell; std::getline(stream, cell, '|');) {
        cells.push_back(trimmed(cell));
    }
    return cells;
}

}  // namespace

std::vector<std::string> page_names() {
    std::vector<std::string> names{"README.md", "ns3-module/README.md"};
    for (const auto& entry : std::filesystem::directory_iterator(root / "docs")) {
        if (entry.path().extension() == ".md") {
            names.push_back("docs/" + entry.path().filename().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

Page read_page(const std::string& name) {
    Page page{name, {Section{}}, {}};
    std::ifstream stream(root / name);
    EXPECT_TRUE(stream) << name << " cannot be read";
    bool in_block = false;
    for (std::string line; std::getline(stream, line);) {
        if (begins(line, "```")) {
            in_block = !in_block;
            if (in_block) {
                page.blocks.push_back({trimmed(line.substr(3)), {}});
            }
        } else if (in_block) {
            page.blocks.back().lines.push_back(line);
        } else if (begins(line, "#")) {
            page.sections.push_back({trimmed(line.substr(line.find_first_not_of('#'))), {}});
        } else {
            page.sections.back().lines.push_back(line);
        }
    }
    EXPECT_FALSE(in_block) << name << ": a fenced block has no end";
    return page;
}

Section section_of(const Page& page, const std::string& title) {
    for (const Section& section : page.sections) {
        if (section.title == title) {
            return section;
        }
    }
    ADD_FAILURE() << page.name << " has no section '" << title << "'";
    return {};
}

std::vector<std::string> quoted(const std::string& text) {
    static const std::regex pattern("`([^`]+)`");
    return all_matches(text, pattern);
}

std::vector<std::vector<std::string>> table_rows(const Section& section) {
    std::vector<std::vector<std::string>> rows;
    std::size_t row_of_table = 0;
    for (const std::string& line : section.lines) {
        if (!begins(line, "|")) {
            row_of_table = 0;
        } else if (++row_of_table > 2) {
            rows.push_back(cells_of(line));
        }
    }
    return rows;
}

std::set<std::string> first_cells(const Section& section) {
    std::set<std::string> names;
    for (const auto& row : table_rows(section)) {
        for (const std::string& name : quoted(row.front())) {
            names.insert(name);
        }
    }
    return names;
}

std::string anchor_of(const std::string& title) {
    std::string anchor = "#";
    for (const char c : title) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        } else if (c == '_') {
            anchor += c;
        } else if (c == ' ' || c == '-') {
            anchor += '-';
        }
    }
    return anchor;
}

std::vector<std::string> links_of(const std::string& text) {
    static const std::regex pattern(R"(\]\(([^)\s]+)\))");
    return all_matches(text, pattern);
}

std::vector<std::string> commands_of(const std::vector<std::string>& lines) {
    std::vector<std::string> commands;
    bool continued = false;
    for (const std::string& line : lines) {
        const std::string text = trimmed(line);
        if (continued) {
            commands.back() += "\n" + text;
        } else if (begins(text, "npunet ") || begins(text, "build/release/npunet ")) {
            commands.push_back(text);
        } else {
            continue;
        }
        continued = !text.empty() && text.back() == '\\';
    }
    return commands;
}

}  // namespace npunet::docs_test
