// Counts of tokens by rank, against sums over the counts of every source.

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "generators/transformer/moe_tokens.h"
#include "generators/transformer/rank_grid.h"
#include "tests/generators/parallel_plans.h"

namespace npunet::generators {
namespace {

using Counts = std::vector<std::int64_t>;

std::int64_t total(const Counts& counts, std::int64_t first, std::int64_t last) {
    return std::accumulate(counts.begin() + first, counts.begin() + last, std::int64_t{0});
}

/// What `rank` sends and takes, from whole rows of E counts of every source.
RankTokens by_hand(const ModelSpec& model, const Plan& plan, Rank rank, std::int64_t layer,
                   std::int64_t micro_batch) {
    const MoeRouting routing(model, plan.seed);
    const AxisGrid grid = expert_grid(plan);
    const std::int64_t routed = plan.micro_batch * plan.sequence / plan.cp / plan.tp;
    const std::int64_t held = model.moe.experts / plan.ep;
    const std::int64_t first = grid.coordinate(rank, GridAxis::Expert) * held;
    const auto counts = [&](Rank source) {
        // Micro-batch by micro-batch, member by member of the groups that hold all experts.
        const std::int64_t turn =
            (micro_batch * plan.ep + grid.coordinate(source, GridAxis::Expert)) * plan.etp +
            grid.coordinate(source, GridAxis::Tensor);
        return routing.counts({layer, micro_batch, source, routed, turn});
    };
    RankTokens tokens;
    tokens.experts.resize(static_cast<std::size_t>(held));
    for (std::int64_t member = 0; member < plan.ep; ++member) {
        tokens.sent.push_back(total(counts(rank), member * held, (member + 1) * held));
    }
    for (const Rank source : grid.group(rank, {GridAxis::Expert})) {
        tokens.taken.push_back(total(counts(source), first, first + held));
    }
    for (const Rank peer : grid.group(rank, {GridAxis::Tensor})) {
        std::int64_t sum = 0;
        for (const Rank source : grid.group(peer, {GridAxis::Expert})) {
            const Counts from = counts(source);
            sum += total(from, first, first + held);
            for (std::size_t i = 0; i < tokens.experts.size(); ++i) {
                tokens.experts[i] += from[static_cast<std::size_t>(first) + i];
            }
        }
        tokens.shared.push_back(sum);
    }
    return tokens;
}

bool equal(const RankTokens& a, const RankTokens& b) {
    return a.sent == b.sent && a.taken == b.taken && a.shared == b.shared && a.experts == b.experts;
}

TEST(MoeTokens, AreSumsOverSources) {
    for (const ModelSpec& model : {small_moe(), skewed_moe(), skewed_moe(0.75)}) {
        for (const Plan& plan : random_plans(model, 30, 21)) {
            const MoeTokens tokens(model, plan);
            for (std::int64_t r = 0; r < plan.world(); ++r) {
                const Rank rank(static_cast<std::int32_t>(r));
                const std::int64_t micro_batch = plan.micro_batches() - 1;
                EXPECT_TRUE(equal(*tokens.of(rank, 2, micro_batch),
                                  by_hand(model, plan, rank, 2, micro_batch)))
                    << full_description(plan);
            }
        }
    }
}

// 16 ranks x 2500 micro-batches x 4 layers = 160 000 sets of counts, many more than are kept: the
// same on every thread, whatever was asked before.
TEST(MoeTokens, DoNotDependOnWhatIsKept) {
    const ModelSpec model = skewed_moe();
    Plan plan;
    plan.dp = 16;
    plan.ep = 4;
    plan.batch = 16 * 2500;
    plan = resolve_plan(model, plan);
    const MoeTokens tokens(model, plan);
    std::atomic<std::int64_t> wrong{0};
    std::vector<std::thread> threads;
    for (std::int64_t thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
            for (std::int64_t i = 0; i < 20'000; ++i) {
                const Rank rank(static_cast<std::int32_t>((i * 7 + thread) % 16));
                const std::int64_t micro_batch = i * 31 % 2500;
                const auto found = tokens.of(rank, 1 + i % 3, micro_batch);
                if (i % 100 == 0 &&
                    !equal(*found, by_hand(model, plan, rank, 1 + i % 3, micro_batch))) {
                    ++wrong;
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace npunet::generators
