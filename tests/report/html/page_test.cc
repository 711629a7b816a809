#include "report/html/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>

#include "tests/report/html/parsed_page.h"
#include "tests/report/html/sample_pages.h"
#include "tests/support/temporary_folder.h"

namespace npunet::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Page two_sections() {
    Page page("A < B");
    page.add({"first", "First & foremost", paragraph("text <b>")});
    page.add({"second", "Second", fact_list({{"name", "<value>"}}) + bullet_list({"one", "two"})});
    return page;
}

/// In hexadecimal digits, by a program of the system.
std::string sha256_of(const std::string& text) {
    const test::TemporaryFolder folder;
    const std::string command = "sha256sum '" + folder.write("asset", text).string() + "'";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
    std::array<char, 65> digits{};
    EXPECT_EQ(std::fread(digits.data(), 1, 64, pipe.get()), 64U);
    return digits.data();
}

/// The bytes that base64 stands for, in hexadecimal digits.
std::string hexadecimal(const std::string& base64) {
    const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bits;
    for (const char c : base64) {
        const std::size_t value = alphabet.find(c);
        for (int bit = 5; bit >= 0 && value != std::string::npos; --bit) {
            bits += (value >> static_cast<unsigned>(bit) & 1U) != 0 ? '1' : '0';
        }
    }
    std::string digits;
    for (std::size_t i = 0; i + 4 <= bits.size(); i += 4) {
        digits += "0123456789abcdef"[std::stoul(bits.substr(i, 4), nullptr, 2)];
    }
    return digits.substr(0, 64);
}

std::string policy_of(const Element& root) {
    return root.having("http-equiv", "Content-Security-Policy").at(0)->attribute("content");
}

/// What follows `directive 'sha256-`.
std::string hash_in(const std::string& policy, const std::string& directive) {
    const std::size_t from = policy.find(directive + " 'sha256-") + directive.size() + 9;
    return policy.substr(from, policy.find('\'', from) - from);
}

TEST(Page, HasLandmarksHeadingsAndContents) {
    const Element root = parsed(two_sections().html());
    EXPECT_EQ(root.all("html").at(0)->attribute("lang"), "en");
    EXPECT_EQ(root.all("title").at(0)->text(), "A < B");
    ASSERT_EQ(root.all("h1").size(), 1U);
    EXPECT_EQ(root.all("h1")[0]->text(), "A < B");
    for (const char* landmark : {"header", "nav", "main", "footer"}) {
        EXPECT_EQ(root.all(landmark).size(), 1U) << landmark;
    }
    std::vector<std::string> targets;
    for (const Element* link : root.all("nav").at(0)->all("a")) {
        targets.push_back(link->attribute("href"));
        const Element& section = root.with_id(targets.back().substr(1));
        EXPECT_EQ(section.name, "section");
        EXPECT_EQ(root.with_id(section.attribute("aria-labelledby")).text(), link->text());
    }
    EXPECT_THAT(targets, ElementsAre("#first", "#second"));
    EXPECT_EQ(root.with_id("first").all("p").at(0)->text(), "text <b>");
    EXPECT_EQ(root.with_id("second").all("dd").at(0)->text(), "<value>");
}

// Nothing may be fetched, and only the script and the style of the page itself are allowed: their
// hashes are in the policy.
TEST(Page, ForbidsEverythingButItsOwn) {
    const Element root = parsed(two_sections().html());
    const std::string policy = policy_of(root);
    EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
    EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
    EXPECT_EQ(hexadecimal(hash_in(policy, "style-src")),
              sha256_of(root.all("style").at(0)->text()));
    // CDATA hides the script from a reader of XML, but for the two slashes of its comments.
    const std::string html = two_sections().html();
    const std::size_t from = html.rfind("<script>") + 8;
    EXPECT_EQ(hexadecimal(hash_in(policy, "script-src")),
              sha256_of(html.substr(from, html.rfind("</script>") - from)));
}

// Whatever could make a browser fetch something; the page has none of it.
TEST(Page, RefersToNothingOutside) {
    const std::string html = two_sections().html();
    for (const char* outside :
         {"http:", "https:", "src=", "@import", "<link", "<iframe", "<object", "<img"}) {
        EXPECT_THAT(html, Not(HasSubstr(outside)));
    }
    for (std::size_t at = html.find("url("); at != std::string::npos;
         at = html.find("url(", at + 1)) {
        EXPECT_EQ(html[at + 4], '#') << "beyond the page itself";
    }
}

}  // namespace
}  // namespace npunet::report
