// One HTML page in one file: nothing is fetched, and a Content-Security-Policy in it forbids to
// fetch or to run anything but what the page brings along.
//
//     Page page("Simulation: 92.62 us");
//     page.add({"links", "Links", table.html()});
//     file.stream() << page.html();
//
// The style and the script are report.css and report.js beside this file. The page is HTML that is
// well-formed XML, too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace npunet::report {

/// A part of a page, with an entry in its table of contents.
struct Section {
    std::string id;     ///< letters, digits and dashes, unique on the page
    std::string title;  ///< text
    std::string body;   ///< HTML
};

class Page {
public:
    /// `title`: text, the heading and the name of the page.
    explicit Page(std::string title);

    void add(Section section);

    [[nodiscard]] std::string html() const;

private:
    std::string title_;
    std::vector<Section> sections_;
};

/// "<p>" and the text.
[[nodiscard]] std::string paragraph(const std::string& text);

/// The texts as a list; nothing for none.
[[nodiscard]] std::string bullet_list(const std::vector<std::string>& texts);

/// What it is and how much or which, one below the other.
struct Fact {
    std::string name;
    std::string value;
};
[[nodiscard]] std::string fact_list(const std::vector<Fact>& facts);

// report.css, and report.js, picture.js, chart.js, link_map.js and link_matrix.js in turn, which
// the build puts into the program (embed.cmake).
extern const std::string_view page_style;
extern const std::string_view page_script;
/// Their SHA-256 hashes in hexadecimal digits.
extern const std::string_view page_style_sha256;
extern const std::string_view page_script_sha256;

}  // namespace npunet::report
