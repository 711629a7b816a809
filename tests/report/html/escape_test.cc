#include "report/html/escape.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/report/html/parsed_page.h"
#include "tests/report/html/sample_pages.h"

namespace npunet::report::escape_test {
namespace {

using Json = nlohmann::json;

TEST(Escape, WritesWhatMarksUpAsReferences) {
    EXPECT_EQ(html_text("a < b & 'c' > \"d\""), "a &lt; b &amp; &#39;c&#39; &gt; &quot;d&quot;");
    EXPECT_EQ(html_text(""), "");
}

// Characters of two, three and four bytes stay what they are.
TEST(Escape, KeepsTextInUtf8) {
    const std::string text = "\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80";
    EXPECT_EQ(html_text(text), text);
}

// Neither XML 1.0 nor HTML can hold them: control characters but tab and line feed, DEL and C1,
// bytes that are not UTF-8 (stray, cut off, overlong, beyond U+10FFFF), surrogates, noncharacters.
TEST(Escape, ReplacesWhatAPageCannotHold) {
    const std::string replaced = "\xEF\xBF\xBD";
    for (const std::string& text :
         {std::string(1, '\0'), std::string("\x01"), std::string("\r"), std::string("\x1B"),
          std::string("\x7F"), std::string("\x80"), std::string("\xFF")}) {
        EXPECT_EQ(clean_text("a" + text + "b"), "a" + replaced + "b");
    }
    EXPECT_EQ(clean_text("\xC2\x85"), replaced + replaced);                 // U+0085
    EXPECT_EQ(clean_text("\xC0\xBC"), replaced + replaced);                 // an overlong <
    EXPECT_EQ(clean_text("\xE2\x82"), replaced + replaced);                 // cut off
    EXPECT_EQ(clean_text("\xED\xA0\x80"), replaced + replaced + replaced);  // U+D800
    EXPECT_EQ(clean_text("\xEF\xBF\xBE"), replaced + replaced + replaced);  // U+FFFE
    EXPECT_EQ(clean_text("\xF4\x90\x80\x80"), replaced + replaced + replaced + replaced);
    EXPECT_EQ(clean_text("\t\n"), "\t\n");
}

// What a reader of XML gets, in an element and in an attribute, is the text.
TEST(Escape, IsTakenBackByTheReader) {
    for (const std::string& text : hostile_texts()) {
        const Element page = parsed("<p>" + html_text(text) + "</p>");
        EXPECT_EQ(page.text(), text);
        if (text.find_first_of("\t\n") == std::string::npos) {
            const Element marked = parsed("<p title=\"" + html_text(text) + "\"></p>");
            EXPECT_EQ(marked.all("p").at(0)->attribute("title"), text);
        }
    }
}

// The JSON stays the same document, and holds nothing that means something in a script element.
TEST(Escape, MakesJsonHarmlessInAScript) {
    for (const std::string& text : hostile_texts()) {
        const std::string json = Json{{text, text}}.dump();
        const std::string safe = json_in_script(json);
        EXPECT_EQ(Json::parse(safe), Json::parse(json));
        EXPECT_EQ(safe.find_first_of("<>&"), std::string::npos) << safe;
    }
}

}  // namespace
}  // namespace npunet::report::escape_test
