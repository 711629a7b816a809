#include "engine/collective/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/errors.h"

namespace npunet::engine {

namespace {

/// Fixed in the reference for communicators that are not the whole system.
constexpr Time reference_group_delay = Time::ns(10);

std::string key_of(CollectiveKind kind) {
    std::string key = name_of(kind);
    std::replace(key.begin(), key.end(), '_', '-');
    return key + "-implementation";
}

void check_list(CollectiveKind kind, const SystemConfig& system, std::size_t dimensions) {
    const std::vector<Implementation>& list = system.implementations(kind);
    if (list.size() != 1 && !list.front().flat && list.size() != dimensions) {
        throw InputError(
            {system.file, key_of(kind), fmt::format("{} entries", list.size()),
             dimensions == 0 ? "1: the network has no dimensions"
             : dimensions == 1
                 ? "1: the network has one dimension"
                 : fmt::format("1 or {}, one for each dimension of the network", dimensions),
             ""});
    }
}

/// A double binary tree has no reduce-scatter: before the last dimension there is nothing for it.
[[noreturn]] void refuse_tree_before_the_last(const SystemConfig& system, CollectiveKind kind) {
    throw InputError(
        {system.file, key_of(kind), "doubleBinaryTree in a dimension before the last one",
         "an algorithm with a reduce-scatter there: ring, direct, halvingDoubling, ...",
         "Write oneDoubleBinaryTree (one line over the group), put doubleBinaryTree "
         "last, or set collective-optimization to baseline"});
}

/// Bruck's algorithm is ours.
[[noreturn]] void refuse_halving_all_to_all(const SystemConfig& system) {
    throw InputError({system.file, key_of(CollectiveKind::AllToAll),
                      "halvingDoubling, for which the reference has no all-to-all: it exits",
                      "ring or direct in the astra-sim dialect",
                      "Change the entry, or use --dialect npunet"});
}

/// The reference's ring all-to-all has n (n - 1) / 2 exchanges, which are counted in 31 bits.
void check_blocks(const PhaseShape& shape) {
    constexpr std::int32_t most = 65536;
    if (shape.algorithm == Algorithm::Ring && shape.kind == CollectiveKind::AllToAll &&
        !shape.rules.ring_all_to_all_aggregates && shape.members > most) {
        throw InputError({"system.json", key_of(CollectiveKind::AllToAll),
                          fmt::format("ring among {} NPUs, which sends n (n - 1) / 2 blocks one "
                                      "after the other in this dialect",
                                      shape.members),
                          fmt::format("at most {} NPUs", most),
                          "Change the entry to direct, or use --dialect npunet"});
    }
}

}  // namespace

Bytes CollectivePlan::chunk_size(std::int64_t chunk) const {
    if (equal_chunk > Bytes()) {
        return equal_chunk;
    }
    const std::int64_t pieces = size.value() / piece.value();
    const Bytes rest(size.value() % piece.value());
    const Bytes whole = (pieces / chunks + (chunk < pieces % chunks ? 1 : 0)) * piece;
    return chunk == pieces % chunks ? whole + rest : whole;
}

Bytes CollectivePlan::stream_size(std::size_t stream) const {
    const auto lane_count = static_cast<std::size_t>(lanes);
    const auto chunk = static_cast<std::int64_t>(stream / lane_count);
    const Bytes whole = chunk_size(chunk);
    return lanes == 1 ? whole
                      : part_of(whole, static_cast<std::int64_t>(stream % lane_count), lanes);
}

CollectivePlan::Turn CollectivePlan::turn(std::int32_t queue, std::size_t number) const {
    // The queues of a lane are those whose number it leaves when divided by all lanes.
    const auto lane_count = static_cast<std::size_t>(lanes);
    const std::size_t lane = static_cast<std::size_t>(queue) % lane_count;
    const auto chunk_count = static_cast<std::size_t>(chunks);
    std::size_t before = number / chunk_count;
    for (std::size_t i = 0; i < phases_per_stream(); ++i) {
        if (phase(lane, i).queue == queue && before-- == 0) {
            return {number % chunk_count * lane_count + lane, i};
        }
    }
    return {0, phases_per_stream()};
}

PhaseShape CollectivePlan::shape(std::size_t stream, std::size_t number) const {
    Bytes bytes = stream_size(stream);
    // Reduce-scatters shrink the buffer, all-gathers enlarge it; one that undoes a reduce-scatter
    // restores that one's buffer.
    std::array<Bytes, 64> scattered;
    std::size_t depth = 0;
    for (std::size_t i = 0;; ++i) {
        const PlannedPhase& planned = phase(stream, i);
        PhaseShape result = planned.shape;
        if (planned.gathers_back && !result.rules.equal_parts) {
            bytes = scattered[--depth];
        } else if (result.kind == CollectiveKind::AllGather ||
                   result.kind == CollectiveKind::Gather) {
            bytes = result.members * bytes;
        }
        result.set_total(bytes);
        if (i == number) {
            result.chunk = static_cast<std::int32_t>(stream / static_cast<std::size_t>(lanes));
            result.chunks = chunks;
            if (planned.alternates) {
                result.lane = static_cast<std::uint8_t>((stream + 1) % 2);
            }
            return result;
        }
        if (result.kind == CollectiveKind::ReduceScatter) {
            scattered[depth++ % scattered.size()] = bytes;
            bytes = result.part(result.me);
        }
    }
}

CollectivePlanner::CollectivePlanner(const topology::NetworkDescription& network,
                                     const SystemConfig& system, const Dialect& dialect,
                                     const Workload& workload)
    : network_(network), system_(system), dialect_(dialect), workload_(workload) {
    layouts_.resize(workload.groups.size());
    const std::size_t dimensions = network.dimensions.size();
    for (const CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::AllGather,
                                      CollectiveKind::ReduceScatter, CollectiveKind::AllToAll}) {
        check_list(kind, system, dimensions);
    }
    // NPUs of other jobs have no rank here; no sub-grid of ours has their lines.
    const std::size_t npus = network.graph.npus();
    const std::size_t ranks = network.npu_of_rank.size();
    std::vector<Rank> rank_of_npu(npus);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        rank_of_npu[network.npu_of_rank[rank].index()] = Rank(rank);
    }
    lines_.resize(dimensions);
    line_of_.assign(dimensions, std::vector<std::int32_t>(ranks));
    std::size_t stride = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
        const auto size = static_cast<std::size_t>(network.dimensions[d].size);
        lines_[d].resize(npus / size);
        for (std::size_t npu = 0; npu < npus; ++npu) {
            const std::size_t line = npu / (stride * size) * stride + npu % stride;
            lines_[d][line].push_back(rank_of_npu[npu]);
            if (rank_of_npu[npu].valid()) {
                line_of_[d][rank_of_npu[npu].index()] = static_cast<std::int32_t>(line);
            }
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
    if (layout.sub_grid) {
        layout.hamiltonian_ring = hamiltonian_ring(ranks, layout);
    }
    return layout;
}

std::vector<Rank> CollectivePlanner::hamiltonian_ring(const std::vector<Rank>& ranks,
                                                      const Layout& layout) const {
    const auto is_mesh = [this](std::size_t d) {
        return network_.dimensions[d].kind == topology::DimensionKind::Mesh1D;
    };
    if (layout.dimensions.size() != 2 || !is_mesh(layout.dimensions[0]) ||
        !is_mesh(layout.dimensions[1])) {
        return {};
    }
    std::size_t across = layout.dimensions[0];  // rows are walked along this one ...
    std::size_t even = layout.dimensions[1];    // ... and there is an even number of them
    if (network_.dimensions[even].size % 2 != 0) {
        std::swap(across, even);
    }
    if (network_.dimensions[even].size % 2 != 0) {
        return {};  // an odd number of NPUs: a mesh has no closed way through all of them
    }
    // Up and down the rows in all columns but the first, and home through the first.
    const std::int32_t width = network_.dimensions[across].size;
    const auto place = [&](Rank rank) {
        const NodeId npu = network_.npu_of_rank[rank.index()];
        const std::int32_t row = network_.coordinate(npu, even);
        const std::int32_t column = network_.coordinate(npu, across);
        const std::int32_t rows = network_.dimensions[even].size;
        if (column == 0) {
            return rows * (width - 1) + rows - 1 - row;
        }
        return row * (width - 1) + (row % 2 == 0 ? column - 1 : width - 1 - column);
    };
    std::vector<Rank> ring(ranks.size());
    for (const Rank rank : ranks) {
        ring[static_cast<std::size_t>(place(rank))] = rank;
    }
    return ring;
}

PhaseShape CollectivePlanner::base_shape(CollectiveKind kind, const Implementation& implementation,
                                         std::int32_t lane) const {
    PhaseShape shape;
    shape.algorithm = implementation.algorithm;
    shape.kind = kind;
    shape.window = implementation.window;
    if (shape.algorithm == Algorithm::DoubleBinaryTree) {
        shape.kind = CollectiveKind::AllReduce;  // in the reference it stands in for every kind
    }
    const bool uses_lane =
        implementation.bidirectional || implementation.algorithm == Algorithm::DoubleBinaryTree;
    shape.lane = static_cast<std::uint8_t>(uses_lane ? lane % 2 : 0);
    shape.rules = dialect_.schedules;
    if (shape.rules.halving_begins_nearby && kind == CollectiveKind::AllToAll &&
        shape.algorithm == Algorithm::HalvingDoubling) {
        refuse_halving_all_to_all(system_);
    }
    return shape;
}

std::int32_t CollectivePlanner::lanes_of(const Implementation& implementation) const {
    const bool two_trees =
        implementation.algorithm == Algorithm::DoubleBinaryTree && dialect_.trees_share_chunks;
    return implementation.bidirectional || two_trees ? 2 : 1;
}

void CollectivePlanner::add_line(CollectivePlan& plan, const std::vector<Rank>& line,
                                 std::size_t me, const ProgramOperation& operation,
                                 const Implementation& implementation) const {
    plan.lanes = plan.queues = lanes_of(implementation);
    for (std::int32_t lane = 0; lane < plan.lanes; ++lane) {
        PlannedPhase phase{base_shape(plan.kind, implementation, lane), &line};
        phase.shape.members = static_cast<std::int32_t>(line.size());
        phase.shape.me = static_cast<std::int32_t>(me);
        check_blocks(phase.shape);
        phase.queue = lane;
        phase.alternates =
            implementation.algorithm == Algorithm::DoubleBinaryTree && !dialect_.trees_share_chunks;
        if (has_root(plan.kind)) {
            phase.shape.root = operation.root;
        }
        if (!operation.sizes.empty()) {
            phase.shape.sizes = &operation.sizes;
        }
        plan.phases.push_back(phase);
    }
    plan.algorithm = implementation.name();
}

void CollectivePlanner::add_phase(CollectivePlan& plan, std::int32_t lane, std::size_t dimension,
                                  Rank rank, CollectiveKind kind,
                                  const Implementation& implementation, bool gathers_back) const {
    const auto line = static_cast<std::size_t>(line_of_[dimension][rank.index()]);
    PlannedPhase phase{base_shape(kind, implementation, lane), &lines_[dimension][line]};
    phase.shape.members = network_.dimensions[dimension].size;
    check_blocks(phase.shape);
    phase.shape.me = network_.coordinate(network_.npu_of_rank[rank.index()], dimension);
    phase.queue = static_cast<std::int32_t>(dimension) * plan.lanes + lane;
    plan.queues = std::max(plan.queues, phase.queue + 1);
    phase.gathers_back = gathers_back;
    phase.alternates =
        implementation.algorithm == Algorithm::DoubleBinaryTree && !dialect_.trees_share_chunks;
    plan.phases.push_back(phase);
}

void CollectivePlanner::add_dimension_phases(CollectivePlan& plan, std::int32_t lane,
                                             const std::vector<std::size_t>& dimensions,
                                             Rank rank) const {
    const CollectiveKind kind = plan.kind;
    const std::vector<Implementation>& list = system_.implementations(kind);
    const auto entry = [&list](std::size_t d) { return list.size() == 1 ? list[0] : list[d]; };
    if (kind == CollectiveKind::AllGather) {
        std::for_each(dimensions.rbegin(), dimensions.rend(),
                      [&](std::size_t d) { add_phase(plan, lane, d, rank, kind, entry(d)); });
        return;
    }
    if (kind != CollectiveKind::AllReduce ||
        system_.optimization == CollectiveOptimization::Baseline) {
        for (const std::size_t d : dimensions) {
            add_phase(plan, lane, d, rank, kind, entry(d));
        }
        return;
    }
    const std::size_t last = dimensions.back();
    const bool tree_before_it = std::any_of(
        dimensions.begin(), dimensions.end() - 1,
        [&](std::size_t d) { return entry(d).algorithm == Algorithm::DoubleBinaryTree; });
    if (tree_before_it && dialect_.trees_share_chunks) {
        refuse_tree_before_the_last(system_, kind);
    }
    std::for_each(dimensions.begin(), dimensions.end() - 1, [&](std::size_t d) {
        add_phase(plan, lane, d, rank, CollectiveKind::ReduceScatter, entry(d));
    });
    add_phase(plan, lane, last, rank, CollectiveKind::AllReduce, entry(last));
    std::for_each(dimensions.rbegin() + 1, dimensions.rend(), [&](std::size_t d) {
        add_phase(plan, lane, d, rank, CollectiveKind::AllGather, entry(d), true);
    });
}

void CollectivePlanner::add_dimension_lanes(CollectivePlan& plan, const Layout& layout,
                                            Rank rank) const {
    const std::vector<Implementation>& list = system_.implementations(plan.kind);
    std::int32_t directions = 1;
    for (const std::size_t d : layout.dimensions) {
        const Implementation& entry = list.size() == 1 ? list[0] : list[d];
        directions = std::max(directions, lanes_of(entry));
        plan.algorithm += plan.algorithm.empty() ? "" : "+";
        plan.algorithm += entry.name();
    }
    const bool rotates = list.front().all_dimensions_at_once;
    const auto starts = rotates ? layout.dimensions.size() : 1;
    plan.lanes = directions * static_cast<std::int32_t>(starts);
    for (std::int32_t lane = 0; lane < plan.lanes; ++lane) {
        std::vector<std::size_t> order = layout.dimensions;
        std::rotate(order.begin(), order.begin() + lane / directions, order.end());
        add_dimension_phases(plan, lane, order, rank);
    }
}

/// In the reference each chunk would move all bytes of the traces.
void CollectivePlanner::check_file_splits(const FileAlgorithm& file) const {
    if (dialect_.whole_nanoseconds && system_.preferred_dataset_splits > 1) {
        throw InputError(
            {system_.file, "preferred-dataset-splits",
             fmt::format("{} with the collective {}", system_.preferred_dataset_splits, file.file),
             "1: the traces say what is sent, and are not split",
             "Set it to 1, or use --dialect npunet"});
    }
}

CollectivePlan CollectivePlanner::plan(Rank rank, std::size_t member,
                                       const ProgramOperation& operation) {
    CollectivePlan plan;
    plan.kind = operation.collective;
    plan.size = operation.bytes;
    plan.endpoint_delay = system_.endpoint_delay;
    const auto group_number = static_cast<std::int32_t>(workload_.group_of(rank, operation));
    const Group& group = workload_.groups[static_cast<std::size_t>(group_number)];
    if (operation.sizes.empty() && !system_.files(plan.kind).list.empty()) {
        plan.file = system_.files(plan.kind).choose(
            {plan.kind, plan.size, group.ranks.size(), system_.file});
    }
    if (plan.file != nullptr) {
        plan.algorithm = plan.file->name;
        check_file_splits(*plan.file);
        if (plan.file->is_trace && dialect_.whole_nanoseconds) {
            plan.endpoint_delay = Time();  // the reference has none there
        }
        return plan;
    }
    Implementation first = system_.implementations(plan.kind).front();
    const bool configured =
        dialect_.groups_use_configuration || group.by_dimensions || whole_system(group_number);
    if (!configured) {
        plan.endpoint_delay = reference_group_delay;
        if (!has_root(plan.kind) && plan.kind != CollectiveKind::Barrier) {
            first = Implementation{};
        }
    }
    const bool line_only =
        has_root(plan.kind) || plan.kind == CollectiveKind::Barrier || !operation.sizes.empty();
    if (!operation.sizes.empty()) {
        first.algorithm = Algorithm::Direct;
        first.bidirectional = first.all_dimensions_at_once = false;
    }
    if (line_only || !configured || first.flat || !layout_of(group_number).sub_grid) {
        add_line(plan, group.ranks, member, operation, first);
    } else {
        const Layout& layout = layout_of(group_number);
        if (first.all_dimensions_at_once && !layout.hamiltonian_ring.empty()) {
            const std::vector<Rank>& ring = layout.hamiltonian_ring;
            const auto me = std::find(ring.begin(), ring.end(), rank) - ring.begin();
            add_line(plan, ring, static_cast<std::size_t>(me), operation, first);
        } else {
            add_dimension_lanes(plan, layout, rank);
        }
    }
    const std::int32_t splits = system_.preferred_dataset_splits;
    if (!set_chunks(plan, splits, dialect_.exact_chunks, workload_.ranks())) {
        throw InputError(
            {fmt::format("trace of rank {}", rank.value()),
             fmt::format("node {}", workload_.node_of(rank, operation)),
             fmt::format("an all-gather of {} bytes in {} splits", plan.size.value(), splits),
             "at least one byte a split in the astra-sim dialects",
             fmt::format("Lower preferred-dataset-splits of {} or use --dialect npunet",
                         system_.file)});
    }
    return plan;
}

}  // namespace npunet::engine
