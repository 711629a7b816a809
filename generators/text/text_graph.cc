#include "generators/text/text_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "generators/text/text_conversion.h"

namespace npunet::generators {

namespace {

/// For which layers a phase ends with a collective.
enum class Sends : std::uint8_t {
    Never,
    Always,       ///< also for NONE, which becomes an all-reduce
    UnlessNone,   ///< for every collective but NONE
    UnlessEmpty,  ///< for those, but not of 0 bytes
    AllToAllOnly  ///< for ALLTOALL
};

enum class Backward : std::uint8_t {
    WeightsFirst,  ///< then the gradient of the input, but of layer 0
    InputsFirst,
    OneAfterTheOther  ///< everything but the sums of weights' gradients is waited for
};

/// In which order a forward pass names what it waits for.
enum class WaitsFor : std::uint8_t { WeightsThenInput, InputThenWeights };

struct Rules {
    TextParallelism type;
    Sends forward;
    Sends input_gradient;
    Sends weight_gradient;
    Backward backward = Backward::WeightsFirst;
    WaitsFor waits_for = WaitsFor::WeightsThenInput;
    bool computes = true;               ///< otherwise there are gradients of weights to send, alone
    bool exchanges_embeddings = false;  ///< DLRM: layer 0 beside the bottom layers
    const char* input_gradient_mark = "";
};

constexpr std::array<Rules, 9> all_rules{{
    {TextParallelism::Micro, Sends::Never, Sends::Never, Sends::Always, Backward::WeightsFirst,
     WaitsFor::WeightsThenInput, false},
    {TextParallelism::Data, Sends::Never, Sends::Never, Sends::Always, Backward::WeightsFirst,
     WaitsFor::InputThenWeights},
    {TextParallelism::Model, Sends::Always, Sends::Always, Sends::Never, Backward::InputsFirst,
     WaitsFor::InputThenWeights},
    {TextParallelism::HybridDataModel, Sends::Always, Sends::Always, Sends::Always,
     Backward::InputsFirst, WaitsFor::WeightsThenInput, true, false, "IG_COMM__"},
    {TextParallelism::HybridModelData, Sends::Always, Sends::Always, Sends::Always,
     Backward::InputsFirst},
    {TextParallelism::HybridDlrm, Sends::AllToAllOnly, Sends::Never, Sends::UnlessNone,
     Backward::WeightsFirst, WaitsFor::WeightsThenInput, true, true},
    {TextParallelism::HybridDlrmEnhanced, Sends::AllToAllOnly, Sends::Never, Sends::UnlessNone,
     Backward::WeightsFirst, WaitsFor::WeightsThenInput, true, true},
    {TextParallelism::HybridTransformer, Sends::UnlessNone, Sends::UnlessNone, Sends::UnlessNone,
     Backward::InputsFirst},
    {TextParallelism::TransformerForwardInBackward, Sends::UnlessEmpty, Sends::UnlessEmpty,
     Sends::UnlessEmpty, Backward::OneAfterTheOther},
}};

const Rules& rules_of(TextParallelism type) {
    std::size_t i = 0;
    while (all_rules[i].type != type) {
        ++i;
    }
    return all_rules[i];
}

/// NONE and ALLREDUCEALLTOALL, which traces do not have, are all-reduces to the converter.
chakra::CollectiveType chakra_type(TextCollective collective) {
    switch (collective) {
        case TextCollective::AllToAll:
            return chakra::CollectiveType::AllToAll;
        case TextCollective::AllGather:
            return chakra::CollectiveType::AllGather;
        case TextCollective::ReduceScatter:
            return chakra::CollectiveType::ReduceScatter;
        default:
            return chakra::CollectiveType::AllReduce;
    }
}

/// A position in the role, counted from 1; 0 is no node.
using Position = std::uint32_t;

class GraphBuilder {
public:
    GraphBuilder(const TextWorkload& workload, const TextGroupSizes& group_sizes)
        : workload_(workload),
          rules_(rules_of(workload.parallelism)),
          group_sizes_(group_sizes),
          nodes_(workload.layers.size()) {}

    Role build(std::int32_t passes) {
        for (std::int32_t pass = 0; pass < passes; ++pass) {
            add_pass();
            if (pass == 0) {
                prepare(passes);
            }
        }
        return std::move(role_);
    }

private:
    /// The latest of each kind that a layer has.
    struct LayerNodes {
        Position forward = 0;
        Position forward_sent = 0;
        Position input_gradient = 0;
        Position input_gradient_sent = 0;
        Position weight_gradient = 0;
        Position weight_gradient_sent = 0;
    };

    /// All passes have as many nodes as the first.
    void prepare(std::int32_t passes) {
        const std::int64_t total = static_cast<std::int64_t>(role_.nodes.size()) * passes;
        if (total > TextConversion::most_nodes) {
            throw InputError({workload_.file, "", fmt::format("{} nodes a rank", total),
                              fmt::format("{} at most", TextConversion::most_nodes),
                              "Take fewer passes"});
        }
        role_.nodes.reserve(static_cast<std::size_t>(total));
    }

    void add_pass() {
        const std::size_t layers = nodes_.size();
        if (rules_.backward == Backward::OneAfterTheOther) {
            add_pass_one_after_the_other();
            return;
        }
        for (std::size_t i = 0; i < layers; ++i) {
            if (rules_.computes) {
                add_forward(i);
            } else {
                add_weight_gradient_sent(i);
            }
        }
        for (std::size_t i = layers; rules_.computes && i-- > 0;) {
            if (rules_.backward == Backward::WeightsFirst) {
                add_weights_first(i);
            } else {
                add_inputs_first(i);
            }
        }
    }

    void add_forward(std::size_t i) {
        const TextLayer& layer = workload_.layers[i];
        LayerNodes& own = nodes_[i];
        const Position weights =
            own.weight_gradient_sent != 0 ? own.weight_gradient_sent : own.weight_gradient;
        const Position input = i == 0 ? 0 : output_of(i - 1);
        const bool joins = rules_.exchanges_embeddings &&
                           i == static_cast<std::size_t>(workload_.last_bottom_layer);
        const Position embeddings = joins ? nodes_[0].forward_sent : 0;
        own.forward = rules_.waits_for == WaitsFor::WeightsThenInput
                          ? compute(layer, "FWD", layer.forward, {weights, input, embeddings})
                          : compute(layer, "FWD", layer.forward, {input, weights, embeddings});
        own.forward_sent =
            send(rules_.forward, layer, layer.forward, activation_group, own.forward);
    }

    /// What the next layer takes: of a DLRM what was computed, as embeddings go to one layer only.
    [[nodiscard]] Position output_of(std::size_t i) const {
        const bool sent = nodes_[i].forward_sent != 0 && !rules_.exchanges_embeddings;
        return sent ? nodes_[i].forward_sent : nodes_[i].forward;
    }

    void add_weights_first(std::size_t i) {
        const TextLayer& layer = workload_.layers[i];
        const Position gradient =
            i + 1 == nodes_.size() ? output_of(i) : nodes_[i + 1].input_gradient;
        // Only embeddings are sent in this order, so only layer 0 has something to wait for.
        nodes_[i].weight_gradient = compute(layer, "BWD_WG", layer.weight_gradient,
                                            {gradient, nodes_[i].input_gradient_sent});
        add_weight_gradient_sent(i);
        if (i == 0) {
            return;
        }
        nodes_[i].input_gradient =
            compute(layer, "BWD_IG", layer.input_gradient, {nodes_[i].weight_gradient});
        const auto first_top = static_cast<std::size_t>(workload_.last_bottom_layer) + 1;
        if (rules_.exchanges_embeddings && i == first_top) {
            const TextLayer& embedding = workload_.layers[0];
            nodes_[0].input_gradient_sent = send(Sends::Always, embedding, embedding.input_gradient,
                                                 activation_group, nodes_[i].input_gradient);
        }
    }

    void add_inputs_first(std::size_t i) {
        const TextLayer& layer = workload_.layers[i];
        LayerNodes& own = nodes_[i];
        if (i + 1 == nodes_.size()) {
            own.input_gradient = compute(layer, "BWD_IG", layer.input_gradient, {output_of(i)});
        } else {
            own.input_gradient =
                compute(layer, "BWD_IG", layer.input_gradient,
                        {nodes_[i + 1].weight_gradient, nodes_[i + 1].input_gradient_sent});
        }
        if (i > 0) {
            own.input_gradient_sent =
                send(rules_.input_gradient, layer, layer.input_gradient, activation_group,
                     own.input_gradient, rules_.input_gradient_mark);
        }
        own.weight_gradient = compute(layer, "BWD_WG", layer.weight_gradient, {own.input_gradient});
        add_weight_gradient_sent(i);
    }

    /// Forwards through all layers, then backwards; before the layers that initiate it forwards
    /// again from a checkpoint on.
    void add_pass_one_after_the_other() {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            add_forward_step(i, "FWD", nodes_[i].weight_gradient_sent);
        }
        const TextPlan& plan = workload_.plan;
        for (std::size_t i = nodes_.size(); i-- > 0;) {
            const auto layer = static_cast<std::int64_t>(i);
            if (std::binary_search(plan.initiates.begin(), plan.initiates.end(), layer)) {
                const auto from =
                    std::lower_bound(plan.checkpoints.begin(), plan.checkpoints.end(), layer) - 1;
                for (auto k = static_cast<std::size_t>(*from); k < i; ++k) {
                    add_forward_step(k, "FWD_AGAIN", 0);
                }
            }
            add_backward_step(i);
        }
    }

    void add_forward_step(std::size_t i, const char* part, Position weights) {
        const TextLayer& layer = workload_.layers[i];
        last_ = compute(layer, part, layer.forward, {last_, weights});
        wait_for(send(rules_.forward, layer, layer.forward, activation_group, last_));
    }

    void add_backward_step(std::size_t i) {
        const TextLayer& layer = workload_.layers[i];
        last_ = compute(layer, "BWD_IG", layer.input_gradient, {last_});
        wait_for(send(rules_.input_gradient, layer, layer.input_gradient, activation_group, last_));
        last_ = compute(layer, "BWD_WG", layer.weight_gradient, {last_});
        nodes_[i].weight_gradient_sent = send(rules_.weight_gradient, layer, layer.weight_gradient,
                                              weight_gradient_group, last_);
    }

    void wait_for(Position sent) { last_ = sent != 0 ? sent : last_; }

    void add_weight_gradient_sent(std::size_t i) {
        const TextLayer& layer = workload_.layers[i];
        nodes_[i].weight_gradient_sent = send(rules_.weight_gradient, layer, layer.weight_gradient,
                                              weight_gradient_group, nodes_[i].weight_gradient);
    }

    Position compute(const TextLayer& layer, const char* part, const TextPhase& phase,
                     std::initializer_list<Position> after) {
        NodeTemplate node;
        node.name = fmt::format("COMP_NODE_{}_{}", layer.name, part);
        node.type = chakra::NodeType::Compute;
        // SimAI counts in ns; the converter of the Chakra project takes a cycle for a microsecond.
        node.recorded_ns = phase.time * (is_simai() ? 1 : 1000);
        return append(std::move(node), after);
    }

    /// The collective after a phase; 0 where the rule has none.
    Position send(Sends rule, const TextLayer& layer, const TextPhase& phase,
                  std::int32_t phase_slot, Position after, const char* mark = "") {
        const std::int32_t slot = phase.group == TextGroup::Expert       ? expert_slot
                                  : phase.group == TextGroup::DataExpert ? data_expert_slot
                                                                         : phase_slot;
        const bool alone =
            has_groups(workload_.parallelism) && group_sizes_[static_cast<std::size_t>(slot)] < 2;
        if (alone || !sends(rule, phase)) {
            return 0;
        }
        NodeTemplate node;
        node.name = fmt::format("COMM_COLL_NODE_{}_{}{}{}", layer.name, mark,
                                name_of(phase.collective), suffix_of(phase.group));
        node.type = chakra::NodeType::CommCollective;
        node.collective = chakra_type(phase.collective);
        node.bytes = bytes_of(phase, group_sizes_[static_cast<std::size_t>(slot)]);
        node.slot = has_groups(workload_.parallelism) ? slot : activation_group;
        return append(std::move(node), {after});
    }

    [[nodiscard]] bool is_simai() const { return rules_.backward == Backward::OneAfterTheOther; }

    /// SimAI's bytes of an all-gather are those of the result, a trace's those of a rank's part.
    [[nodiscard]] std::int64_t bytes_of(const TextPhase& phase, std::int64_t members) const {
        return is_simai() && phase.collective == TextCollective::AllGather
                   ? (phase.bytes + members - 1) / members
                   : phase.bytes;
    }

    [[nodiscard]] static bool sends(Sends rule, const TextPhase& phase) {
        const TextCollective collective = phase.collective;
        switch (rule) {
            case Sends::Never:
                return false;
            case Sends::Always:
                return true;
            case Sends::AllToAllOnly:
                return collective == TextCollective::AllToAll;
            case Sends::UnlessNone:
                return collective != TextCollective::None;
            case Sends::UnlessEmpty:
                return collective != TextCollective::None && phase.bytes > 0;
        }
        return false;
    }

    Position append(NodeTemplate node, std::initializer_list<Position> after) {
        for (const Position position : after) {
            if (position != 0) {
                node.data_deps.push_back(position);
            }
        }
        role_.nodes.push_back(std::move(node));
        return static_cast<Position>(role_.nodes.size());
    }

    const TextWorkload& workload_;
    const Rules& rules_;
    TextGroupSizes group_sizes_;
    std::vector<LayerNodes> nodes_;
    Position last_ = 0;  ///< of what goes one after the other
    Role role_;
};

}  // namespace

Role text_graph(const TextWorkload& workload, std::int32_t passes,
                const TextGroupSizes& group_sizes) {
    return GraphBuilder(workload, group_sizes).build(passes);
}

}  // namespace npunet::generators
