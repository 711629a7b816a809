#include "generators/transformer/attention_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "generators/transformer/operation_costs.h"
#include "generators/transformer/rank_grid.h"

namespace npunet::generators {

namespace {

void compute_forward(RoleBuilder& builder, const LocalSizes& local, const std::string& prefix) {
    builder.compute(prefix + "attention_scores_forward", scores_forward(local));
    builder.compute(prefix + "attention_softmax_forward", softmax_forward(local));
    builder.compute(prefix + "attention_context_forward", context_forward(local));
}

void compute_backward(RoleBuilder& builder, const LocalSizes& local, const std::string& prefix) {
    builder.compute(prefix + "attention_context_backward", context_backward(local));
    builder.compute(prefix + "attention_softmax_backward", softmax_backward(local));
    builder.compute(prefix + "attention_scores_backward", scores_backward(local));
}

/// Keys and values of the rank's own tokens.
std::int64_t key_value_bytes(const LocalSizes& local) {
    return local.tokens * (local.keys_width + local.values_width) * local.dtypes.activations;
}

/// One step of the ring: the rank's queries against the keys of one rank.
LocalSizes ring_step(const LocalSizes& local) {
    LocalSizes step = local;
    step.keys = local.keys / local.cp;
    return step;
}

/// The ring's messages of one step. Forward they go to the next rank, backward to the previous one.
class RingHop {
public:
    RingHop(RoleBuilder& builder, const LocalSizes& local, bool forward)
        : builder_(builder),
          bytes_(key_value_bytes(local)),
          to_(forward ? next_in_ring : previous_in_ring),
          from_(forward ? previous_in_ring : next_in_ring),
          suffix_(forward ? "_forward" : "_backward") {}

    /// Passes on what the front has made.
    void start(const std::string& what) {
        const std::int32_t tag = builder_.new_tag();
        in_progress_.push_back(builder_.send(what + "_send" + suffix_, {to_, bytes_, tag}));
        in_progress_.push_back(builder_.receive(what + "_receive" + suffix_, {from_, bytes_, tag}));
    }

    void wait() {
        for (const Pending message : in_progress_) {
            builder_.wait(message);
        }
        in_progress_.clear();
    }

private:
    RoleBuilder& builder_;
    std::int64_t bytes_;
    std::int32_t to_;
    std::int32_t from_;
    std::string suffix_;
    std::vector<Pending> in_progress_;
};

std::string ring_prefix(std::int64_t step) {
    return fmt::format("ring{}_", step);
}

void ring_forward(RoleBuilder& builder, const LocalSizes& local, const std::string& prefix) {
    RingHop hop(builder, local, true);
    for (std::int64_t step = 0; step < local.cp; ++step) {
        const std::string names = prefix + ring_prefix(step);
        if (step + 1 < local.cp) {
            hop.start(names + "attention_kv");
        }
        compute_forward(builder, ring_step(local), names);
        hop.wait();
    }
}

void ring_backward(RoleBuilder& builder, const LocalSizes& local) {
    RingHop hop(builder, local, false);
    for (std::int64_t step = 0; step < local.cp; ++step) {
        if (step + 1 < local.cp) {
            hop.start(ring_prefix(step) + "attention_kv");
        }
        if (step > 0) {
            hop.start(ring_prefix(step) + "attention_dkv");
        }
        compute_backward(builder, ring_step(local), ring_prefix(step));
        hop.wait();
    }
}

Collective gather_of_keys_and_values(const LocalSizes& local) {
    return {context_group, chakra::CollectiveType::AllGather, key_value_bytes(local),
            element_type(local.dtypes.activations)};
}

Collective scatter_of_keys_and_values(const LocalSizes& local) {
    return {context_group, chakra::CollectiveType::ReduceScatter, local.cp * key_value_bytes(local),
            element_type(local.dtypes.activations)};
}

Collective heads_for_tokens(const LocalSizes& local) {
    const LocalSizes some = all_tokens_of_some_heads(local);
    return {context_group, chakra::CollectiveType::AllToAll,
            some.tokens * (some.query_width + some.keys_width + some.values_width) *
                local.dtypes.activations,
            element_type(local.dtypes.activations)};
}

Collective tokens_for_heads(const LocalSizes& local) {
    return {context_group, chakra::CollectiveType::AllToAll,
            local.tokens * local.core_width * local.dtypes.activations,
            element_type(local.dtypes.activations)};
}

bool is_ring(const LocalSizes& local) {
    return local.cp > 1 && local.context_comm == ContextComm::PointToPoint;
}

bool is_exchange(const LocalSizes& local) {
    return local.cp > 1 && local.context_comm == ContextComm::AllToAll;
}

void recompute(RoleBuilder& builder, const LocalSizes& local) {
    const std::string prefix = "recompute_";
    if (is_ring(local)) {
        ring_forward(builder, local, prefix);
    } else {
        compute_forward(builder, is_exchange(local) ? all_tokens_of_some_heads(local) : local,
                        prefix);
    }
}

}  // namespace

LocalSizes all_tokens_of_some_heads(const LocalSizes& local) {
    LocalSizes some = local;
    some.queries = local.keys;
    some.tokens = local.sequences * local.keys;
    some.heads = local.heads / local.cp;
    some.query_width = local.query_width / local.cp;
    some.core_width = local.core_width / local.cp;
    some.keys_width = std::max(local.keys_width / local.cp, local.query_width / local.heads);
    some.values_width = std::max(local.values_width / local.cp, local.core_width / local.heads);
    return some;
}

void attention_core_forward(RoleBuilder& builder, const LocalSizes& local) {
    if (is_ring(local)) {
        ring_forward(builder, local, "");
    } else if (is_exchange(local)) {
        builder.collective("attention_qkv_all_to_all_forward", heads_for_tokens(local));
        compute_forward(builder, all_tokens_of_some_heads(local), "");
        builder.collective("attention_output_all_to_all_forward", tokens_for_heads(local));
    } else {
        builder.collective("attention_kv_all_gather_forward", gather_of_keys_and_values(local));
        compute_forward(builder, local, "");
    }
}

void attention_core_backward(RoleBuilder& builder, const LocalSizes& local) {
    if (local.recompute_core) {
        recompute(builder, local);
    }
    if (is_ring(local)) {
        ring_backward(builder, local);
    } else if (is_exchange(local)) {
        builder.collective("attention_output_all_to_all_backward", tokens_for_heads(local));
        compute_backward(builder, all_tokens_of_some_heads(local), "");
        builder.collective("attention_qkv_all_to_all_backward", heads_for_tokens(local));
    } else {
        compute_backward(builder, local, "");
        builder.collective("attention_kv_reduce_scatter_backward",
                           scatter_of_keys_and_values(local));
    }
}

}  // namespace npunet::generators
