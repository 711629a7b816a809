// A page as a reader of XML sees it: what is malformed does not parse, and texts are what they were
// before they were escaped.
//
//     const Element page = parsed(html);
//     page.with_id("links-table")->all("tr").size();
#pragma once

#include <map>
#include <string>
#include <vector>

namespace npunet::report {

struct Element {
    std::string name;
    std::map<std::string, std::string> attributes;
    std::string own_text;  ///< without that of its children
    std::vector<Element> children;

    /// All text within it, in the order of the page.
    [[nodiscard]] std::string text() const;
    /// The elements of a name within it, in the order of the page.
    [[nodiscard]] std::vector<const Element*> all(const std::string& name) const;
    /// The only element with this id; a failed expectation and an empty one otherwise.
    [[nodiscard]] const Element& with_id(const std::string& id) const;
    /// What is within it by the value of an attribute.
    [[nodiscard]] std::vector<const Element*> having(const std::string& attribute,
                                                     const std::string& value) const;
    [[nodiscard]] const std::string& attribute(const std::string& name) const;
};

/// A failed expectation, and what was read so far, where it is not well-formed.
[[nodiscard]] Element parsed(const std::string& html);

/// The cells of the body of the table in `root`, row by row.
[[nodiscard]] std::vector<std::vector<std::string>> body_rows(const Element& root);

}  // namespace npunet::report
