#include "generators/transformer/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/errors.h"
#include "generators/transformer/model_library.h"
#include "generators/transformer/rank_grid.h"
#include "tests/generators/steps.h"

namespace npunet::generators::plan_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Plan with(std::int64_t Plan::*field, std::int64_t value) {
    Plan plan;
    plan.*field = value;
    return plan;
}

TEST(Plan, NamesWhatAScheduleNeeds) {
    const ModelSpec model = small_model();
    Plan plan;
    plan.pp = 2;
    plan.vpp = 2;
    plan.batch = 4;
    EXPECT_THAT(error_of(model, plan), AllOf(HasSubstr("--vpp 2"), HasSubstr("1f1b")));
    plan.schedule = Schedule::Interleaved;
    EXPECT_EQ(error_of(model, plan), "no error");
    plan.batch = 3;
    EXPECT_THAT(error_of(model, plan),
                AllOf(HasSubstr("3 micro-batches"), HasSubstr("--pp 2"), HasSubstr("--batch")));
    plan.batch = 4;
    plan.vpp = 3;
    EXPECT_THAT(error_of(model, plan),
                AllOf(HasSubstr("--pp x --vpp: found 6"), HasSubstr("4 layers")));
    plan.pp = 1;
    plan.vpp = 2;
    EXPECT_THAT(error_of(model, plan), AllOf(HasSubstr("interleaved"), HasSubstr("--pp 1")));
    plan.vpp = 0;
    EXPECT_THAT(error_of(model, plan), HasSubstr("--vpp"));
    Plan whole;
    whole.schedule = Schedule::ZeroBubble;
    EXPECT_EQ(error_of(model, whole), "no error");
}

TEST(Plan, FillsInWhatIsLeftOpen) {
    Plan plan;
    plan.dp = 2;
    plan.pp = 4;
    plan.micro_batch = 3;
    plan = resolve_plan(small_model(), plan);
    EXPECT_EQ(plan.batch, 24);
    EXPECT_EQ(plan.micro_batches(), 4);
    EXPECT_EQ(plan.sequence, 32);
    EXPECT_EQ(plan.world(), 8);
}

// Each part of a plan is noted without the dimension that it is about, and not with it.
TEST(Plan, NotesWhatHasNoEffect) {
    const ModelSpec model = small_model();
    Plan idle;
    idle.batch = 16;
    idle.schedule = Schedule::GPipe;
    idle.context_comm = ContextComm::AllGather;
    idle.sequence_parallel = true;
    idle.zero = 1;
    idle.overlap_grad_reduce = true;
    EXPECT_THAT(notes_on_parameters_without_effect(model, resolve_plan(model, idle)),
                ElementsAre(HasSubstr("--schedule gpipe has no effect with pp 1"),
                            HasSubstr("--cp-comm has no effect with cp 1"),
                            HasSubstr("--sequence-parallel has no effect with tp 1"),
                            HasSubstr("--zero 1 has no effect with a single replica"),
                            HasSubstr("--overlap-grad-reduce has no effect")));
    Plan used = idle;
    used.dp = used.tp = used.cp = used.pp = 2;
    EXPECT_THAT(notes_on_parameters_without_effect(model, resolve_plan(model, used)),
                ElementsAre());
    EXPECT_THAT(notes_on_parameters_without_effect(model, resolve_plan(model, Plan())),
                ElementsAre());
}

TEST(Plan, NamesTheNumbersThatClash) {
    const ModelSpec model = small_model();
    EXPECT_THAT(error_of(model, with(&Plan::tp, 3)),
                HasSubstr("--tp: found 3; expected a divisor of the 8 heads"));
    EXPECT_THAT(error_of(model, with(&Plan::pp, 3)),
                HasSubstr("--pp: found 3; expected a divisor of the 4 layers"));
    EXPECT_THAT(error_of(model, with(&Plan::cp, 3)),
                HasSubstr("--cp: found 3; expected a divisor of the 32 tokens"));
    EXPECT_THAT(error_of(model, with(&Plan::tp, 0)), HasSubstr("--tp"));
    EXPECT_THAT(error_of(model, with(&Plan::dp, -1)), HasSubstr("-1"));

    ModelSpec odd = model;
    odd.kv_heads = 4;
    odd.heads = 12;
    EXPECT_THAT(error_of(odd, with(&Plan::tp, 3)), HasSubstr("4 kv_heads"));
    EXPECT_THAT(error_of(odd, with(&Plan::tp, 6)), HasSubstr("4 kv_heads"));
    odd = model;
    odd.ffn = 97;
    EXPECT_THAT(error_of(odd, with(&Plan::tp, 2)), HasSubstr("97 ffn"));
    odd = model;
    odd.vocab = 161;
    EXPECT_THAT(error_of(odd, with(&Plan::tp, 2)), HasSubstr("161 tokens"));

    Plan plan;
    plan.dp = 2;
    plan.micro_batch = 3;
    plan.batch = 8;
    EXPECT_THAT(error_of(model, plan),
                AllOf(HasSubstr("--batch: found 8"), HasSubstr("--micro-batch 3 = 6")));
    plan = with(&Plan::tp, 8);
    plan.sequence = 12;
    EXPECT_EQ(error_of(model, plan), "no error");
    plan.sequence_parallel = true;
    EXPECT_THAT(error_of(model, plan), HasSubstr("12"));
    plan = with(&Plan::sequence, 33);
    EXPECT_EQ(error_of(model, plan), "no error");
    EXPECT_THAT(error_of(small_gpt(), plan), HasSubstr("32 learned positions"));
}

TEST(Plan, RefusesWhatCountsCannotHold) {
    Plan plan = with(&Plan::dp, 1 << 20);
    plan.tp = 8;
    EXPECT_THAT(error_of(small_model(), plan), HasSubstr("ranks"));
    plan = with(&Plan::batch, std::int64_t{1} << 30);
    EXPECT_THAT(error_of(small_model(), plan), HasSubstr("micro-batches"));
    plan = with(&Plan::sequence, std::int64_t{1} << 28);
    plan.micro_batch = 1 << 20;
    EXPECT_THAT(error_of(load_model("llama3-405b"), plan), HasSubstr("2^62"));
}

// GPT's 50257 tokens do not divide by 2, 4 or 8: the next multiple of 128 tp, as in Megatron-LM.
TEST(PaddedVocab, IsPaddedOnlyWhereItHasToBe) {
    const ModelSpec gpt = load_model("gpt3-175b");
    EXPECT_EQ(padded_vocab(gpt, 1), 50257);
    EXPECT_EQ(padded_vocab(gpt, 2), 50432);
    EXPECT_EQ(padded_vocab(gpt, 8), 51200);
    EXPECT_EQ(padded_vocab(load_model("llama2-7b"), 8), 32000);
}

// rank = t + tp (c + cp (d + dp p)).
TEST(RankGrid, CountsTensorParallelFastest) {
    Plan plan;
    plan.tp = 2;
    plan.cp = 2;
    plan.dp = 2;
    plan.pp = 2;
    const RankGrid grid(small_gpt(), resolve_plan(small_gpt(), plan));
    const AxisGrid& decoder = grid.decoder();
    EXPECT_EQ(decoder.coordinate(Rank(11), GridAxis::Tensor), 1);
    EXPECT_EQ(decoder.coordinate(Rank(11), GridAxis::Context), 1);
    EXPECT_EQ(decoder.coordinate(Rank(11), GridAxis::Data), 0);
    EXPECT_EQ(decoder.coordinate(Rank(11), GridAxis::Pipeline), 1);
    EXPECT_EQ(decoder.neighbour(Rank(11), GridAxis::Context, 1), Rank(9));
    EXPECT_EQ(decoder.neighbour(Rank(11), GridAxis::Pipeline, -1), Rank(3));

    const std::vector<RankGroup> groups = grid.groups();
    ASSERT_EQ(groups.size(), 8U + 8U + 4U + 8U);
    EXPECT_EQ(groups[0].id, "1");
    EXPECT_THAT(groups[0].ranks, ElementsAre(Rank(0), Rank(1)));
    EXPECT_THAT(groups[8].ranks, ElementsAre(Rank(0), Rank(2)));
    EXPECT_THAT(groups[16].ranks, ElementsAre(Rank(0), Rank(2), Rank(4), Rank(6)));
    EXPECT_THAT(groups[20].ranks, ElementsAre(Rank(0), Rank(8)));
}

// Every rank is in exactly one group of each kind that exists, and no group has one rank.
TEST(RankGrid, GroupsPartitionTheRanks) {
    for (const Plan& plan : many_plans()) {
        const RankGrid grid(small_model(), plan);
        std::vector<std::set<std::int32_t>> covered(group_slots);
        for (const RankGroup& group : grid.groups()) {
            EXPECT_GE(group.ranks.size(), 2U);
            for (const Rank rank : group.ranks) {
                EXPECT_TRUE(
                    covered[static_cast<std::size_t>(group.slot)].insert(rank.value()).second);
            }
        }
        const auto world = static_cast<std::size_t>(plan.world());
        EXPECT_EQ(covered[tensor_group].size(), plan.tp > 1 ? world : 0U);
        EXPECT_EQ(covered[context_group].size(), plan.cp > 1 ? world : 0U);
        EXPECT_EQ(covered[gradient_group].size(), plan.cp * plan.dp > 1 ? world : 0U);
        EXPECT_EQ(covered[embedding_group].size(), 0U);
    }
}

}  // namespace
}  // namespace npunet::generators::plan_test
