// What holds of every search: the result does not depend on the threads nor on how many plans are
// kept, costs are the sums of their parts, plans fit the memory; and what the original cannot do is
// said.
#include "planner/metis/search.h"

#include <gtest/gtest.h>

#include <numeric>

#include "made_cluster.h"
#include "tests/support/refusals.h"

namespace npunet::planner::metis {
namespace {

const std::vector<std::pair<std::string, std::int64_t>> two_types{
    {"V100", 4}, {"V100", 4}, {"A100", 4}, {"A100", 4}};
const std::vector<std::pair<std::string, std::int64_t>> three_types{
    {"T4", 4}, {"V100", 4}, {"A100", 4}, {"A100", 4}};
const std::vector<std::pair<std::string, std::int64_t>> unequal{
    {"A100", 8}, {"V100", 4}, {"A100", 4}};

std::vector<std::pair<Inputs, Arguments>> cases() {
    std::vector<std::pair<Inputs, Arguments>> result;
    for (const auto& nodes : {two_types, three_types, unequal}) {
        for (const Strategy strategy : {Strategy::Metis, Strategy::Headroom}) {
            for (const std::int64_t variance : {0, 1}) {
                Arguments arguments = made_arguments(9, 32, 16, 32);
                arguments.strategy = strategy;
                arguments.min_group_scale_variance = variance;
                result.emplace_back(made_inputs(nodes, 9, 16, 32), arguments);
            }
        }
    }
    return result;
}

bool same(const Plan& a, const Plan& b) {
    return a.cost_ms == b.cost_ms && a.node_sequence == b.node_sequence &&
           a.device_groups == b.device_groups && a.strategies == b.strategies &&
           a.batches == b.batches && a.layer_partition == b.layer_partition &&
           a.attempts == b.attempts && a.costed_stages == b.costed_stages &&
           a.memory_mb == b.memory_mb && a.capacity_mb == b.capacity_mb;
}

TEST(Search, ThreadsDoNotMatter) {
    for (auto [inputs, arguments] : cases()) {
        arguments.threads = 1;
        const SearchResult one = search(inputs, arguments);
        EXPECT_GT(one.size(), 0U);
        for (const std::size_t threads : {0, 2, 5}) {
            arguments.threads = threads;
            const SearchResult many = search(inputs, arguments);
            EXPECT_EQ(many.steps(), one.steps());
            EXPECT_EQ(many.plans_dropped(), one.plans_dropped());
            ASSERT_EQ(many.size(), one.size());
            for (std::size_t number = 0; number < one.size(); ++number) {
                ASSERT_TRUE(same(one.plan(number), many.plan(number)));
            }
        }
    }
}

// The first of equal costs come first, as in a stable sort.
TEST(Search, BestAreAStableSort) {
    for (const auto& [inputs, arguments] : cases()) {
        const SearchResult result = search(inputs, arguments);
        std::vector<std::size_t> sorted(result.size());
        std::iota(sorted.begin(), sorted.end(), std::size_t{0});
        std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
            return result.cost(a) < result.cost(b);
        });
        EXPECT_EQ(result.best(result.size() + 5), sorted);
        sorted.resize(std::min<std::size_t>(7, sorted.size()));
        EXPECT_EQ(result.best(7), sorted);
    }
}

TEST(Search, KeepingFewGivesTheSameBest) {
    for (auto [inputs, arguments] : cases()) {
        const SearchResult all = search(inputs, arguments);
        for (const std::size_t keep : {1, 10}) {
            arguments.keep = keep;
            const SearchResult few = search(inputs, arguments);
            EXPECT_EQ(few.steps(), all.steps());
            EXPECT_EQ(few.plans_costed(), all.plans_costed());
            ASSERT_EQ(few.size(), std::min(keep, all.size()));
            const auto best = all.best(keep);
            const auto kept = few.best(keep);
            for (std::size_t i = 0; i < kept.size(); ++i) {
                EXPECT_TRUE(same(few.plan(kept[i]), all.plan(best[i])));
            }
        }
    }
}

TEST(Search, PlansAddUpAndFit) {
    for (const auto& [inputs, arguments] : cases()) {
        const SearchResult result = search(inputs, arguments);
        EXPECT_EQ(result.size(), result.plans_costed());
        for (std::size_t number = 0; number < result.size(); ++number) {
            const Plan plan = result.plan(number);
            EXPECT_EQ(plan.cost_ms, plan.parts.sum());
            const std::size_t stages = plan.device_groups.size();
            EXPECT_LE(static_cast<std::size_t>(plan.costed_stages), stages);
            EXPECT_EQ(std::accumulate(plan.device_groups.begin(), plan.device_groups.end(),
                                      std::int64_t{0}),
                      16);
            ASSERT_EQ(plan.layer_partition.size(), stages + 1);
            EXPECT_LE(plan.layer_partition.back(), arguments.num_layers);
            for (std::size_t s = 0; s < stages; ++s) {
                EXPECT_EQ(plan.strategies[s].first * plan.strategies[s].second,
                          plan.device_groups[s]);
                EXPECT_LE(plan.memory_mb[s], plan.capacity_mb[s]);
            }
        }
    }
}

TEST(Search, ProgressIsToldAndCanStop) {
    const Inputs inputs = made_inputs(two_types, 16, 16, 32);
    Arguments arguments = made_arguments(16, 32, 16, 32);
    arguments.min_group_scale_variance = 0;
    arguments.max_permute_len = 16;
    std::vector<std::uint64_t> done;
    std::uint64_t total = 0;
    const SearchResult whole =
        search(inputs, arguments, [&](std::uint64_t so_far, std::uint64_t of) {
            done.push_back(so_far);
            total = of;
            return true;
        });
    EXPECT_GT(done.size(), 2U);
    EXPECT_EQ(done.back(), total);
    EXPECT_EQ(whole.inter_stage_plans(), total);
    EXPECT_FALSE(whole.stopped());
    const SearchResult part =
        search(inputs, arguments, [](std::uint64_t, std::uint64_t) { return false; });
    EXPECT_TRUE(part.stopped());
    EXPECT_EQ(part.inter_stage_plans(), done.front());
    for (std::size_t number = 0; number < part.size(); ++number) {
        EXPECT_TRUE(same(part.plan(number), whole.plan(number)));
    }
}

// The default is the order of the hostfile and the first profile by name.
TEST(Search, DefaultsOfWhatMetisLeavesToChance) {
    const Inputs inputs = made_inputs(two_types, 9, 16, 32);
    Arguments arguments = made_arguments(9, 32, 16, 32);
    const SearchResult plain = search(inputs, arguments);
    EXPECT_EQ(plain.plan(0).node_sequence, (std::vector<std::string>{"V100", "A100"}));
    arguments.device_order = {"V100", "A100"};
    arguments.first_profile = "DeviceType.A100_tp16_bs1.json";
    const SearchResult named = search(inputs, arguments);
    ASSERT_EQ(named.size(), plain.size());
    for (std::size_t number = 0; number < named.size(); ++number) {
        EXPECT_TRUE(same(named.plan(number), plain.plan(number)));
    }
}

/// What is said of a search after a change of its inputs and arguments.
template <class Change>
InputProblem problem_after(const std::vector<std::pair<std::string, std::int64_t>>& nodes,
                           Change&& change) {
    Inputs inputs = made_inputs(nodes, 9, 16, 32);
    Arguments arguments = made_arguments(9, 32, 16, 32);
    change(inputs, arguments);
    return test::problem_of([&] { return search(inputs, arguments); });
}

void without(Inputs& inputs, const std::string& file) {
    std::vector<LayerProfile> left;
    for (const LayerProfile& profile : inputs.profiles.all()) {
        if (profile.file_name != file) {
            left.push_back(profile);
        }
    }
    inputs.profiles = ProfileSet(std::move(left), "profiles");
}

TEST(SearchErrors, MissingProfilesAreNamed) {
    const auto found = [](const std::string& file) {
        return problem_after(two_types, [&](Inputs& inputs,
                                            Arguments& /*arguments*/) { without(inputs, file); })
            .found;
    };
    EXPECT_EQ(found("DeviceType.V100_tp2_bs4.json"), "no DeviceType.V100_tp2_bs4.json");
    // Needed of mixed stages alone.
    EXPECT_EQ(found("DeviceType.V100_tp16_bs1.json"), "no DeviceType.V100_tp16_bs1.json");
    EXPECT_EQ(found("DeviceType.A100_tp1_bs1.json"), "no profile A100, tp 1, batch 1");
}

TEST(SearchErrors, BatchesThatAreNotProfiled) {
    const InputProblem problem = problem_after(
        two_types, [](Inputs& /*inputs*/, Arguments& arguments) { arguments.gbs = 24; });
    EXPECT_NE(problem.found.find("_bs3.json"), std::string::npos) << problem.found;
}

TEST(SearchErrors, DevicesThatAreNoPowerOfTwo) {
    const InputProblem problem = problem_after({{"A100", 4}, {"A100", 4}, {"V100", 4}},
                                               [](Inputs& /*inputs*/, Arguments& /*a*/) {});
    EXPECT_EQ(problem.found, "12 devices in all");
}

TEST(SearchErrors, NodesLargerThanTheFirst) {
    const InputProblem problem = problem_after({{"A100", 4}, {"V100", 8}, {"A100", 4}},
                                               [](Inputs& /*inputs*/, Arguments& /*a*/) {});
    EXPECT_EQ(problem.place, "slots");
    EXPECT_NE(problem.found.find("16 devices"), std::string::npos) << problem.found;
}

TEST(SearchErrors, HostsAndTypes) {
    EXPECT_EQ(problem_after(two_types,
                            [](Inputs& inputs, Arguments& /*arguments*/) {
                                inputs.hosts[2].address = "nowhere";
                            })
                  .place,
              "line 3");
    EXPECT_EQ(problem_after(two_types,
                            [](Inputs& inputs, Arguments& /*arguments*/) {
                                inputs.cluster[1].instance_type = "v100";
                            })
                  .found,
              "no entry of the type V100, so written");
    for (const std::vector<std::string>& order : {std::vector<std::string>{"A100"},
                                                  {"A100", "T4"},
                                                  {"A100", "A100"},
                                                  {"A100", "V100", "T4"}}) {
        EXPECT_EQ(
            problem_after(two_types, [&](Inputs& /*inputs*/,
                                         Arguments& arguments) { arguments.device_order = order; })
                .file,
            "--device-order");
    }
}

TEST(SearchErrors, ArgumentsOutOfRange) {
    const auto file = [](auto&& change) {
        return problem_after(two_types,
                             [&](Inputs& /*inputs*/, Arguments& arguments) { change(arguments); })
            .file;
    };
    EXPECT_EQ(file([](Arguments& a) { a.num_layers = 1; }), "--total-layers");
    EXPECT_EQ(file([](Arguments& a) { a.gbs = 0; }), "--batch");
    EXPECT_EQ(file([](Arguments& a) { a.max_profiled_tp_degree = 0; }), "--max-tp");
    EXPECT_EQ(file([](Arguments& a) { a.max_profiled_batch_size = -1; }), "--max-micro-batch");
    EXPECT_EQ(file([](Arguments& a) { a.min_group_scale_variance = 2; }),
              "--min-group-scale-variance");
    EXPECT_EQ(file([](Arguments& a) { a.max_permute_len = 0; }), "--max-permute-len");
    EXPECT_EQ(file([](Arguments& a) { a.first_profile = "x.json"; }), "--first-profile");
}

// More layers than the profiles have.
TEST(SearchErrors, ShortProfiles) {
    EXPECT_EQ(
        problem_after(two_types, [](Inputs& /*i*/, Arguments& a) { a.num_layers = 10; }).found,
        "9 layers");
}

TEST(SearchErrors, LayersThatTakeNoTime) {
    const InputProblem problem =
        problem_after(two_types, [](Inputs& inputs, Arguments& /*arguments*/) {
            std::vector<LayerProfile> profiles = inputs.profiles.all();
            for (LayerProfile& profile : profiles) {
                if (profile.type == "V100" && profile.tp == 4) {
                    profile.layer_ms.assign(9, 0.0);
                }
            }
            inputs.profiles = ProfileSet(std::move(profiles), "profiles");
        });
    EXPECT_EQ(problem.found, "layers that take no time");
}

}  // namespace
}  // namespace npunet::planner::metis
