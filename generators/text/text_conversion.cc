#include "generators/text/text_conversion.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "generators/option_checks.h"
#include "generators/text/text_graph.h"

namespace npunet::generators {

namespace {

/// What the converter of the Chakra project (version 1.0.0) writes: no version, but its name for
/// the schema and the whole input.
TraceStyle converter_style(const TextWorkload& workload) {
    TraceStyle style;
    style.compute = {};
    style.collective = {NodeAttribute::CommType, NodeAttribute::CommSize};
    style.metadata.version = "";
    style.metadata.attributes = {{"schema", std::string("1.0.2-chakra.1.0.0")},
                                 {"input_file", workload.text}};
    return style;
}

struct Groups {
    std::vector<RankGroup> list;
    /// By rank and slot: index into the list, -1 for a group of one.
    std::vector<std::vector<std::int32_t>> of_rank;
    TextGroupSizes sizes{};
};

std::vector<std::int32_t> slots_without_groups() {
    return std::vector<std::int32_t>(text_group_slots, -1);
}

/// Every collective is among all ranks. Communicator "0" is the whole system, also where no group
/// file is given.
Groups one_for_all(std::int32_t npus) {
    Groups groups;
    RankGroup all{"0", "all", activation_group, {}};
    for (std::int32_t rank = 0; rank < npus; ++rank) {
        all.ranks.emplace_back(rank);
    }
    groups.list.push_back(std::move(all));
    groups.of_rank.assign(static_cast<std::size_t>(npus), slots_without_groups());
    for (std::vector<std::int32_t>& slots : groups.of_rank) {
        slots.front() = 0;
    }
    groups.sizes.fill(npus);
    return groups;
}

/// Ranks `first`, `first` + `stride`, ...; nothing for one rank.
void add_group(Groups& groups, const char* kind, std::int32_t slot, std::int32_t first,
               std::int32_t stride) {
    const auto place = static_cast<std::size_t>(slot);
    if (groups.sizes[place] < 2) {
        return;
    }
    RankGroup group{std::to_string(groups.list.size() + 1), kind, slot, {}};
    for (std::int64_t i = 0; i < groups.sizes[place]; ++i) {
        const auto rank = static_cast<std::int32_t>(first + i * stride);
        group.ranks.emplace_back(rank);
        groups.of_rank[static_cast<std::size_t>(rank)][place] =
            static_cast<std::int32_t>(groups.list.size());
    }
    groups.list.push_back(std::move(group));
}

/// Copies of the model on consecutive NPUs; NPUs with the same part of it share its gradients.
Groups model_and_data(const TextWorkload& workload, std::int32_t npus) {
    if (npus % workload.model_parallel_npus != 0) {
        throw InputError({"--npus", "", fmt::format("{}", npus),
                          fmt::format("a multiple of {}, the model_parallel_NPU_group of {}",
                                      workload.model_parallel_npus, workload.file),
                          "Give another number"});
    }
    const auto model = static_cast<std::int32_t>(workload.model_parallel_npus);
    Groups groups;
    groups.sizes = {model, npus / model, 1, 1};
    groups.of_rank.assign(static_cast<std::size_t>(npus), slots_without_groups());
    for (std::int32_t copy = 0; copy < npus / model; ++copy) {
        add_group(groups, "model", activation_group, copy * model, 1);
    }
    for (std::int32_t part = 0; part < model; ++part) {
        add_group(groups, "data", weight_gradient_group, part, model);
    }
    return groups;
}

/// Rank t + tp (d + dp p), as Megatron-LM numbers them: tp parts of a layer, then dp replicas, then
/// pp stages. Experts are on ep consecutive replicas.
Groups of_plan(const TextWorkload& workload, std::int32_t npus) {
    const auto tp = static_cast<std::int32_t>(workload.model_parallel_npus);
    const TextPlan& plan = workload.plan;
    const std::int64_t stage = std::int64_t{tp} * plan.pipeline_parallel;
    if (npus % stage != 0 || npus / stage % plan.expert_parallel != 0) {
        throw InputError({"--npus", "", fmt::format("{}", npus),
                          fmt::format("a multiple of {}, model_parallel_NPU_group x pp x ep of {}",
                                      stage * plan.expert_parallel, workload.file),
                          "Give another number"});
    }
    const auto dp = static_cast<std::int32_t>(npus / stage);
    const auto ep = static_cast<std::int32_t>(plan.expert_parallel);
    Groups groups;
    groups.sizes = {tp, dp, ep, dp / ep};
    groups.of_rank.assign(static_cast<std::size_t>(npus), slots_without_groups());
    for (std::int32_t first = 0; first < npus; first += tp) {
        add_group(groups, "model", activation_group, first, 1);
    }
    for (std::int32_t first = 0; first < npus; first += tp * dp) {
        for (std::int32_t t = first; t < first + tp; ++t) {
            add_group(groups, "data", weight_gradient_group, t, tp);
            for (std::int32_t block = 0; block < dp / ep; ++block) {
                add_group(groups, "expert", expert_slot, t + block * ep * tp, tp);
            }
            for (std::int32_t e = 0; e < ep; ++e) {
                add_group(groups, "data_expert", data_expert_slot, t + e * tp, ep * tp);
            }
        }
    }
    return groups;
}

Groups groups_of(const TextWorkload& workload, std::int32_t npus) {
    switch (workload.parallelism) {
        case TextParallelism::HybridTransformer:
            return model_and_data(workload, npus);
        case TextParallelism::TransformerForwardInBackward:
            return of_plan(workload, npus);
        default:
            return one_for_all(npus);
    }
}

}  // namespace

GeneratedWorkload convert(const TextWorkload& workload, const TextConversion& conversion) {
    check_range("--npus", conversion.npus, 1, TextConversion::most_npus, "Give another number");
    check_range("--passes", conversion.passes, 1, TextConversion::most_passes,
                "Give another number");
    const bool named_groups = has_groups(workload.parallelism);
    Groups groups = groups_of(workload, conversion.npus);
    Role role = text_graph(workload, conversion.passes, groups.sizes);
    TraceStyle style = converter_style(workload);
    if (workload.parallelism == TextParallelism::TransformerForwardInBackward) {
        style.compute = {NodeAttribute::NumOps};  // duration_ns
    }
    if (named_groups) {
        style.collective.push_back(NodeAttribute::PgName);
    }
    const std::uint64_t nodes = role.nodes.size();
    std::vector<RankBinding> ranks(static_cast<std::size_t>(conversion.npus));
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        ranks[rank].groups = std::move(groups.of_rank[rank]);
        // Positions count from 1, the ids of the first rank from 0: modulo 2^64.
        ranks[rank].first_id = nodes * rank - 1;
    }
    std::vector<Role> roles;
    roles.push_back(std::move(role));
    return {std::move(groups.list), std::move(roles), std::move(ranks), {}, std::move(style)};
}

}  // namespace npunet::generators
