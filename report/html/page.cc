#include "report/html/page.h"

#include <fmt/format.h>

#include <cassert>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <utility>

#include "report/html/escape.h"

namespace npunet::report {

namespace {

unsigned nibble(char digit) {
    return static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

/// Base64 (RFC 4648) of bytes that are written in hexadecimal digits, as the policy wants a hash.
std::string base64_of(std::string_view hexadecimal) {
    static constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    // Three digits are 12 bits, two letters.
    for (std::size_t i = 0; i < hexadecimal.size(); i += 3) {
        unsigned bits = 0;
        for (std::size_t k = i; k < i + 3; ++k) {
            bits = bits << 4U | (k < hexadecimal.size() ? nibble(hexadecimal[k]) : 0U);
        }
        text += alphabet[bits >> 6U];
        if (hexadecimal.size() - i > 1) {
            text += alphabet[bits & 63U];
        }
    }
    while (text.size() % 4 != 0) {
        text += '=';
    }
    return text;
}

std::string head(const std::string& title) {
    return fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<meta name="referrer" content="no-referrer"/>
<title>{}</title>
<style>)",
                       base64_of(page_script_sha256), base64_of(page_style_sha256),
                       html_text(title))
        .append(page_style)
        .append("</style>\n</head>\n");
}

}  // namespace

Page::Page(std::string title) : title_(std::move(title)) {}

void Page::add(Section section) {
    for (const char c : section.id) {
        assert(c == '-' || std::isalnum(static_cast<unsigned char>(c)) != 0);
        static_cast<void>(c);
    }
    sections_.push_back(std::move(section));
}

std::string Page::html() const {
    std::string html = head(title_);
    html += fmt::format(R"html(<body>
<svg class="patterns" aria-hidden="true"><defs><pattern id="idle-hatch" width="6" height="6"
patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6"/><line x1="0"
y1="0" x2="0" y2="6"/></pattern></defs></svg>
<a class="skip" href="#content">To the content</a>
<header><h1>{}</h1></header>
<nav aria-label="Sections"><ul>
)html",
                        html_text(title_));
    for (const Section& section : sections_) {
        html +=
            fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, html_text(section.title));
    }
    html += "</ul></nav>\n<main id=\"content\" tabindex=\"-1\">\n";
    for (const Section& section : sections_) {
        html += fmt::format(R"(<section id="{0}" aria-labelledby="{0}-heading">
<h2 id="{0}-heading">{1}</h2>
{2}</section>
)",
                            section.id, html_text(section.title), section.body);
    }
    html += "</main>\n<footer><p>Made by npunet.</p></footer>\n<script>";
    return html.append(page_script).append("</script>\n</body>\n</html>\n");
}

std::string paragraph(const std::string& text) {
    return "<p>" + html_text(text) + "</p>\n";
}

std::string bullet_list(const std::vector<std::string>& texts) {
    std::string html;
    for (const std::string& text : texts) {
        html += "<li>" + html_text(text) + "</li>\n";
    }
    return html.empty() ? html : "<ul>\n" + html + "</ul>\n";
}

std::string fact_list(const std::vector<Fact>& facts) {
    std::string html = "<dl>\n";
    for (const Fact& fact : facts) {
        html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html_text(fact.name),
                            html_text(fact.value));
    }
    return html + "</dl>\n";
}

}  // namespace npunet::report
