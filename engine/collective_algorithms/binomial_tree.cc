#include "engine/collective_algorithms/algorithms.h"

#include <algorithm>

namespace npunet::engine::binomial_tree {

namespace {

/// The children of a place are place + 1, + 2, + 4, ...: how many of them there are.
std::int32_t child_count(std::int32_t place, std::int32_t members) {
    std::int32_t children = 0;
    for (std::int64_t hop = 1; place + hop < members && (place & hop) == 0; hop *= 2) {
        ++children;
    }
    return children;
}

std::int32_t lowest_bit(std::int32_t value) {
    return value & -value;
}

/// The number of a place among the children of its parent.
std::int32_t number_as_child(std::int32_t place) {
    std::int32_t number = 0;
    while (((place >> number) & 1) == 0) {
        ++number;
    }
    return number;
}

bool outward(CollectiveKind kind) {
    return kind == CollectiveKind::Broadcast || kind == CollectiveKind::Scatter;
}

/// What a message between a place > 0 and its parent carries.
Bytes bytes_of(const PhaseShape& shape, std::int32_t place) {
    if (shape.kind == CollectiveKind::Broadcast || shape.kind == CollectiveKind::Reduce) {
        return shape.total();
    }
    const std::int32_t size = std::min(lowest_bit(place), shape.members - place);
    return shape.parts_from(shape.member_behind_root(place), size);
}

}  // namespace

std::int32_t count(const PhaseShape& shape) {
    const std::int32_t place = shape.behind_root();
    return child_count(place, shape.members) + (place > 0 ? 1 : 0);
}

std::int32_t reductions(const PhaseShape& shape) {
    return shape.kind == CollectiveKind::Reduce ? child_count(shape.behind_root(), shape.members)
                                                : 0;
}

Gate gate(const PhaseShape& shape, std::int32_t step) {
    const std::int32_t place = shape.behind_root();
    if (outward(shape.kind)) {
        return {place > 0 && step > 0 ? 1 : 0, 0};
    }
    const std::int32_t children = child_count(place, shape.members);
    return {step < children ? 0 : children, 0};
}

Exchange at(const PhaseShape& shape, std::int32_t step) {
    const std::int32_t place = shape.behind_root();
    const std::int32_t children = child_count(place, shape.members);
    const std::int32_t parent = place > 0 ? place - lowest_bit(place) : Exchange::no_rank;
    Exchange result;
    if (outward(shape.kind)) {
        if (place > 0 && step == 0) {
            result.receive_from = shape.member_behind_root(parent);
            return result;
        }
        const std::int32_t number = children - 1 - (step - (place > 0 ? 1 : 0));
        const std::int32_t child = place + (std::int32_t{1} << number);
        result.send_to = shape.member_behind_root(child);
        result.bytes = bytes_of(shape, child);
        return result;
    }
    if (step < children) {
        result.receive_from = shape.member_behind_root(place + (std::int32_t{1} << step));
        return result;
    }
    result.send_to = shape.member_behind_root(parent);
    result.bytes = bytes_of(shape, place);
    result.arrives_in = number_as_child(place);
    return result;
}

}  // namespace npunet::engine::binomial_tree
