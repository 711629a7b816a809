// What one event of a log says, key by key, and the call that it makes together.
//
//     EventValues values;
//     values.set_integer(EventKey::CallId, 7);  // in whatever order the keys stand
//     LoggedCall event;
//     complete_event(values, event);            // needs all that the operation must have
//
// For call_log_reader.cc, which adds file and place to an EventError.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "generators/megatron/logs/call_log.h"
#include "generators/megatron/program/call.h"

namespace npunet::generators::megatron {

enum class EventKey : std::uint8_t {
    Op,
    CallId,
    Ranks,
    Backend,
    WorldSize,
    Shape,
    DType,
    ReduceOp,
    Src,
    Dst,
    Peer,
    Tag,
    BatchIndex,
    BatchSize,
    TensorShape,
    InputShape,
    OutputShape,
    InputShapes,
    OutputShapes,
    ScatterListShapes,
    GatherListShapes,
    SrcRank,
    Group,
    Async,
    Phase,
    MicroBatch,
    Chunk,
    Layer
};
constexpr std::size_t event_keys = 28;

/// What can be done about an event that is refused.
inline constexpr const char* record_again = "Correct the event, or record or make the log again";

/// What stands behind a key.
enum class KeyForm : std::uint8_t { Text, Flag, Integer, Ranks, Shape, ShapeList };

[[nodiscard]] std::string_view name_of(EventKey key);
[[nodiscard]] std::optional<EventKey> event_key_named(std::string_view name);
[[nodiscard]] KeyForm form_of(EventKey key);
/// Whether null may stand there; it means that the key is missing, but for src of a receive.
[[nodiscard]] bool may_be_null(EventKey key);
/// The numbers that an Integer key takes.
[[nodiscard]] std::int64_t least_of(EventKey key);
[[nodiscard]] std::int64_t most_of(EventKey key);

/// What is wrong with an event.
struct EventError {
    std::string found;
    std::string expected;
    std::string remedy;
};

/// The shapes of a list of tensors, added up: equal ones keep their shape.
struct ShapeList {
    std::int64_t count = 0;
    Shape first;
    bool equal = true;
    std::int64_t elements = 0;

    /// False beyond the elements that a call may have.
    [[nodiscard]] bool add(const Shape& shape);
};

/// The most bytes that a call may move, so that sums of a few do not overflow.
constexpr std::int64_t most_call_bytes = std::int64_t{1} << 60;

class EventValues {
public:
    void clear();

    [[nodiscard]] bool stands(EventKey key) const { return stands_[index(key)]; }
    /// Stands there and is not null.
    [[nodiscard]] bool has(EventKey key) const { return stands(key) && !null_[index(key)]; }

    void set_null(EventKey key);
    void set_flag(EventKey key, bool value);
    /// Throws EventError for a number that the key does not take.
    void set_integer(EventKey key, std::int64_t value);
    /// Throws EventError for a name that the key does not take.
    void set_text(EventKey key, const std::string& value);
    /// Throws EventError for ranks that are there twice and for lists of none.
    void set_ranks(EventKey key, const std::vector<Rank>& ranks);
    /// Throws EventError beyond 2^60 elements.
    void set_shape(EventKey key, const Shape& shape);
    void set_shapes(EventKey key, const ShapeList& shapes);

    [[nodiscard]] std::int64_t integer(EventKey key) const { return integers_[index(key)]; }
    [[nodiscard]] const Shape& shape(EventKey key) const { return lists_[index(key)].first; }
    [[nodiscard]] const ShapeList& shapes(EventKey key) const { return lists_[index(key)]; }
    [[nodiscard]] const std::vector<Rank>& ranks() const { return ranks_; }
    [[nodiscard]] const std::string& backend() const { return backend_; }
    [[nodiscard]] const std::string& group() const { return group_; }

private:
    static std::size_t index(EventKey key) { return static_cast<std::size_t>(key); }
    void mark(EventKey key);
    void check_ranks() const;

    std::bitset<event_keys> stands_;
    std::bitset<event_keys> null_;
    std::array<std::int64_t, event_keys> integers_{};  ///< numbers, flags, enumerators
    std::array<ShapeList, event_keys> lists_{};
    std::vector<Rank> ranks_;
    std::string backend_;
    std::string group_;
};

/// Fills the event from what stands there, all but Call::group. Throws EventError for what the
/// operation needs and has not, and for more than most_call_bytes.
void complete_event(const EventValues& values, LoggedCall& event);

}  // namespace npunet::generators::megatron
