// What names say: those of each generator, as it writes them.
#include "analysis/operation_roles.h"

#include <gtest/gtest.h>

namespace npunet::analysis {
namespace {

using engine::OperationKind;

struct Case {
    const char* name;
    OperationKind kind;
    Phase phase;
    Dimension dimension;
    std::int32_t micro_batch;
};

constexpr auto compute = OperationKind::Compute;
constexpr auto collective = OperationKind::Collective;
constexpr auto send = OperationKind::Send;
constexpr auto receive = OperationKind::Receive;

constexpr Case cases[] = {
    // generate transformer
    {"mb12_layer3_mlp_up_forward", compute, Phase::Forward, Dimension::Other, 12},
    {"mb0_layer3_mlp_up_dgrad", compute, Phase::Backward, Dimension::Other, 0},
    {"mb0_lm_head_wgrad", compute, Phase::Backward, Dimension::Other, 0},
    {"mb1_layer0_recompute_mlp_up_forward", compute, Phase::Recompute, Dimension::Other, 1},
    {"mb1_layer0_recompute_mlp_up_all_gather_forward", collective, Phase::Recompute,
     Dimension::Tensor, 1},
    {"mb0_loss_maximum_all_reduce_forward", collective, Phase::Forward, Dimension::Tensor, 0},
    {"mb0_forward_send", send, Phase::Forward, Dimension::Pipeline, 0},
    {"mb3_backward_receive", receive, Phase::Backward, Dimension::Pipeline, 3},
    {"mb0_layer0_ring1_attention_kv_send_forward", send, Phase::Forward, Dimension::Context, 0},
    {"mb0_layer0_attention_kv_all_gather_forward", collective, Phase::Forward, Dimension::Context,
     0},
    {"mb0_layer0_attention_qkv_all_to_all_forward", collective, Phase::Forward, Dimension::Context,
     0},
    {"mb0_layer0_attention_qkv_all_gather_forward", collective, Phase::Forward, Dimension::Tensor,
     0},
    {"mb0_layer0_attention_latent_all_gather_forward", collective, Phase::Forward,
     Dimension::Tensor, 0},
    {"mb0_layer0_moe_dispatch_all_to_all_backward", collective, Phase::Backward, Dimension::Expert,
     0},
    {"mb0_layer0_moe_counts_all_gather_forward", collective, Phase::Forward, Dimension::Expert, 0},
    {"mb0_layer0_moe_tokens_all_gather_forward", collective, Phase::Forward, Dimension::Tensor, 0},
    {"layer3_gradients_all_reduce", collective, Phase::Backward, Dimension::Data, -1},
    {"mb0_layer3_expert_gradients_reduce_scatter", collective, Phase::Backward, Dimension::Data, 0},
    {"sequence_parallel_gradients_all_reduce", collective, Phase::Backward, Dimension::Tensor, -1},
    {"tied_embedding_gradients_all_reduce", collective, Phase::Backward, Dimension::Pipeline, -1},
    {"layer3_weights_all_gather", collective, Phase::Optimizer, Dimension::Data, -1},
    {"mb2_layer3_weights_all_gather", collective, Phase::Other, Dimension::Data, 2},
    {"optimizer_step", compute, Phase::Optimizer, Dimension::Other, -1},
    {"mb0_layer3_mlp_up_gradient_accumulation", compute, Phase::Backward, Dimension::Other, 0},
    {"mb0_layer3_attention_dropout_backward", compute, Phase::Backward, Dimension::Other, 0},
    {"mb0_layer3_mlp_up_gradient_cast_backward", compute, Phase::Backward, Dimension::Other, 0},
    {"gradient_zeroing", compute, Phase::Optimizer, Dimension::Other, -1},
    {"gradient_norm", compute, Phase::Optimizer, Dimension::Other, -1},
    {"gradient_clipping", compute, Phase::Optimizer, Dimension::Other, -1},
    {"gradient_norm_tensor_all_reduce", collective, Phase::Optimizer, Dimension::Tensor, -1},
    {"gradient_norm_replicas_all_reduce", collective, Phase::Optimizer, Dimension::Data, -1},
    {"gradient_norm_experts_all_reduce", collective, Phase::Optimizer, Dimension::Expert, -1},
    // generate pipeline
    {"mb1_weight", compute, Phase::Backward, Dimension::Other, 1},
    // megatron convert
    {"forward_mb2_layer0_mlp_output", collective, Phase::Forward, Dimension::Tensor, 2},
    {"backward_mb2_layer0_mlp_input_gradient", collective, Phase::Backward, Dimension::Tensor, 2},
    {"forward_mb0_pipeline", send, Phase::Forward, Dimension::Pipeline, 0},
    {"update_gradients", collective, Phase::Optimizer, Dimension::Data, -1},
    {"update_gradients_of_the_embedding", collective, Phase::Optimizer, Dimension::Pipeline, -1},
    {"update_norm_of_gradients", collective, Phase::Optimizer, Dimension::Other, -1},
    {"set-up_first_weights_of_the_embedding", collective, Phase::Other, Dimension::Other, -1},
    // the stage dialect
    {"stack_0_mha_q_recomp@1_COMP", compute, Phase::Recompute, Dimension::Other, -1},
    {"stack_0_ffn_dx1@0_COMP", compute, Phase::Backward, Dimension::Other, -1},
    {"stack_0_mha_d_qkv@0_COMP", compute, Phase::Backward, Dimension::Other, -1},
    {"stack_0_ffn_x1@0_COMP", compute, Phase::Forward, Dimension::Other, -1},
    {"stack_0_ffn_norm@0_Y_SEND", send, Phase::Forward, Dimension::Pipeline, -1},
    // text workloads
    {"COMP_NODE_hidden_1_FWD", compute, Phase::Forward, Dimension::Other, -1},
    {"COMP_NODE_hidden_1_BWD_WG", compute, Phase::Backward, Dimension::Other, -1},
    // of others
    {"ncclKernel_AllReduce", collective, Phase::Other, Dimension::Other, -1},
    {"", compute, Phase::Other, Dimension::Other, -1},
    {"mb_forward", compute, Phase::Forward, Dimension::Other, -1},
    {"mb99999999999_forward", compute, Phase::Forward, Dimension::Other, -1},
    {"send", send, Phase::Other, Dimension::Other, -1},
};

TEST(OperationRoles, AreWhatTheNameSays) {
    for (const Case& expected : cases) {
        SCOPED_TRACE(expected.name);
        const OperationRole role = role_of(expected.name, expected.kind);
        EXPECT_STREQ(name_of(role.phase), name_of(expected.phase));
        EXPECT_STREQ(name_of(role.dimension), name_of(expected.dimension));
        EXPECT_EQ(role.micro_batch, expected.micro_batch);
    }
}

}  // namespace
}  // namespace npunet::analysis
