#include "generators/transformer/memory_tensors.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "generators/transformer/local_sizes.h"
#include "generators/transformer/memory_estimate.h"
#include "generators/transformer/rank_grid.h"
#include "generators/transformer/saved_activations.h"

namespace npunet::generators {

namespace {

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// "mb3_layer7_recompute_attention_qkv_forward" in parts; -1 where a part is missing.
struct NodeName {
    std::int64_t micro_batch = -1;
    std::int64_t layer = -1;
    bool recompute = false;
    std::string_view operation;
};

std::int64_t take_number(std::string_view& text, std::string_view before) {
    if (!starts_with(text, before)) {
        return -1;
    }
    std::int64_t number = 0;
    const char* begin = text.data() + before.size();
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
    const auto used = static_cast<std::size_t>(end - text.data()) + 1;
    if (error != std::errc{} || used > text.size() || *end != '_') {
        return -1;
    }
    text.remove_prefix(used);
    return number;
}

/// "ring2_" of the steps of ring attention tells nothing here.
void drop_ring_step(std::string_view& operation) {
    if (starts_with(operation, "ring")) {
        operation.remove_prefix(operation.find('_') + 1);
    }
}

NodeName parse(std::string_view name) {
    constexpr std::string_view again = "recompute_";
    NodeName parts;
    parts.micro_batch = take_number(name, "mb");
    parts.layer = take_number(name, "layer");
    if (starts_with(name, again)) {
        parts.recompute = true;
        name.remove_prefix(again.size());
    }
    drop_ring_step(name);
    parts.operation = name;
    return parts;
}

/// Backward work that reads what the forward pass kept.
bool reads_activations(std::string_view operation) {
    return ends_with(operation, "_wgrad") ||
           (ends_with(operation, "_backward") && !ends_with(operation, "_residual_backward") &&
            !ends_with(operation, "_rotary_backward"));
}

bool is_core(std::string_view operation) {
    return starts_with(operation, "attention_scores_") ||
           starts_with(operation, "attention_softmax_") ||
           starts_with(operation, "attention_context_");
}

/// What a layer has of a micro-batch.
enum Part : std::size_t { attention, mlp, input, new_attention, new_mlp, new_core, parts };
constexpr std::array<const char*, parts> part_names{
    "attention", "mlp", "input", "recomputed_attention", "recomputed_mlp", "recomputed_core"};

class TensorNaming {
public:
    TensorNaming(Role& role, const ModelSpec& model, const Plan& plan, std::int64_t stage,
                 const MoeAmounts* moe)
        : role_(role),
          model_(model),
          plan_(plan),
          moe_(moe),
          example_(
              static_cast<std::int32_t>(stage * decoder_grid(plan).stride(GridAxis::Pipeline))),
          buffers_(inference_buffers(model, plan)),
          units_(units_of_stage(model, plan, stage)) {
        const LocalSizes local = local_sizes(model, plan);
        embedding_ = bytes_of(saved_by_embedding(local));
        head_ = bytes_of(saved_by_head(local));
        logits_ = bytes_of(saved_logits(local));
        for (const ModelUnit& unit : units_) {
            weights_[unit.name] = tensor(unit.name + "_weights", unit.memory.weights);
            if (unit.layer >= 0) {
                layers_[unit.layer] = sizes_of(unit.layer);
            }
        }
    }

    void name_all() {
        for (NodeTemplate& node : role_.nodes) {
            const NodeName name = parse(node.name);
            if (node.type != chakra::NodeType::Compute || name.micro_batch < 0) {
                continue;
            }
            if (name.layer < 0) {
                name_outer(node, name);
            } else if (plan_.trains()) {
                name_training(node, name);
            } else {
                name_inference(node, name);
            }
        }
        if (!role_.nodes.empty()) {
            hold_to_the_end(role_.nodes.back());
        }
    }

private:
    using Sizes = std::array<std::int64_t, parts>;
    using Tensors = std::array<std::int64_t, parts>;  ///< -1: not written yet

    /// Of a layer with experts without what its expert half keeps.
    [[nodiscard]] Sizes sizes_of(std::int64_t number) const {
        const LayerMemory layer = layer_memory(model_, plan_, number);
        if (!plan_.trains()) {
            return {buffers_.attention, model_.is_moe_layer(number) ? 0 : buffers_.mlp, 0, 0, 0, 0};
        }
        Sizes sizes{layer.attention + layer.core, layer.mlp, layer.input, 0, 0, 0};
        if (plan_.recompute == Recompute::Selective) {
            sizes[new_core] = layer.recomputed;
        } else if (plan_.recompute == Recompute::Full) {
            Plan kept = plan_;
            kept.recompute = Recompute::None;
            const LayerMemory whole = layer_memory(model_, kept, number);
            sizes[new_attention] = whole.attention + whole.core - layer.input;
            sizes[new_mlp] = whole.mlp;
        }
        return sizes;
    }

    std::uint32_t tensor(std::string name, std::int64_t bytes) {
        role_.tensors.push_back({std::move(name), bytes});
        return static_cast<std::uint32_t>(role_.tensors.size() - 1);
    }

    Tensors& tensors_of(const NodeName& name) {
        return live_.try_emplace({name.micro_batch, name.layer}, Tensors{-1, -1, -1, -1, -1, -1})
            .first->second;
    }

    /// The first node to ask writes the part. Whether this was it.
    bool write(NodeTemplate& node, const NodeName& name, Part part) {
        std::int64_t& index = tensors_of(name)[part];
        if (index >= 0) {
            return false;
        }
        index =
            tensor(fmt::format("mb{}_layer{}_{}", name.micro_batch, name.layer, part_names[part]),
                   layers_.at(name.layer)[part]);
        if ((part == mlp || part == new_mlp) && model_.is_moe_layer(name.layer)) {
            size_by_routing(role_.tensors.back(), {MoeWork::Kept, name.layer, name.micro_batch});
        }
        node.writes.push_back(static_cast<std::uint32_t>(index));
        return true;
    }

    void size_by_routing(TensorTemplate& tensor, const MoeUse& use) const {
        tensor.bytes = moe_->of(example_, use).bytes;
        tensor.varying = moe_->even() ? -1 : moe_->number(use);
    }

    void read(NodeTemplate& node, const NodeName& name, Part part) {
        if (const std::int64_t index = tensors_of(name)[part]; index >= 0) {
            node.reads.push_back(static_cast<std::uint32_t>(index));
        }
    }

    void read_weights(NodeTemplate& node, const std::string& unit) {
        if (const auto found = weights_.find(unit); found != weights_.end()) {
            node.reads.push_back(found->second);
        }
    }

    static bool is_norm(std::string_view operation) {
        return operation == "attention_norm_forward" || operation == "mlp_norm_forward";
    }

    void name_training(NodeTemplate& node, const NodeName& name) {
        const bool first_half = starts_with(name.operation, "attention_");
        const Part half = first_half ? attention : mlp;
        const bool full = plan_.recompute == Recompute::Full;
        if (ends_with(name.operation, "_forward")) {
            if (is_norm(name.operation)) {
                return;
            }
            if (name.recompute) {
                name_recomputation(node, name, first_half);
            } else if (!full) {
                write_half(node, name, half);
            } else if (first_half) {
                write_half(node, name, input);
            }
        } else if (reads_activations(name.operation)) {
            read(node, name, !full ? half : first_half ? new_attention : new_mlp);
            if (is_core(name.operation)) {
                read(node, name, new_core);
            }
            if (name.operation == "attention_norm_backward") {
                read(node, name, input);
            }
        }
    }

    void write_half(NodeTemplate& node, const NodeName& name, Part part) {
        if (write(node, name, part)) {
            read_weights(node, fmt::format("layer{}", name.layer));
        }
    }

    void name_recomputation(NodeTemplate& node, const NodeName& name, bool first_half) {
        if (plan_.recompute == Recompute::Selective) {
            write(node, name, new_core);
        } else if (write(node, name, first_half ? new_attention : new_mlp) && first_half) {
            read(node, name, input);
        }
    }

    void name_inference(NodeTemplate& node, const NodeName& name) {
        if (is_norm(name.operation) || ends_with(name.operation, "_residual_forward")) {
            return;
        }
        const bool first_half = starts_with(name.operation, "attention_");
        const Part half = first_half ? attention : mlp;
        if (write(node, name, half)) {
            read_weights(node, fmt::format("layer{}", name.layer));
            if (first_half) {
                node.writes.push_back(cache_of(name));
            }
        } else {
            read(node, name, half);
            if (name.operation == "attention_scores_forward") {
                node.reads.push_back(cache_of(name));
            }
        }
    }

    /// The prompt of each micro-batch fills a cache of its own; decoding has one of all sequences.
    std::uint32_t cache_of(const NodeName& name) {
        const bool decodes = plan_.mode == Mode::Decode;
        const std::pair key{decodes ? -1 : name.micro_batch, name.layer};
        const auto found = caches_.find(key);
        if (found != caches_.end()) {
            return found->second;
        }
        const std::int64_t bytes = layer_memory(model_, plan_, name.layer).cache;
        const std::uint32_t cache =
            decodes ? tensor(fmt::format("layer{}_cache", name.layer), bytes)
                    : tensor(fmt::format("mb{}_layer{}_cache", name.micro_batch, name.layer),
                             bytes / plan_.micro_batches());
        caches_.emplace(key, cache);
        return cache;
    }

    /// Embedding and head.
    void name_outer(NodeTemplate& node, const NodeName& name) {
        if (name.operation == "embedding_forward") {
            read_weights(node, "embedding");
            write_outer(node, name, "embedding", plan_.trains() ? embedding_ : 0);
        } else if (name.operation == "embedding_backward") {
            read_outer(node, name, "embedding");
        } else if (name.operation == "lm_head_forward") {
            read_weights(node, "head");
            write_outer(node, name, "head", plan_.trains() ? head_ : buffers_.head);
            write_outer(node, name, "logits", plan_.trains() ? logits_ : 0);
        } else if (name.operation == "loss_backward") {
            read_outer(node, name, "logits");
        } else if (name.operation == "lm_head_wgrad") {
            read_outer(node, name, "logits");
            read_outer(node, name, "head");
        } else if (name.operation == "final_norm_backward" ||
                   name.operation == "sampling_forward") {
            read_outer(node, name, "head");
        }
    }

    void write_outer(NodeTemplate& node, const NodeName& name, const char* what,
                     std::int64_t bytes) {
        if (bytes > 0) {
            const std::uint32_t index =
                tensor(fmt::format("mb{}_{}", name.micro_batch, what), bytes);
            outer_[{name.micro_batch, what}] = index;
            node.writes.push_back(index);
        }
    }

    void read_outer(NodeTemplate& node, const NodeName& name, const char* what) {
        if (const auto found = outer_.find({name.micro_batch, what}); found != outer_.end()) {
            node.reads.push_back(found->second);
        }
    }

    /// What is read and never written is there from the beginning, and to the end of its last
    /// reader. A cache that is decoded against is read by the first node too, or it would begin
    /// with the first token written to it.
    void hold_to_the_end(NodeTemplate& last) {
        std::vector<std::uint32_t> held;
        for (const ModelUnit& unit : units_) {
            held.push_back(weights_.at(unit.name));
            if (plan_.trains()) {
                held.push_back(tensor(unit.name + "_gradients", unit.memory.gradients));
                held.push_back(tensor(unit.name + "_optimizer", unit.memory.optimizer));
            }
        }
        for (const auto& [key, cache] : caches_) {
            held.push_back(cache);
            if (plan_.mode == Mode::Decode) {
                role_.nodes.front().reads.push_back(cache);
            }
        }
        last.reads.insert(last.reads.end(), held.begin(), held.end());
    }

    Role& role_;
    const ModelSpec& model_;
    const Plan& plan_;
    const MoeAmounts* moe_;
    Rank example_;
    InferenceBuffers buffers_;
    std::vector<ModelUnit> units_;
    std::int64_t embedding_ = 0;
    std::int64_t head_ = 0;
    std::int64_t logits_ = 0;
    std::map<std::string, std::uint32_t> weights_;
    std::map<std::int64_t, Sizes> layers_;
    std::map<std::pair<std::int64_t, std::int64_t>, Tensors> live_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> caches_;
    std::map<std::pair<std::int64_t, std::string>, std::uint32_t> outer_;
};

}  // namespace

void name_tensors(Role& role, const ModelSpec& model, const Plan& plan, std::int64_t stage,
                  const MoeAmounts* moe) {
    TensorNaming(role, model, plan, stage, moe).name_all();
}

}  // namespace npunet::generators
