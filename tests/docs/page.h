// A page of the documentation taken apart: sections, tables, fenced blocks.
//
//     const Page page = read_page("docs/cli.md");
//     for (const Section& section : page.sections) { ... first_cells(section) ... }
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace npunet::docs_test {

/// Of the repository.
inline const std::filesystem::path root = NPUNET_SOURCE_DIR;

/// ```info
/// text
/// ```
struct Block {
    std::string info;  ///< "sh", "text", "yaml mesh.yml" (a file), ...
    std::vector<std::string> lines;
};

struct Section {
    std::string title;               ///< without the #
    std::vector<std::string> lines;  ///< outside of fenced blocks
};

struct Page {
    std::string name;
    std::vector<Section> sections;  ///< the first one is what stands before any heading
    std::vector<Block> blocks;
};

/// README.md, ns3-module/README.md and every docs/*.md, relative to the root of the repository,
/// sorted.
[[nodiscard]] std::vector<std::string> page_names();
[[nodiscard]] Page read_page(const std::string& name);
/// The section of this title; a failed expectation and an empty one when there is none.
[[nodiscard]] Section section_of(const Page& page, const std::string& title);

/// What stands in backquotes in a text, in order.
[[nodiscard]] std::vector<std::string> quoted(const std::string& text);
/// The cells of the rows of all tables of a section, headings left out.
[[nodiscard]] std::vector<std::vector<std::string>> table_rows(const Section& section);
/// Everything in backquotes in the first column.
[[nodiscard]] std::set<std::string> first_cells(const Section& section);
/// The anchor that a heading gets: "Run inputs" -> "#run-inputs".
[[nodiscard]] std::string anchor_of(const std::string& title);
/// The targets of the links of a text: [..](target).
[[nodiscard]] std::vector<std::string> links_of(const std::string& text);

/// The commands among the lines: those that begin with "npunet " or "build/release/npunet ", each
/// with its continuation lines (a backslash at the end of the line before).
[[nodiscard]] std::vector<std::string> commands_of(const std::vector<std::string>& lines);

}  // namespace npunet::docs_test
