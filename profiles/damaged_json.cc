#include "profiles/damaged_json.h"

#include <array>

#include "profiles/json_text.h"

namespace npunet::profiles {

namespace {

constexpr std::size_t none = std::string_view::npos;

bool ends_word(char c) {
    return is_blank(c) || c == ',' || c == ']' || c == '}' || c == ':' || c == '"';
}

/// Behind the string whose opening quote is at `from`.
std::size_t behind_string(std::string_view text, std::size_t from) {
    for (std::size_t i = from + 1; i < text.size(); ++i) {
        if (text[i] == '\\') {
            ++i;
        } else if (text[i] == '"') {
            return i + 1;
        }
    }
    return none;
}

bool is_word_of_json(std::string_view word) {
    if (word == "true" || word == "false" || word == "null") {
        return true;
    }
    return !word.empty() && word.find_first_not_of("+-.0123456789eE") == none &&
           word.find_first_of("0123456789") != none;
}

bool is_escape(char c) {
    return std::string_view("\"\\/bfnrtu").find(c) != none;
}

void append_string(std::string_view text, std::string& out) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\') {
            const bool escapes = i + 1 < text.size() && is_escape(text[i + 1]);
            out += '\\';
            out += escapes ? text[++i] : '\\';
        } else {
            out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
    }
}

}  // namespace

std::size_t value_length(std::string_view text) {
    std::size_t depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        switch (text[i]) {
            case '"':
                i = behind_string(text, i);
                if (i == none) {
                    return none;
                }
                if (depth == 0) {
                    return i;
                }
                --i;
                break;
            case '{':
            case '[':
                ++depth;
                break;
            case '}':
            case ']':
                if (depth <= 1) {
                    return depth == 0 ? i : i + 1;
                }
                --depth;
                break;
            case ',':
                if (depth == 0) {
                    return i;
                }
                break;
            default:
                break;
        }
    }
    return none;
}

std::string repaired(std::string_view text) {
    std::string out;
    out.reserve(text.size() + 16);
    bool value_due = false;  // behind a colon
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (is_blank(c)) {
            out += c;
            ++i;
        } else if (c == '"') {
            std::size_t end = behind_string(text, i);
            end = end == none ? text.size() : end;
            append_string(text.substr(i, end - i), out);
            i = end;
            value_due = false;
        } else if (c == ',' || c == '}' || c == ']') {
            out += value_due ? "null" : "";
            out += c;
            ++i;
            value_due = false;
        } else if (c == '{' || c == '[' || c == ':') {
            out += c;
            ++i;
            value_due = c == ':';
        } else {
            std::size_t end = i + 1;
            while (end < text.size() && !ends_word(text[end])) {
                ++end;
            }
            const std::string_view word = text.substr(i, end - i);
            out += is_word_of_json(word) ? word : "null";
            i = end;
            value_due = false;
        }
    }
    return out;
}

std::size_t next_event(std::string_view text, std::size_t from) {
    constexpr std::array<std::string_view, 4> first_keys = {"\"ph\"", "\"name\"", "\"cat\"",
                                                            "\"args\""};
    for (std::size_t i = text.find('{', from); i != none; i = text.find('{', i + 1)) {
        std::size_t key = i + 1;
        while (key < text.size() && is_blank(text[key])) {
            ++key;
        }
        for (const std::string_view first : first_keys) {
            if (text.substr(key, first.size()) == first) {
                return i;
            }
        }
    }
    return none;
}

}  // namespace npunet::profiles
