#include "generators/megatron/groups/parallel_groups_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

#include "base/errors.h"

namespace npunet::generators::megatron {

namespace {

using Differences = std::vector<GroupsDifference>;
using MaybeNumber = std::optional<std::int64_t>;

std::string number_text(std::int64_t number) {
    return fmt::format("{}", number);
}

/// The first few in full.
std::string listed(const RankLists& lists) {
    constexpr std::size_t most = 3;
    constexpr std::size_t most_letters = 120;
    std::string text;
    for (std::size_t i = 0; i < std::min(lists.size(), most); ++i) {
        const std::string list = profiles::text_of(lists[i]);
        text += text.empty() ? "" : ", ";
        text +=
            list.size() <= most_letters
                ? list
                : fmt::format("{}... ({} ranks)", list.substr(0, most_letters), lists[i].size());
    }
    if (lists.size() > most) {
        text += fmt::format(" and {} more", lists.size() - most);
    }
    return text;
}

RankLists normal(RankLists lists) {
    for (std::vector<Rank>& list : lists) {
        std::sort(list.begin(), list.end());
    }
    std::sort(lists.begin(), lists.end());
    return lists;
}

RankLists without(const RankLists& lists, const RankLists& others) {
    RankLists rest;
    std::set_difference(lists.begin(), lists.end(), others.begin(), others.end(),
                        std::back_inserter(rest));
    return rest;
}

void compare_numbers(const char* what, const MaybeNumber& file, const MaybeNumber& plan,
                     Differences& differences) {
    if (file && plan && *file != *plan) {
        differences.push_back({what, number_text(*file), number_text(*plan)});
    }
}

void compare_lists(const char* what, const std::optional<RankLists>& file,
                   const std::optional<RankLists>& plan, Differences& differences) {
    if (!file || !plan) {
        if (file && !file->empty()) {
            differences.push_back({what, listed(*file), "no such groups"});
        } else if (plan) {
            differences.push_back({what, "no such groups", listed(*plan)});
        }
        return;
    }
    const RankLists found = normal(*file);
    const RankLists expected = normal(*plan);
    const RankLists more = without(found, expected);
    const RankLists missing = without(expected, found);
    if (!more.empty() || !missing.empty()) {
        differences.push_back({what, more.empty() ? "these are missing" : listed(more),
                               missing.empty() ? "not these" : listed(missing)});
    }
}

/// Whether every group of the file is one of the plan; the file lacks the groups of failed ranks.
bool among(const std::optional<RankLists>& file, const std::optional<RankLists>& plan) {
    return !file || without(normal(*file), normal(plan.value_or(RankLists{}))).empty();
}

/// A cheap pre-check of the first expert group and the replica size, so that few plans need the
/// full comparison.
bool may_be(const ParallelGroupsFile& file, const Parallelism& plan) {
    const std::int64_t experts = plan.expert_tensor() * plan.ep;
    if (plan.world() % (experts * plan.pp) != 0) {
        return false;
    }
    if (file.expert && !file.expert->empty()) {
        const std::vector<Rank>& group = file.expert->front();
        if (group.empty() || group.front().value() >= plan.world() ||
            expert_grid(plan).group(group.front(), {GridAxis::Expert}) != group) {
            return false;
        }
    }
    const auto size = file.replicas && !file.replicas->empty()
                          ? static_cast<std::int64_t>(file.replicas->front().size())
                          : 0;
    // A full model has the larger of its dense and expert parts in one dialect, the experts in the
    // other.
    return size == 0 || size == plan.pp * std::max(plan.tp * plan.cp, experts) ||
           size == plan.pp * experts;
}

std::int64_t ranks_in(const RankLists& lists) {
    std::int64_t ranks = 0;
    for (const std::vector<Rank>& list : lists) {
        ranks += static_cast<std::int64_t>(list.size());
    }
    return ranks;
}

bool has_failures(const ParallelGroupsFile& file) {
    return file.error_ranks.value_or(0) > 0 || !file.failures.empty();
}

/// The number of data-parallel ranks by the other sizes, where they are known and multiply.
MaybeNumber data_parallel(const ParallelGroupsFile& file) {
    if (!file.world || !file.tp || !file.pp) {
        return std::nullopt;
    }
    // Each is at most 2^20: two of them are far below 2^63, and so are three.
    const std::int64_t model = *file.tp * *file.pp * file.cp.value_or(1);
    return *file.world % model == 0 ? MaybeNumber(*file.world / model) : std::nullopt;
}

void check_sizes(const ParallelGroupsFile& file, Differences& found) {
    const MaybeNumber dp = data_parallel(file);
    if (file.world && file.tp && file.pp && !dp) {
        found.push_back({"World Size", number_text(*file.world),
                         fmt::format("a multiple of tp {} x pp {} x cp {}", *file.tp, *file.pp,
                                     file.cp.value_or(1))});
    }
    compare_numbers("DP Size", file.dp, dp, found);
    if (file.error_ranks) {
        compare_numbers("Error Ranks", file.error_ranks,
                        static_cast<std::int64_t>(file.failures.size()), found);
    }
    if (file.total_ranks && file.valid_ranks && file.error_ranks) {
        compare_numbers("Valid Ranks and Error Ranks together",
                        *file.valid_ranks + *file.error_ranks, file.total_ranks, found);
    }
}

void check_section(const char* what, const std::optional<RankLists>& lists, const MaybeNumber& size,
                   const ParallelGroupsFile& file, Differences& found) {
    if (!lists || lists->empty()) {
        return;
    }
    const auto odd = std::find_if(lists->begin(), lists->end(), [&](const auto& list) {
        return size && static_cast<std::int64_t>(list.size()) != *size;
    });
    if (odd != lists->end()) {
        found.push_back({what, listed({*odd}), fmt::format("groups of {} ranks", *size)});
    }
    // Ranks that failed did not tell their groups.
    if (file.world && !has_failures(file) && ranks_in(*lists) != *file.world) {
        found.push_back({what, fmt::format("{} ranks in all", ranks_in(*lists)),
                         fmt::format("the {} of the world", *file.world)});
    }
}

/// Megatron-LM makes its groups of ascending ranks.
void check_order(const char* what, const std::optional<RankLists>& lists, Differences& found) {
    for (const std::vector<Rank>& list : lists.value_or(RankLists{})) {
        if (!std::is_sorted(list.begin(), list.end())) {
            found.push_back({what, listed({list}), "ranks that ascend"});
            return;
        }
    }
}

/// Whether each pipeline lies in one replica.
bool cuts_pipelines(const RankLists& replicas, const RankLists& pipelines) {
    std::vector<std::int32_t> replica_of;
    const auto at = [&](Rank rank) -> std::int32_t& {
        if (rank.index() >= replica_of.size()) {
            replica_of.resize(rank.index() + 1, -1);
        }
        return replica_of[rank.index()];
    };
    for (std::size_t i = 0; i < replicas.size(); ++i) {
        for (const Rank rank : replicas[i]) {
            at(rank) = static_cast<std::int32_t>(i);
        }
    }
    return std::any_of(pipelines.begin(), pipelines.end(), [&](const auto& pipeline) {
        return std::any_of(pipeline.begin(), pipeline.end(),
                           [&](Rank rank) { return at(rank) != at(pipeline.front()); });
    });
}

void check_replicas(const ParallelGroupsFile& file, Differences& found) {
    if (!file.replicas || file.replicas->empty()) {
        return;
    }
    const char* const what = "Full models";
    check_section(what, file.replicas, static_cast<std::int64_t>(file.replicas->front().size()),
                  file, found);
    if (file.pipeline && cuts_pipelines(*file.replicas, *file.pipeline)) {
        found.push_back({what, "pipelines that lie in two of them", "whole PP groups"});
    }
}

}  // namespace

std::vector<GroupsDifference> compare(const ParallelGroupsFile& file,
                                      const ParallelGroupsFile& plan) {
    Differences found;
    compare_numbers("TP Size", file.tp, plan.tp, found);
    compare_numbers("PP Size", file.pp, plan.pp, found);
    compare_numbers("CP Size", file.cp, plan.cp, found);
    compare_numbers("EP Size", file.ep, plan.ep, found);
    compare_numbers("DP Size", file.dp, plan.dp, found);
    compare_numbers("World Size", file.world, plan.world, found);
    compare_numbers("Global Batch Size", file.global_batch_size, plan.global_batch_size, found);
    compare_numbers("Total Ranks", file.total_ranks, plan.total_ranks, found);
    compare_numbers("Valid Ranks", file.valid_ranks, plan.valid_ranks, found);
    compare_numbers("Error Ranks", file.error_ranks, plan.error_ranks, found);
    compare_lists("TP groups", file.tensor, plan.tensor, found);
    compare_lists("PP groups", file.pipeline, plan.pipeline, found);
    compare_lists("DP groups", file.data, plan.data, found);
    compare_lists("EP groups", file.expert, plan.expert, found);
    if (!file.full_model.empty() && file.full_model != plan.full_model) {
        found.push_back({"Full model", file.full_model, plan.full_model});
    }
    compare_lists("Full models", file.replicas, plan.replicas, found);
    return found;
}

std::int64_t expert_tensor_of(const ParallelGroupsFile& file, Parallelism plan,
                              GroupsDialect dialect) {
    if (!is_of_most_ranks(plan)) {
        return plan.tp;
    }
    std::int64_t of_experts = 0;
    const auto agrees = [&](std::int64_t etp) {
        plan.etp = etp;
        if (!may_be(file, plan)) {
            return false;
        }
        try {
            const ParallelGroupsFile groups = parallel_groups(ProcessGroups(plan), dialect);
            if (!among(file.expert, groups.expert)) {
                return false;
            }
            of_experts = of_experts == 0 ? etp : of_experts;
            return among(file.replicas, groups.replicas) &&
                   (file.full_model.empty() || file.full_model == groups.full_model);
        } catch (const InputError&) {
            return false;  // Megatron-LM rejects this plan
        }
    };
    if (agrees(plan.tp)) {
        return plan.tp;
    }
    for (std::int64_t etp = 1; etp * plan.ep * plan.pp <= plan.world(); ++etp) {
        if (agrees(etp)) {
            return etp;
        }
    }
    return of_experts == 0 ? plan.tp : of_experts;
}

std::vector<GroupsDifference> contradictions(const ParallelGroupsFile& file) {
    Differences found;
    check_sizes(file, found);
    check_section("TP groups", file.tensor, file.tp, file, found);
    check_section("PP groups", file.pipeline, file.pp, file, found);
    check_section("DP groups", file.data, data_parallel(file), file, found);
    check_section("EP groups", file.expert, file.ep, file, found);
    check_order("TP groups", file.tensor, found);
    check_order("PP groups", file.pipeline, found);
    check_order("DP groups", file.data, found);
    check_order("EP groups", file.expert, found);
    check_replicas(file, found);
    return found;
}

}  // namespace npunet::generators::megatron
