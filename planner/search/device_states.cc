#include "planner/search/device_states.h"

#include <algorithm>

namespace npunet::planner {

namespace {

// A code holds class, devices left, and the two marks.
constexpr unsigned previous_bit = 1;
constexpr unsigned last_bit = 2;
constexpr unsigned left_shift = 2;
constexpr unsigned left_bits = 13;  // hostfile.h: at most 4096 devices a node
constexpr unsigned class_shift = left_shift + left_bits;

}  // namespace

char32_t OpenNode::code() const {
    return static_cast<char32_t>((static_cast<unsigned>(node_class) << class_shift) |
                                 (static_cast<unsigned>(left) << left_shift) |
                                 (has_previous ? previous_bit : 0U) | (has_last ? last_bit : 0U));
}

OpenNode OpenNode::of(char32_t code) {
    OpenNode node;
    node.node_class = code >> class_shift;
    node.left = static_cast<std::int64_t>((code >> left_shift) & ((1U << left_bits) - 1));
    node.has_previous = (code & previous_bit) != 0;
    node.has_last = (code & last_bit) != 0;
    return node;
}

DeviceStates::DeviceStates(const Problem& problem, const std::vector<StageSet>& sets,
                           bool marks_last)
    : classes_(problem.classes()),
      sets_(sets),
      marks_last_(marks_last),
      types_(problem.cluster().types.size()) {
    Key all;
    for (const NodeClass& node_class : classes_) {
        all.push_back(static_cast<char32_t>(node_class.members.size()));
    }
    (void)intern(all);
}

std::uint32_t DeviceStates::intern(const Key& key) {
    const auto [known, is_new] = index_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (is_new) {
        keys_.push_back(key);
        std::int64_t left = 0;
        for (std::size_t c = 0; c < classes_.size(); ++c) {
            left += static_cast<std::int64_t>(key[c]) * classes_[c].node.devices;
        }
        for (std::size_t i = classes_.size(); i < key.size(); ++i) {
            left += OpenNode::of(key[i]).left;
        }
        left_.push_back(left);
    }
    return known->second;
}

std::vector<std::int64_t> DeviceStates::devices_by_type(std::uint32_t state) const {
    std::vector<std::int64_t> devices(types_, 0);
    const Key& key = keys_[state];
    for (std::size_t c = 0; c < classes_.size(); ++c) {
        devices[classes_[c].node.type] +=
            static_cast<std::int64_t>(key[c]) * classes_[c].node.devices;
    }
    for (std::size_t i = classes_.size(); i < key.size(); ++i) {
        const OpenNode open = OpenNode::of(key[i]);
        devices[classes_[open.node_class].node.type] += open.left;
    }
    return devices;
}

bool DeviceStates::has_previous(std::uint32_t state) const {
    const Key& key = keys_[state];
    return std::any_of(key.begin() + static_cast<std::ptrdiff_t>(classes_.size()), key.end(),
                       [](char32_t code) { return OpenNode::of(code).has_previous; });
}

bool DeviceStates::has_last(std::uint32_t state) const {
    const Key& key = keys_[state];
    return std::any_of(key.begin() + static_cast<std::ptrdiff_t>(classes_.size()), key.end(),
                       [](char32_t code) { return OpenNode::of(code).has_last; });
}

DeviceStates::Key DeviceStates::without_whole(const Key& key, const StageSet& set) const {
    Key rest = key;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
        const auto taken = static_cast<char32_t>(set.whole[c]);
        if (rest[c] < taken) {
            return {};
        }
        rest[c] -= taken;
    }
    for (std::size_t i = classes_.size(); i < rest.size(); ++i) {
        OpenNode open = OpenNode::of(rest[i]);
        open.has_previous = false;
        rest[i] = open.code();
    }
    return rest;
}

void DeviceStates::add_moves(std::uint32_t state, const std::vector<std::uint32_t>& sets,
                             std::vector<Move>& moves) {
    const Key key = keys_[state];  // a copy: intern() adds keys
    const auto opens = static_cast<std::ptrdiff_t>(classes_.size());
    for (const std::uint32_t index : sets) {
        const StageSet& set = sets_[index];
        if (set.devices > left_[state]) {
            continue;
        }
        if (set.part_class >= 0) {
            add_part_moves(state, index, key, moves);
            continue;
        }
        Key rest = without_whole(key, set);
        if (!rest.empty()) {
            std::sort(rest.begin() + opens, rest.end());
            moves.push_back({index, intern(rest), 0, false, false});
        }
    }
}

void DeviceStates::add_part_moves(std::uint32_t state, std::uint32_t index, const Key& key,
                                  std::vector<Move>& moves) {
    const StageSet& set = sets_[index];
    const auto opens = static_cast<std::ptrdiff_t>(classes_.size());
    const auto part_class = static_cast<std::size_t>(set.part_class);
    const Key rest = without_whole(key, set);
    if (rest.empty()) {
        return;
    }
    const auto leave = [&](Key next, std::int64_t left, bool has_last, Move move) {
        if (left > 0) {
            OpenNode open{part_class, left, set.is_part(), has_last};
            next.push_back(open.code());
        }
        std::sort(next.begin() + opens, next.end());
        move.set = index;
        move.state = intern(next);
        moves.push_back(move);
    };
    if (rest[part_class] > 0) {
        Key next = rest;
        --next[part_class];
        const bool is_last = marks_last_ && state == full() && set.is_part();
        leave(next, classes_[part_class].node.devices - set.part_devices, is_last, {});
    }
    for (std::size_t i = classes_.size(); i < key.size(); ++i) {
        const OpenNode open = OpenNode::of(key[i]);
        const bool is_repeated = i > classes_.size() && key[i] == key[i - 1];
        if (is_repeated || open.node_class != part_class || open.left < set.part_devices) {
            continue;
        }
        Key next = rest;
        next.erase(i, 1);
        Move move;
        move.source = key[i];
        move.joins_previous = set.is_part() && open.has_previous;
        move.joins_last = set.is_part() && open.has_last;
        leave(next, open.left - set.part_devices, open.has_last, move);
    }
}

}  // namespace npunet::planner
