#include "generators/megatron/logs/event_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "generators/transformer/plan.h"

namespace npunet::generators::megatron {

namespace {

constexpr std::int64_t any_count = std::int64_t{1} << 62;
constexpr std::int64_t int32_count = std::numeric_limits<std::int32_t>::max();

struct KeyRow {
    std::string_view name;
    KeyForm form;
    bool nullable = false;
    std::int64_t least = 0;
    std::int64_t most = 0;
};

constexpr std::array<KeyRow, event_keys> key_rows = {{
    {"op", KeyForm::Text},
    {"call_id", KeyForm::Integer, false, 0, any_count},
    {"ranks", KeyForm::Ranks},
    {"backend", KeyForm::Text, true},
    {"world_size", KeyForm::Integer, false, 1, most_ranks},
    {"shape", KeyForm::Shape},
    {"dtype", KeyForm::Text},
    {"reduce_op", KeyForm::Text},
    {"src", KeyForm::Integer, true, 0, most_ranks - 1},
    {"dst", KeyForm::Integer, false, 0, most_ranks - 1},
    {"peer", KeyForm::Integer, false, 0, most_ranks - 1},
    {"tag", KeyForm::Integer, false, 0, any_count},
    {"batch_idx", KeyForm::Integer, false, 0, int32_count},
    {"batch_size", KeyForm::Integer, false, 1, int32_count},
    {"tensor_shape", KeyForm::Shape},
    {"input_shape", KeyForm::Shape},
    {"output_shape", KeyForm::Shape},
    {"input_shapes", KeyForm::ShapeList},
    {"output_shapes", KeyForm::ShapeList},
    {"scatter_list_shapes", KeyForm::ShapeList, true},
    {"gather_list_shapes", KeyForm::ShapeList, true},
    {"src_rank", KeyForm::Integer, false, 0, most_ranks - 1},
    {"group", KeyForm::Text, true},
    {"async", KeyForm::Flag},
    {"phase", KeyForm::Text, true},
    {"micro_batch", KeyForm::Integer, true, 0, int32_count},
    {"chunk", KeyForm::Integer, true, 0, int32_count},
    {"layer", KeyForm::Integer, true, 0, int32_count},
}};

const KeyRow& row_of(EventKey key) {
    return key_rows[static_cast<std::size_t>(key)];
}

/// The names that a function of the enumerators gives, for messages.
template <class Value>
std::string all_names(std::size_t count) {
    std::string names = "one of ";
    for (std::size_t i = 0; i < count; ++i) {
        names += fmt::format("{}{}", i == 0 ? "" : ", ", name_of(static_cast<Value>(i)));
    }
    return names;
}

[[noreturn]] void fail(std::string found, std::string expected) {
    throw EventError{std::move(found), std::move(expected), record_again};
}

/// Text for a message, without control characters and not too long.
std::string quoted(const std::string& text) {
    constexpr std::size_t most = 40;
    std::string shown = text.size() <= most ? text : text.substr(0, most - 3) + "...";
    for (char& letter : shown) {
        letter = letter >= ' ' && letter <= '~' ? letter : '?';
    }
    return "'" + shown + "'";
}

template <class Value>
std::int64_t enumerator(EventKey key, std::optional<Value> value, const std::string& text,
                        std::size_t count) {
    if (!value) {
        fail(fmt::format("{} {}", name_of(key), quoted(text)), all_names<Value>(count));
    }
    return static_cast<std::int64_t>(*value);
}

/// In the order of Phase.
std::int64_t phase_number(const std::string& name) {
    constexpr std::array<std::string_view, 4> phases = {"set-up", "forward", "backward", "update"};
    const auto found = std::find(phases.begin(), phases.end(), name);
    if (found == phases.end()) {
        fail(fmt::format("phase {}", quoted(name)), "one of set-up, forward, backward, update");
    }
    return found - phases.begin();
}

}  // namespace

std::string_view name_of(EventKey key) {
    return row_of(key).name;
}

std::optional<EventKey> event_key_named(std::string_view name) {
    const auto found = std::find_if(key_rows.begin(), key_rows.end(),
                                    [&](const KeyRow& row) { return row.name == name; });
    if (found == key_rows.end()) {
        return std::nullopt;
    }
    return static_cast<EventKey>(found - key_rows.begin());
}

KeyForm form_of(EventKey key) {
    return row_of(key).form;
}

bool may_be_null(EventKey key) {
    return row_of(key).nullable;
}

std::int64_t least_of(EventKey key) {
    return row_of(key).least;
}

std::int64_t most_of(EventKey key) {
    return row_of(key).most;
}

bool ShapeList::add(const Shape& shape) {
    const std::optional<std::int64_t> more = shape.elements();
    if (!more || *more > most_call_bytes - elements) {
        return false;
    }
    equal = equal && (count == 0 || shape == first);
    first = count == 0 ? shape : first;
    elements += *more;
    ++count;
    return true;
}

void EventValues::clear() {
    stands_.reset();
    null_.reset();
}

void EventValues::mark(EventKey key) {
    if (stands(key)) {
        fail(fmt::format("the key {} twice", name_of(key)), "every key once");
    }
    stands_.set(index(key));
}

void EventValues::set_null(EventKey key) {
    mark(key);
    null_.set(index(key));
}

void EventValues::set_flag(EventKey key, bool value) {
    mark(key);
    integers_[index(key)] = value ? 1 : 0;
}

void EventValues::set_integer(EventKey key, std::int64_t value) {
    mark(key);
    if (value < least_of(key) || value > most_of(key)) {
        fail(fmt::format("{} {}", name_of(key), value),
             fmt::format("a whole number from {} to {}", least_of(key), most_of(key)));
    }
    integers_[index(key)] = value;
}

void EventValues::set_text(EventKey key, const std::string& value) {
    mark(key);
    std::int64_t& number = integers_[index(key)];
    switch (key) {
        case EventKey::Op:
            number = enumerator(key, operation_named(value), value, operations);
            break;
        case EventKey::DType:
            number = enumerator(key, data_type_named(value), value,
                                static_cast<std::size_t>(DataType::Bool) + 1);
            break;
        case EventKey::ReduceOp:
            number = enumerator(key, reduce_op_named(value), value,
                                static_cast<std::size_t>(ReduceOp::Average) + 1);
            break;
        case EventKey::Phase:
            number = phase_number(value);
            break;
        case EventKey::Backend:
            backend_ = value;
            break;
        default:
            group_ = value;
            break;
    }
}

void EventValues::check_ranks() const {
    const auto ascending = [](const std::vector<Rank>& ranks) {
        return std::adjacent_find(ranks.begin(), ranks.end(),
                                  [](Rank a, Rank b) { return !(a < b); });
    };
    if (ascending(ranks_) == ranks_.end()) {
        return;
    }
    std::vector<Rank> sorted = ranks_;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = ascending(sorted);
    if (twice != sorted.end()) {
        fail(fmt::format("rank {} twice in ranks", twice->value()), "every rank once");
    }
}

void EventValues::set_ranks(EventKey key, const std::vector<Rank>& ranks) {
    mark(key);
    if (ranks.empty()) {
        fail("an empty list of ranks", "at least one rank");
    }
    ranks_ = ranks;
    check_ranks();
}

void EventValues::set_shape(EventKey key, const Shape& shape) {
    ShapeList one;
    if (!one.add(shape)) {
        mark(key);
        fail(fmt::format("{} of more than 2^60 elements", name_of(key)),
             "sizes whose product is a tensor's number of elements");
    }
    set_shapes(key, one);
}

void EventValues::set_shapes(EventKey key, const ShapeList& shapes) {
    mark(key);
    lists_[index(key)] = shapes;
}

}  // namespace npunet::generators::megatron
