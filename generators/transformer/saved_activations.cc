#include "generators/transformer/saved_activations.h"

#include "generators/transformer/attention_core.h"

namespace npunet::generators {

namespace {

constexpr std::int64_t mask = 1;

/// Builds a list; tensors of no elements are left out.
class List {
public:
    explicit List(const LocalSizes& local) : local_(local) {}

    void activations(const char* name, std::int64_t elements) {
        add(name, elements, local_.dtypes.activations);
    }
    void add(const char* name, std::int64_t elements, std::int64_t element_bytes) {
        if (elements > 0) {
            tensors_.push_back({name, elements, element_bytes});
        }
    }
    /// Of the half's result, before it joins the residual stream.
    void dropout_mask() {
        if (local_.dropout) {
            add("dropout mask", local_.shard_tokens * local_.hidden, mask);
        }
    }
    [[nodiscard]] SavedTensors take() { return std::move(tensors_); }

private:
    const LocalSizes& local_;
    SavedTensors tensors_;
};

/// The tokens and channels of the keys and values that the core's backward pass reads: after an
/// exchange those of some heads, in a ring the rank's own, which come round again, else all.
LocalSizes kept_keys_and_values(const LocalSizes& local) {
    if (local.cp > 1 && local.context_comm == ContextComm::AllToAll) {
        return all_tokens_of_some_heads(local);
    }
    LocalSizes kept = local;
    if (local.cp == 1 || local.context_comm == ContextComm::AllGather) {
        kept.tokens = local.sequences * local.keys;
    }
    return kept;
}

}  // namespace

std::int64_t bytes_of(const SavedTensors& tensors) {
    std::int64_t bytes = 0;
    for (const SavedTensor& tensor : tensors) {
        bytes += tensor.bytes();
    }
    return bytes;
}

SavedTensors saved_by_attention(const LocalSizes& local) {
    List list(local);
    list.activations("norm input", local.shard_tokens * local.hidden);
    list.activations("projections input", local.shard_tokens * local.hidden);
    list.activations("low-rank vectors", local.tokens * local.latent_width);
    if (local.latent_width > 0) {
        list.activations("normalised low-rank vectors",
                         local.tokens * (local.latent.q_lora_rank + local.latent.kv_lora_rank));
    }
    list.activations("queries and keys before norms", local.tokens * local.qk_norm_width);
    list.activations("queries", local.tokens * local.query_width);
    const LocalSizes keys = kept_keys_and_values(local);
    list.activations("keys", keys.tokens * keys.keys_width);
    list.activations("values", keys.tokens * keys.values_width);
    list.activations("projection input", local.tokens * local.value_width);
    list.dropout_mask();
    return list.take();
}

SavedTensors saved_by_core(const LocalSizes& local) {
    List list(local);
    const std::int64_t rows = local.tokens * local.heads;
    if (local.fused_core) {
        list.add("softmax statistics", rows, fp32);
        return list.take();
    }
    list.activations("probabilities", rows * local.keys);
    if (local.dropout) {
        list.add("probabilities' dropout mask", rows * local.keys, mask);
        list.activations("probabilities after dropout", rows * local.keys);
    }
    return list.take();
}

SavedTensors saved_by_mlp(const LocalSizes& local) {
    List list(local);
    list.activations("norm input", local.shard_tokens * local.hidden);
    list.activations("up input", local.shard_tokens * local.hidden);
    list.activations("activation input", local.tokens * (local.gated ? 2 : 1) * local.ffn);
    list.activations("down input", local.tokens * local.ffn);
    list.dropout_mask();
    return list.take();
}

SavedTensors saved_by_experts(const LocalSizes& local, const ModelSpec& model, const Plan& plan,
                              const ExpertCopies& copies) {
    const MixtureOfExperts& moe = model.moe;
    const std::int64_t ffn = moe.ffn / plan.etp;
    const std::int64_t up = local.gated ? 2 : 1;
    // Without sequence parallelism, too, a rank routes its share of the tokens (moe_block.h).
    const std::int64_t routed = local.tokens / plan.tp;
    const std::int64_t shared = local.tokens * model.shared_width() / plan.tp;
    List list(local);
    list.activations("norm input", local.shard_tokens * local.hidden);
    list.activations("router input", local.shard_tokens * local.hidden);
    list.add("router scores", routed * moe.experts, fp32);
    list.add("weights of the chosen experts", routed * moe.top_k, fp32);
    list.activations("experts' input", copies.taken * local.hidden);
    list.activations("experts' activation input", copies.taken * up * ffn);
    list.activations("experts' down input", copies.taken * ffn);
    list.activations("experts' output", copies.routed * local.hidden);
    list.activations("shared experts' activation input", up * shared);
    list.activations("shared experts' down input", shared);
    list.dropout_mask();
    return list.take();
}

SavedTensors saved_by_embedding(const LocalSizes& local) {
    List list(local);
    list.dropout_mask();
    return list.take();
}

SavedTensors saved_by_head(const LocalSizes& local) {
    List list(local);
    list.activations("final norm input", local.shard_tokens * local.hidden);
    list.activations("LM head input", local.shard_tokens * local.hidden);
    return list.take();
}

SavedTensors saved_logits(const LocalSizes& local) {
    List list(local);
    list.add("logits", local.tokens * local.vocab, fp32);
    return list.take();
}

}  // namespace npunet::generators
