#include "engine/collective/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/errors.h"

namespace npunet::engine {

namespace {

/// Fixed in the reference for communicators that are not the whole system.
constexpr Time reference_group_delay = Time::ns(10);

void check_list(const char* key, const std::vector<Implementation>& list, std::size_t dimensions) {
    if (list.size() != 1 && !list.front().flat && list.size() != dimensions) {
        throw InputError({"system.json", key, fmt::format("{} entries", list.size()),
                          fmt::format("1 or {}, one for each dimension of the network", dimensions),
                          ""});
    }
}

const char* name_of(Algorithm algorithm) {
    return algorithm == Algorithm::Ring ? "ring" : "direct";
}

/// The buffer of every phase for one chunk: reduce-scatters shrink it, all-gathers enlarge it.
std::vector<Bytes> phase_totals(const std::vector<PlannedPhase>& phases, CollectiveKind kind,
                                Bytes chunk, bool exact) {
    std::vector<Bytes> totals;
    std::vector<Bytes> scattered;  // buffers of the reduce-scatters that gathers will undo
    Bytes size = chunk;
    for (const PlannedPhase& phase : phases) {
        PhaseShape shape = phase.shape;
        if (phase.gathers_back && exact) {
            size = scattered.back();
            scattered.pop_back();
        } else if (shape.kind == CollectiveKind::AllGather) {
            size = shape.members * size;
        }
        totals.push_back(size);
        if (shape.kind == CollectiveKind::ReduceScatter) {
            if (kind == CollectiveKind::AllReduce) {
                scattered.push_back(size);
            }
            shape.total = size;
            size = shape.part(shape.me);
        }
    }
    return totals;
}

}  // namespace

PhaseShape CollectivePlan::shape(std::size_t chunk, std::size_t phase) const {
    PhaseShape result = phases[phase].shape;
    result.total = totals[chunk][phase];
    return result;
}

CollectivePlanner::CollectivePlanner(const topology::NetworkDescription& network,
                                     const SystemConfig& system, const Dialect& dialect,
                                     const Workload& workload)
    : network_(network), system_(system), dialect_(dialect), workload_(workload) {
    layouts_.resize(workload.groups.size());
    const std::size_t dimensions = network.dimensions.size();
    check_list("all-reduce-implementation", system.all_reduce, dimensions);
    check_list("all-gather-implementation", system.all_gather, dimensions);
    check_list("reduce-scatter-implementation", system.reduce_scatter, dimensions);
    check_list("all-to-all-implementation", system.all_to_all, dimensions);

    const std::size_t npus = network.npu_of_rank.size();
    std::vector<Rank> rank_of_npu(npus);
    for (std::size_t rank = 0; rank < npus; ++rank) {
        rank_of_npu[network.npu_of_rank[rank].index()] = Rank(rank);
    }
    lines_.resize(dimensions);
    line_of_.assign(dimensions, std::vector<std::int32_t>(npus));
    std::size_t stride = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
        const auto size = static_cast<std::size_t>(network.dimensions[d].size);
        lines_[d].resize(npus / size);
        for (std::size_t npu = 0; npu < npus; ++npu) {
            const std::size_t line = npu / (stride * size) * stride + npu % stride;
            lines_[d][line].push_back(rank_of_npu[npu]);
            line_of_[d][rank_of_npu[npu].index()] = static_cast<std::int32_t>(line);
        }
        stride *= size;
    }
}

bool CollectivePlanner::whole_system(std::int32_t group) const {
    return workload_.groups[static_cast<std::size_t>(group)].ranks.size() == workload_.ranks();
}

const CollectivePlanner::Layout& CollectivePlanner::layout_of(std::int32_t group) {
    Layout& layout = layouts_[static_cast<std::size_t>(group)];
    if (layout.known) {
        return layout;
    }
    layout.known = true;
    const std::vector<Rank>& ranks = workload_.groups[static_cast<std::size_t>(group)].ranks;
    std::size_t grid = 1;
    bool filled = !network_.dimensions.empty();
    for (std::size_t d = 0; d < network_.dimensions.size(); ++d) {
        std::set<std::int32_t> coordinates;
        for (const Rank rank : ranks) {
            coordinates.insert(network_.coordinate(network_.npu_of_rank[rank.index()], d));
        }
        const auto size = static_cast<std::size_t>(network_.dimensions[d].size);
        grid *= coordinates.size();
        filled = filled && (coordinates.size() == 1 || coordinates.size() == size);
        if (coordinates.size() > 1) {
            layout.dimensions.push_back(d);
        }
    }
    // Distinct ranks within the grid spanned by their coordinates: as many as the grid has places.
    layout.sub_grid = filled && grid == ranks.size();
    return layout;
}

const std::vector<Implementation>& CollectivePlanner::implementations(CollectiveKind kind) const {
    switch (kind) {
        case CollectiveKind::AllReduce:
            return system_.all_reduce;
        case CollectiveKind::AllGather:
            return system_.all_gather;
        case CollectiveKind::ReduceScatter:
            return system_.reduce_scatter;
        case CollectiveKind::AllToAll:
            break;
    }
    return system_.all_to_all;
}

PhaseShape CollectivePlanner::base_shape(CollectiveKind kind,
                                         const Implementation& implementation) const {
    PhaseShape shape;
    shape.algorithm = implementation.algorithm;
    shape.kind = kind;
    shape.window = implementation.window;
    shape.equal_parts = !dialect_.exact_chunks;
    shape.ring_all_to_all_aggregates = dialect_.ring_all_to_all_aggregates;
    shape.every_reduction_is_charged = dialect_.every_reduction_is_charged;
    return shape;
}

void CollectivePlanner::add_flat_phase(CollectivePlan& plan, std::int32_t group, std::size_t member,
                                       CollectiveKind kind,
                                       const Implementation& implementation) const {
    const std::vector<Rank>& ranks = workload_.groups[static_cast<std::size_t>(group)].ranks;
    PlannedPhase phase{base_shape(kind, implementation), &ranks};
    phase.shape.members = static_cast<std::int32_t>(ranks.size());
    phase.shape.me = static_cast<std::int32_t>(member);
    plan.phases.push_back(phase);
    plan.algorithm = name_of(implementation.algorithm);
}

void CollectivePlanner::add_phase(CollectivePlan& plan, std::size_t dimension, Rank rank,
                                  CollectiveKind kind, const Implementation& implementation,
                                  bool gathers_back) const {
    const auto line = static_cast<std::size_t>(line_of_[dimension][rank.index()]);
    PlannedPhase phase{base_shape(kind, implementation), &lines_[dimension][line]};
    phase.shape.members = network_.dimensions[dimension].size;
    phase.shape.me = network_.coordinate(network_.npu_of_rank[rank.index()], dimension);
    phase.queue = static_cast<std::int32_t>(dimension);
    phase.gathers_back = gathers_back;
    plan.phases.push_back(phase);
}

void CollectivePlanner::add_dimension_phases(CollectivePlan& plan,
                                             const std::vector<std::size_t>& dimensions, Rank rank,
                                             CollectiveKind kind) const {
    const std::vector<Implementation>& list = implementations(kind);
    const auto entry = [&list](std::size_t d) { return list.size() == 1 ? list[0] : list[d]; };
    for (const std::size_t d : dimensions) {
        plan.algorithm += (plan.algorithm.empty() ? "" : "+");
        plan.algorithm += name_of(entry(d).algorithm);
    }
    if (kind == CollectiveKind::AllGather) {
        std::for_each(dimensions.rbegin(), dimensions.rend(),
                      [&](std::size_t d) { add_phase(plan, d, rank, kind, entry(d)); });
        return;
    }
    if (kind != CollectiveKind::AllReduce ||
        system_.optimization == CollectiveOptimization::Baseline) {
        for (const std::size_t d : dimensions) {
            add_phase(plan, d, rank, kind, entry(d));
        }
        return;
    }
    const std::size_t last = dimensions.back();
    std::for_each(dimensions.begin(), dimensions.end() - 1, [&](std::size_t d) {
        add_phase(plan, d, rank, CollectiveKind::ReduceScatter, entry(d));
    });
    add_phase(plan, last, rank, CollectiveKind::AllReduce, entry(last));
    std::for_each(dimensions.rbegin() + 1, dimensions.rend(), [&](std::size_t d) {
        add_phase(plan, d, rank, CollectiveKind::AllGather, entry(d), true);
    });
}

std::vector<Bytes> CollectivePlanner::chunk_sizes(CollectiveKind kind, Bytes size) const {
    const std::int64_t splits = system_.preferred_dataset_splits;
    std::vector<Bytes> sizes;
    if (dialect_.exact_chunks) {
        const std::int64_t pieces = std::max<std::int64_t>(1, std::min(splits, size.value()));
        for (std::int64_t i = 0; i < pieces; ++i) {
            sizes.push_back(part_of(size, i, pieces));
        }
        return sizes;
    }
    std::int64_t chunk = size.value() / splits;
    std::int64_t total = size.value();
    const auto npus = static_cast<std::int64_t>(workload_.ranks());
    if (kind != CollectiveKind::AllGather && chunk < npus) {
        chunk = npus;
        total = splits * chunk;
    }
    if (chunk == 0) {
        throw InputError({"the workload", "an all-gather",
                          fmt::format("{} bytes in {} splits", size.value(), splits),
                          "at least one byte a split in the astra-sim dialects",
                          "Lower preferred-dataset-splits or use --dialect npunet"});
    }
    sizes.assign(static_cast<std::size_t>((total + chunk - 1) / chunk), Bytes(chunk));
    return sizes;
}

CollectivePlan CollectivePlanner::plan(std::int32_t group, Rank rank, std::size_t member,
                                       CollectiveKind kind, Bytes size) {
    CollectivePlan plan;
    plan.endpoint_delay = system_.endpoint_delay;
    const Implementation& first = implementations(kind).front();
    const bool configured = dialect_.groups_use_configuration || whole_system(group);
    if (!configured) {
        plan.endpoint_delay = reference_group_delay;
    }
    if (configured && first.flat) {
        add_flat_phase(plan, group, member, kind, first);
    } else if (configured && layout_of(group).sub_grid) {
        add_dimension_phases(plan, layout_of(group).dimensions, rank, kind);
    } else {
        add_flat_phase(plan, group, member, kind, Implementation{});
    }
    for (const Bytes chunk : chunk_sizes(kind, size)) {
        plan.totals.push_back(phase_totals(plan.phases, kind, chunk, dialect_.exact_chunks));
    }
    return plan;
}

}  // namespace npunet::engine
