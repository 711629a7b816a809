// Takes one event of a trace from RapidJSON's reader (its SAX interface) into an EventDraft.
//
// For the sources of this folder only.
#pragma once

#include <rapidjson/reader.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "profiles/event_draft.h"

namespace npunet::profiles {

class EventHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, EventHandler> {
public:
    explicit EventHandler(StringTable& strings) : strings_(strings) {}

    void begin_event();
    [[nodiscard]] const EventDraft& draft() const { return draft_; }

    // What the reader calls. Numbers come as text.
    bool Null();
    bool Bool(bool value);
    bool RawNumber(const char* text, rapidjson::SizeType length, bool copy);
    bool String(const char* text, rapidjson::SizeType length, bool copy);
    bool Key(const char* text, rapidjson::SizeType length, bool copy);
    bool StartObject();
    bool EndObject(rapidjson::SizeType members);
    bool StartArray();
    bool EndArray(rapidjson::SizeType elements);

private:
    /// How the value of an argument is taken.
    enum class Take : std::uint8_t { Nothing, Number, Text };
    struct Target {
        Take take = Take::Nothing;
        std::int64_t* number = nullptr;
        StringId* text = nullptr;
        bool* present = nullptr;
        std::int64_t most = 0;  ///< largest absolute value of the number
    };
    enum class Field : std::uint8_t {
        None,
        Phase,
        EventCategory,
        Name,
        Pid,
        Tid,
        Start,
        Duration,
        Id,
        Args
    };

    [[nodiscard]] static Field field_of(std::string_view key);
    [[nodiscard]] Target target_of(std::string_view key);
    [[nodiscard]] Target collective_target(std::string_view key);
    [[nodiscard]] Target operator_target(std::string_view key);
    [[nodiscard]] static Target number(
        std::int64_t& value, bool* present = nullptr,
        std::int64_t most = std::numeric_limits<std::int64_t>::max());
    /// A field in microseconds as nanoseconds; records a value that is not from 0 to `most`.
    [[nodiscard]] std::int64_t time(const char* field, std::string_view value, std::int64_t most);
    [[nodiscard]] static Target text(StringId& value, bool* present = nullptr);
    [[nodiscard]] bool is_communication();
    void take_field(std::string_view value);
    void take_argument(std::string_view value, bool quoted);
    void value(std::string_view value, bool quoted);
    void capture(std::string_view value, bool quoted);

    StringTable& strings_;
    EventDraft draft_;
    int depth_ = 0;
    Field field_ = Field::None;  ///< of the value that comes next, at depth 1
    bool in_args_ = false;
    Target target_;         ///< of the value that comes next, in the arguments
    std::string argument_;  ///< name of a numeric argument
    int capturing_ = 0;     ///< depth of the list that is kept as text; 0: none
    std::string captured_;  ///< so far
};

}  // namespace npunet::profiles
