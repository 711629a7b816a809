#include "tests/report/html/parsed_page.h"

#include <expat.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <type_traits>

namespace npunet::report {

namespace {

/// Texts are children without a name, so that their order is kept.
struct Reading {
    Element root;
    std::vector<Element> open;

    void close() {
        Element done = std::move(open.back());
        open.pop_back();
        (open.empty() ? root : open.back()).children.push_back(std::move(done));
    }
};

void start(void* reading, const XML_Char* name, const XML_Char** attributes) {
    Element element;
    element.name = name;
    for (; *attributes != nullptr; attributes += 2) {
        element.attributes[attributes[0]] = attributes[1];
    }
    static_cast<Reading*>(reading)->open.push_back(std::move(element));
}

void end(void* reading, const XML_Char* /*name*/) {
    static_cast<Reading*>(reading)->close();
}

void characters(void* reading, const XML_Char* text, int length) {
    auto* const to = static_cast<Reading*>(reading);
    Element piece;
    piece.own_text.assign(text, static_cast<std::size_t>(length));
    to->open.back().own_text += piece.own_text;
    to->open.back().children.push_back(std::move(piece));
}

void visit(const Element& element, const std::function<void(const Element&)>& see) {
    for (const Element& child : element.children) {
        see(child);
        visit(child, see);
    }
}

}  // namespace

std::string Element::text() const {
    std::string all = name.empty() ? own_text : "";
    visit(*this, [&](const Element& piece) { all += piece.name.empty() ? piece.own_text : ""; });
    return all;
}

std::vector<const Element*> Element::all(const std::string& wanted) const {
    std::vector<const Element*> found;
    visit(*this, [&](const Element& element) {
        if (element.name == wanted) {
            found.push_back(&element);
        }
    });
    return found;
}

std::vector<const Element*> Element::having(const std::string& attribute,
                                            const std::string& value) const {
    std::vector<const Element*> found;
    visit(*this, [&](const Element& element) {
        const auto entry = element.attributes.find(attribute);
        if (entry != element.attributes.end() && entry->second == value) {
            found.push_back(&element);
        }
    });
    return found;
}

const Element& Element::with_id(const std::string& id) const {
    static const Element none;
    const std::vector<const Element*> found = having("id", id);
    EXPECT_EQ(found.size(), 1U) << id;
    return found.size() == 1 ? *found[0] : none;
}

const std::string& Element::attribute(const std::string& wanted) const {
    static const std::string none;
    const auto entry = attributes.find(wanted);
    return entry == attributes.end() ? none : entry->second;
}

Element parsed(const std::string& html) {
    const std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser(
        XML_ParserCreate("UTF-8"), &XML_ParserFree);
    Reading reading;
    XML_SetUserData(parser.get(), &reading);
    XML_SetElementHandler(parser.get(), start, end);
    XML_SetCharacterDataHandler(parser.get(), characters);
    EXPECT_EQ(XML_Parse(parser.get(), html.data(), static_cast<int>(html.size()), 1), XML_STATUS_OK)
        << XML_ErrorString(XML_GetErrorCode(parser.get()));
    return reading.root;
}

std::vector<std::vector<std::string>> body_rows(const Element& root) {
    std::vector<std::vector<std::string>> rows;
    for (const Element* body : root.all("tbody")) {
        for (const Element* line : body->all("tr")) {
            rows.emplace_back();
            for (const Element& cell : line->children) {
                if (cell.name == "th" || cell.name == "td") {
                    rows.back().push_back(cell.text());
                }
            }
        }
    }
    return rows;
}

}  // namespace npunet::report
