// Which devices are left while stages are taken from the end of the pipeline to its start.
//
// A state is the number of whole nodes left of each class, and what is left of each node that
// stages have parts of (an open node). Two marks on open nodes say which stage consists of a part
// of it and nothing else: the one taken last, whose transfers from a further part of the node stay
// inside, and the pipeline's last, for interleaved plans. Equal nodes count as one: states that
// differ by their exchange are one state.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "planner/search/problem.h"
#include "planner/search/stage_sets.h"

namespace npunet::planner {

/// An open node: its class, what is left, and its marks.
struct OpenNode {
    std::size_t node_class = 0;
    std::int64_t left = 0;
    bool has_previous = false;  ///< the stage taken last is a part of it, and no more
    bool has_last = false;      ///< so is the pipeline's last stage

    [[nodiscard]] char32_t code() const;
    [[nodiscard]] static OpenNode of(char32_t code);
};

/// A stage's devices taken from a state.
struct Move {
    std::uint32_t set = 0;        ///< index into the sets
    std::uint32_t state = 0;      ///< what is left then
    char32_t source = 0;          ///< code of the open node that the part is of; 0: a whole node
    bool joins_previous = false;  ///< transfers to the stage taken before stay inside a node
    bool joins_last = false;      ///< so do those from the pipeline's last stage
};

class DeviceStates {
public:
    /// `marks_last`: the pipeline's last stage matters (interleaved plans).
    DeviceStates(const Problem& problem, const std::vector<StageSet>& sets, bool marks_last);

    /// All devices are left.
    [[nodiscard]] std::uint32_t full() const { return 0; }
    [[nodiscard]] bool is_empty(std::uint32_t state) const { return left_[state] == 0; }
    /// Devices that are left.
    [[nodiscard]] std::int64_t devices(std::uint32_t state) const { return left_[state]; }
    /// Devices of each type that are left.
    [[nodiscard]] std::vector<std::int64_t> devices_by_type(std::uint32_t state) const;
    [[nodiscard]] std::size_t size() const { return keys_.size(); }
    /// The stage taken last has a mark.
    [[nodiscard]] bool has_previous(std::uint32_t state) const;
    [[nodiscard]] bool has_last(std::uint32_t state) const;

    /// Every way to take the sets of the given numbers, appended to `moves`.
    void add_moves(std::uint32_t state, const std::vector<std::uint32_t>& sets,
                   std::vector<Move>& moves);

private:
    using Key = std::u32string;  // whole nodes of each class, then codes, ascending

    [[nodiscard]] std::uint32_t intern(const Key& key);
    void add_part_moves(std::uint32_t state, std::uint32_t set, const Key& key,
                        std::vector<Move>& moves);
    /// The key without the set's whole nodes and the mark of the stage taken last; empty when it
    /// has too few.
    [[nodiscard]] Key without_whole(const Key& key, const StageSet& set) const;

    const std::vector<NodeClass>& classes_;
    const std::vector<StageSet>& sets_;
    bool marks_last_;
    std::size_t types_;
    std::vector<Key> keys_;
    std::vector<std::int64_t> left_;
    std::unordered_map<Key, std::uint32_t> index_;  // looked up only
};

}  // namespace npunet::planner
