#include "profiles/text_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace npunet::profiles {

namespace {

constexpr std::string_view blanks = " \t";

}  // namespace

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

bool starts(std::string_view text, std::string_view with) {
    return text.substr(0, with.size()) == with;
}

bool take(std::string_view& text, std::string_view word) {
    if (!starts(text, word)) {
        return false;
    }
    text.remove_prefix(word.size());
    return true;
}

void skip_blanks(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
}

std::optional<std::int64_t> take_number(std::string_view& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || text.front() == '-') {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::string excerpt(std::string_view text) {
    constexpr std::size_t most = 60;
    std::string cut(text.substr(0, most));
    std::replace_if(
        cut.begin(), cut.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return fmt::format("'{}{}'", cut, text.size() > most ? "..." : "");
}

bool is_rule(std::string_view line) {
    const std::string_view text = trimmed(line);
    return !text.empty() && text.find_first_not_of('-') == std::string_view::npos;
}

bool could_be_title(std::string_view text) {
    return text.size() > 1 && text.front() >= 'A' && text.front() <= 'Z' &&
           text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ ()") == std::string_view::npos;
}

}  // namespace npunet::profiles
