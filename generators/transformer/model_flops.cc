#include "generators/transformer/model_flops.h"

namespace npunet::generators {

ModelFlops model_flops(const ModelSpec& model, const Plan& plan) {
    const WideCount tokens = plan.tokens();
    const WideCount keys = plan.mode == Mode::Decode ? plan.context : plan.sequence;
    const WideCount channels =
        model.heads * model.head_dim +
        model.heads * (model.latent() ? model.mla.v_head_dim : model.head_dim);
    const WideCount attention = 2 * model.layers * keys * channels * tokens;
    const WideCount layers = multiplying_weights(model) - WideCount{model.vocab} * model.hidden;
    const WideCount head = WideCount{padded_vocab(model, plan.tp)} * model.hidden;
    const WideCount logits = plan.mode == Mode::Prefill ? WideCount{plan.batch} : tokens;
    const WideCount passes = plan.trains() ? 3 : 1;
    return {passes * (2 * layers * tokens + 2 * head * logits + attention),
            passes * (2 * WideCount{active_parameter_count(model)} * tokens + attention)};
}

}  // namespace npunet::generators
