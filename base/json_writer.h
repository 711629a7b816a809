// Writes JSON piece by piece, with numbers exactly as they are meant to be read.
//
// General JSON libraries keep a number as a double, which is too coarse for 2^63 picoseconds
// written in nanoseconds. Here a Time goes out as its exact decimal text, and a double in the
// shortest form that reads back as the same double, whatever the locale.
//
//     JsonWriter json;
//     json.begin_object(JsonWriter::Layout::Lines);
//     json.key("finish_ns").value(Time::ps(583'200));
//     json.end_object();
//     json.text();                       // {\n  "finish_ns": 583.2\n}
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantities.h"

namespace npunet {

/// Builds one JSON document. The calls must form a valid document; that is asserted.
class JsonWriter {
public:
    /// Whether the members of an object or array stand on lines of their own.
    enum class Layout : std::uint8_t { Inline, Lines };

    JsonWriter& begin_object(Layout layout = Layout::Inline) { return open('{', layout); }
    JsonWriter& end_object() { return close('}'); }
    JsonWriter& begin_array(Layout layout = Layout::Inline) { return open('[', layout); }
    JsonWriter& end_array() { return close(']'); }

    /// Names the value that follows; inside objects only.
    JsonWriter& key(std::string_view name);

    JsonWriter& value(std::string_view text);  ///< bytes that are not UTF-8 become U+FFFD
    JsonWriter& value(const char* text) { return value(std::string_view(text)); }
    JsonWriter& value(std::int64_t number);
    JsonWriter& value(std::int32_t number) { return value(static_cast<std::int64_t>(number)); }
    JsonWriter& value(std::uint64_t number);
    JsonWriter& value(double number);  ///< not finite: null
    JsonWriter& value(Time time);      ///< nanoseconds, exact
    JsonWriter& value(Bytes bytes) { return value(bytes.value()); }
    JsonWriter& boolean(bool truth);
    JsonWriter& null();

    /// key() and value() at once.
    template <class Value>
    JsonWriter& member(std::string_view name, const Value& content) {
        return key(name).value(content);
    }

    /// The same; null for Time::max(), which means never.
    JsonWriter& member_or_null(std::string_view name, Time time) {
        key(name);
        return time == Time::max() ? null() : value(time);
    }

    /// The document; every object and array must have been ended.
    [[nodiscard]] const std::string& text() const;

private:
    struct Level {
        Layout layout;
        bool empty;
    };

    JsonWriter& open(char bracket, Layout layout);
    JsonWriter& close(char bracket);
    JsonWriter& raw(std::string_view token);
    void start_value();
    void new_line();

    std::string text_;
    std::vector<Level> levels_;
    bool after_key_ = false;
};

/// The shortest decimal text that reads back as the same double ("0.1", "3523.082", "1e+22");
/// independent of the locale. "nan", "inf" and "-inf" for what is not finite.
[[nodiscard]] std::string shortest(double number);

}  // namespace npunet
