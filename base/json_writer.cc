#include "base/json_writer.h"

#include <fmt/format.h>

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "base/units.h"

namespace npunet {

namespace {

/// Escapes U+007F to U+009F, which some terminals interpret but JSON does not require to be
/// escaped.
std::string without_late_controls(const std::string& json) {
    std::string safe;
    for (std::size_t place = 0; place < json.size(); ++place) {
        const bool late = is_late_control(json, place);
        if (late || json[place] == '\x7F') {
            place += late ? 1 : 0;
            safe += fmt::format("\\u{:04x}", static_cast<unsigned char>(json[place]));
        } else {
            safe += json[place];
        }
    }
    return safe;
}

std::string quoted(std::string_view text) {
    using Json = nlohmann::ordered_json;
    std::string json = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
    return json.find_first_of("\x7F\xC2") == std::string::npos ? json : without_late_controls(json);
}

template <class Number>
std::string decimal(Number number) {
    std::array<char, 32> buffer;
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
    assert(error == std::errc{});
    static_cast<void>(error);
    return {buffer.data(), end};
}

}  // namespace

std::string shortest(double number) {
    return decimal(number);
}

void JsonWriter::new_line() {
    text_ += '\n';
    text_.append(2 * levels_.size(), ' ');
}

void JsonWriter::start_value() {
    if (after_key_ || levels_.empty()) {
        after_key_ = false;
        return;
    }
    Level& level = levels_.back();
    if (!level.empty) {
        text_ += level.layout == Layout::Lines ? "," : ", ";
    }
    level.empty = false;
    if (level.layout == Layout::Lines) {
        new_line();
    }
}

JsonWriter& JsonWriter::open(char bracket, Layout layout) {
    start_value();
    text_ += bracket;
    levels_.push_back({layout, true});
    return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
    assert(!levels_.empty() && !after_key_);
    const Level level = levels_.back();
    levels_.pop_back();
    if (level.layout == Layout::Lines && !level.empty) {
        new_line();
    }
    text_ += bracket;
    return *this;
}

JsonWriter& JsonWriter::raw(std::string_view token) {
    start_value();
    text_ += token;
    return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    assert(!levels_.empty() && !after_key_);
    raw(quoted(name));
    text_ += ": ";
    after_key_ = true;
    return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
    return raw(quoted(text));
}

JsonWriter& JsonWriter::value(std::int64_t number) {
    return raw(decimal(number));
}

JsonWriter& JsonWriter::value(std::uint64_t number) {
    return raw(decimal(number));
}

JsonWriter& JsonWriter::value(double number) {
    return std::isfinite(number) ? raw(shortest(number)) : null();
}

JsonWriter& JsonWriter::value(Time time) {
    return raw(format_ns(time));
}

JsonWriter& JsonWriter::boolean(bool truth) {
    return raw(truth ? "true" : "false");
}

JsonWriter& JsonWriter::null() {
    return raw("null");
}

const std::string& JsonWriter::text() const {
    assert(levels_.empty() && !after_key_);
    return text_;
}

}  // namespace npunet
