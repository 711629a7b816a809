#include "engine/program/shared_program.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/program/operation_decoder.h"

namespace npunet::engine {

namespace {

/// Puts the value into the slot; false when the slot has another one, or another slot has it.
template <class Value>
bool settle(std::vector<std::optional<Value>>& slots, std::int32_t slot, Value value) {
    std::optional<Value>& own = slots[static_cast<std::size_t>(slot)];
    if (own) {
        return *own == value;
    }
    if (std::find(slots.begin(), slots.end(), value) != slots.end()) {
        return false;
    }
    own = value;
    return true;
}

template <class Value>
std::vector<Value> values_of(const std::vector<std::optional<Value>>& slots) {
    std::vector<Value> result;
    for (const std::optional<Value>& slot : slots) {
        result.push_back(*slot);
    }
    return result;
}

}  // namespace

chakra::KeptTrace::Allowed allowed_difference(IssueOrder order) {
    return {order != IssueOrder::HashWalk, {"pg_name", "comm_src", "comm_dst"}};
}

bool can_be_shared(const RankProgram& program) {
    return std::none_of(program.operations.begin(), program.operations.end(),
                        [](const ProgramOperation& operation) { return operation.root >= 0; });
}

SharedProgram::SharedProgram(const std::vector<chakra::Node>& nodes, const RankProgram& program,
                             std::uint64_t first_id)
    : first_id_(first_id) {
    std::vector<std::size_t> places(nodes.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::sort(places.begin(), places.end(),
              [&nodes](std::size_t a, std::size_t b) { return nodes[a].id < nodes[b].id; });
    for (std::size_t number = 0; number < places.size(); ++number) {
        const ProgramOperation& operation = program.operations[number];
        if (operation.group >= 0) {
            uses_.push_back({places[number], true, operation.group});
            groups_ = std::max(groups_, static_cast<std::size_t>(operation.group) + 1);
        } else if (operation.peer >= 0) {
            uses_.push_back({places[number], false, operation.peer});
            peers_ = std::max(peers_, static_cast<std::size_t>(operation.peer) + 1);
        }
    }
}

std::optional<RankBinding> SharedProgram::bind(const std::vector<chakra::Node>& nodes,
                                               const chakra::TraceDifference& difference,
                                               const ProgramContext& context) const {
    std::vector<std::optional<std::int32_t>> groups(groups_);
    std::vector<std::optional<Rank>> peers(peers_);
    const OperationDecoder decoder(context);
    chakra::Node node;
    for (const Use& use : uses_) {
        node = nodes[use.node];
        node.id += difference.id_shift;
        auto value = std::lower_bound(
            difference.values.begin(), difference.values.end(), use.node,
            [](const auto& entry, std::size_t place) { return entry.node < place; });
        for (; value != difference.values.end() && value->node == use.node; ++value) {
            node.set(value->attribute.name, value->attribute.value);
        }
        const DecodedOperation decoded = decoder.decode(node);
        if (use.collective ? !settle(groups, use.slot, decoded.group)
                           : !settle(peers, use.slot, decoded.peer)) {
            return std::nullopt;
        }
    }
    return RankBinding{values_of(groups), values_of(peers), first_id_ + difference.id_shift};
}

}  // namespace npunet::engine
