#include "engine/program/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/errors.h"
#include "chakra/trace/comm_groups.h"
#include "engine/program/program_order.h"

namespace npunet::engine {

namespace {

/// Members exist and are different ones: a rank that stands twice would wait for itself.
void check_groups(const std::vector<Group>& groups, std::size_t ranks) {
    for (const Group& group : groups) {
        std::vector<Rank> sorted = group.ranks;
        std::sort(sorted.begin(), sorted.end());
        const bool in_range =
            sorted.empty() || (sorted.front().valid() && sorted.back().index() < ranks);
        if (!in_range || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
            throw InputError({"the communicator groups", fmt::format("group {}", group.name),
                              in_range ? "a rank twice" : "a rank that does not exist",
                              fmt::format("different ranks from 0 to {}", ranks - 1),
                              "Use the groups that belong to the traces"});
        }
    }
}

/// The result of an all-gather must be countable too.
void check_result_size(const Group& group, const ProgramOperation& operation, std::uint64_t node,
                       const std::string& file, const std::string& name) {
    constexpr std::int64_t most = chakra::largest_comm_size;
    const auto members = static_cast<std::int64_t>(group.ranks.size());
    const bool gathers = operation.collective == CollectiveKind::AllGather ||
                         operation.collective == CollectiveKind::Gather;
    if (gathers && operation.bytes.value() > most / members) {
        throw InputError(
            {file, fmt::format("node {} ('{}')", node, name),
             fmt::format("an {} of {} bytes from each of {} ranks", name_of(operation.collective),
                         operation.bytes.value(), members),
             fmt::format("a result of at most {} bytes", most), "comm_size is one rank's shard"});
    }
}

/// The root is a member, by default the first; an unequal all-to-all has a size for each member.
void settle_group(const Group& group, Rank root, ProgramOperation& operation, std::uint64_t node,
                  const std::string& file, const std::string& name) {
    const auto refuse = [&](std::string found, std::string expected) {
        throw InputError({file, fmt::format("node {} ('{}')", node, name), std::move(found),
                          std::move(expected),
                          "Check that traces and communicator-group file belong together"});
    };
    if (has_root(operation.collective)) {
        const auto place = root.valid() ? std::find(group.ranks.begin(), group.ranks.end(), root)
                                        : group.ranks.begin();
        if (place == group.ranks.end()) {
            refuse(fmt::format("comm_root {}, no member of communicator '{}'", root.value(),
                               group.name),
                   "a member of the communicator");
        }
        operation.root = static_cast<std::int32_t>(place - group.ranks.begin());
    }
    if (!operation.sizes.empty() && operation.sizes.size() != group.ranks.size()) {
        refuse(fmt::format("comm_sizes with {} entries", operation.sizes.size()),
               fmt::format("{}, one for each member of communicator '{}'", group.ranks.size(),
                           group.name));
    }
}

/// The groups that collectives over some dimensions of the machine form, made when first named.
class DimensionGroups {
public:
    DimensionGroups(const topology::NetworkDescription& network, std::vector<Group>& groups,
                    std::int32_t world)
        : network_(network), groups_(groups), world_(world) {}

    /// -1 when the flags do not fit the network.
    std::int32_t group_of(Rank rank, const std::vector<bool>& involved) {
        if (involved.size() != network_.dimensions.size() ||
            rank.index() >= network_.npu_of_rank.size() ||
            std::find(involved.begin(), involved.end(), true) == involved.end()) {
            return -1;
        }
        if (std::find(involved.begin(), involved.end(), false) == involved.end()) {
            return world_;
        }
        std::vector<std::int32_t> key = coordinates(rank, involved);
        const auto [entry, first] =
            known_.emplace(std::make_pair(involved, std::move(key)), groups_.size());
        if (first) {
            Group group;
            group.by_dimensions = true;
            group.name = fmt::format("dimensions of rank {}", rank.value());
            for (std::size_t other = 0; other < network_.npu_of_rank.size(); ++other) {
                if (coordinates(Rank(other), involved) == entry->first.second) {
                    group.ranks.emplace_back(other);
                }
            }
            groups_.push_back(std::move(group));
        }
        return static_cast<std::int32_t>(entry->second);
    }

private:
    /// Where a rank stands in the dimensions that are not involved.
    [[nodiscard]] std::vector<std::int32_t> coordinates(Rank rank,
                                                        const std::vector<bool>& involved) const {
        std::vector<std::int32_t> result;
        for (std::size_t d = 0; d < involved.size(); ++d) {
            if (!involved[d]) {
                result.push_back(network_.coordinate(network_.npu_of_rank[rank.index()], d));
            }
        }
        return result;
    }

    const topology::NetworkDescription& network_;
    std::vector<Group>& groups_;
    std::int32_t world_;
    std::map<std::pair<std::vector<bool>, std::vector<std::int32_t>>, std::size_t> known_;
};

/// A collective on a communicator that does not have this rank would wait for ever.
void check_membership(const Workload& workload, BuiltProgram& built, Rank rank,
                      const std::string& file) {
    RankProgram& program = built.program;
    std::vector<bool> member;
    for (const std::int32_t group : built.binding.groups) {
        const std::vector<Rank>& ranks = workload.groups[static_cast<std::size_t>(group)].ranks;
        member.push_back(static_cast<std::size_t>(group) == workload.world ||
                         std::find(ranks.begin(), ranks.end(), rank) != ranks.end());
    }
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
        ProgramOperation& operation = program.operations[i];
        if (operation.nothing || operation.kind != OperationKind::Collective) {
            continue;
        }
        const auto slot = static_cast<std::size_t>(operation.group);
        const Group& group = workload.groups[static_cast<std::size_t>(built.binding.groups[slot])];
        const std::uint64_t node = built.binding.first_id + operation.id;
        if (!member[slot]) {
            throw InputError(
                {file, fmt::format("node {} ('{}')", node, program.names[i]),
                 fmt::format("a collective on communicator '{}', of which rank {} is no member",
                             group.name, rank.value()),
                 "a communicator of the rank",
                 "Check that traces and communicator-group file belong together"});
        }
        settle_group(group, i < built.roots.size() ? built.roots[i] : Rank(), operation, node, file,
                     program.names[i]);
        check_result_size(group, operation, node, file, program.names[i]);
    }
}

}  // namespace

class WorkloadBuilder::State {
public:
    State(std::size_t ranks, const std::vector<Group>& groups, const WorkloadOptions& options)
        : options_(options), ranks_(ranks) {
        assert((options.issue_order == IssueOrder::AscendingId ||
                !options.collectives_in_program_order) &&
               "the walk gives an order of its own");
        check_groups(groups, ranks);
        workload_.groups = groups;
        Group world;
        world.name = "world";
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            world.ranks.emplace_back(rank);
        }
        workload_.world = workload_.groups.size();
        workload_.groups.push_back(std::move(world));
        workload_.program_of.reserve(ranks);
        workload_.bindings.reserve(ranks);
        if (options.network != nullptr) {
            of_dimensions_.emplace(*options.network, workload_.groups,
                                   static_cast<std::int32_t>(workload_.world));
        }
        name_groups(groups);
    }

    void add(Rank rank, const std::vector<chakra::Node>& nodes, const std::string& label) {
        std::size_t dangling = 0;
        BuiltProgram built = build_program(nodes, context(rank, label), dangling);
        dangling_controls_ += dangling;
        dangling_controls_of_.push_back(dangling);
        check_membership(workload_, built, rank, label);
        workload_.program_of.push_back(number_of(std::move(built.program)));
        workload_.bindings.push_back(std::move(built.binding));
    }

    bool add_alike(Rank like, const SharedProgram& model, const std::vector<chakra::Node>& nodes,
                   const chakra::TraceDifference& difference, const std::string& label) {
        const Rank rank(workload_.program_of.size());
        std::optional<RankBinding> binding = model.bind(nodes, difference, context(rank, label));
        if (!binding || !fits(workload_.bindings[like.index()], *binding, rank)) {
            return false;
        }
        dangling_controls_ += dangling_controls_of_[like.index()];
        add_like(like, std::move(*binding));
        return true;
    }

    void add_like(Rank like, RankBinding binding) {
        dangling_controls_of_.push_back(dangling_controls_of_[like.index()]);
        workload_.program_of.push_back(workload_.program_of[like.index()]);
        workload_.bindings.push_back(std::move(binding));
    }

    [[nodiscard]] const RankBinding& binding(Rank rank) const {
        return workload_.bindings[rank.index()];
    }

    [[nodiscard]] const RankProgram& program(Rank rank) const { return workload_.program(rank); }

    Workload take() {
        if (dangling_controls_ > 0) {
            workload_.notes.push_back(fmt::format(
                "{} control dependencies name nodes that the traces do not have; they are "
                "taken as satisfied",
                dangling_controls_));
        }
        if (options_.collectives_in_program_order) {
            keep_program_order(workload_, options_.launches_groups);
        }
        return std::move(workload_);
    }

private:
    void name_groups(const std::vector<Group>& groups) {
        for (std::size_t i = 0; i < groups.size(); ++i) {
            by_name_.emplace_back(options_.group_names_are_numbers
                                      ? chakra::leading_number(groups[i].name)
                                      : groups[i].name,
                                  static_cast<std::int32_t>(i));
        }
        std::sort(by_name_.begin(), by_name_.end());
        const auto same = std::adjacent_find(
            by_name_.begin(), by_name_.end(),
            [](const auto& one, const auto& other) { return one.first == other.first; });
        if (same != by_name_.end()) {
            const auto name_of = [&groups](const auto& entry) {
                return groups[static_cast<std::size_t>(entry.second)].name;
            };
            throw InputError({"the communicator groups", fmt::format("group {}", same->first),
                              fmt::format("'{}' and '{}'", name_of(*same), name_of(*(same + 1))),
                              "one group of each number: this dialect reads no more of a name",
                              "Rename one of the two"});
        }
    }

    ProgramContext context(Rank rank, const std::string& label) {
        ProgramContext context;
        context.file = label;
        context.rank = rank;
        context.ranks = ranks_;
        context.groups = &by_name_;
        context.world_group = static_cast<std::int32_t>(workload_.world);
        if (of_dimensions_) {
            context.group_of_dimensions = [this](Rank of, const std::vector<bool>& involved) {
                return of_dimensions_->group_of(of, involved);
            };
        }
        context.tensor_names = options_.tensors ? &workload_.tensor_names : nullptr;
        context.issue_order = options_.issue_order;
        context.broadcasts_replay = options_.broadcasts_replay;
        context.group_names_are_numbers = options_.group_names_are_numbers;
        context.group_zero_is_all = options_.group_zero_is_all;
        return context;
    }

    /// A program passes the checks with this binding that it passed with the known one: the rank is
    /// a member of groups of the same size.
    [[nodiscard]] bool fits(const RankBinding& known, const RankBinding& binding, Rank rank) const {
        const auto group = [this](const RankBinding& of, std::size_t slot) -> const Group& {
            return workload_.groups[static_cast<std::size_t>(of.groups[slot])];
        };
        for (std::size_t slot = 0; slot < binding.groups.size(); ++slot) {
            const std::vector<Rank>& ranks = group(binding, slot).ranks;
            if (ranks.size() != group(known, slot).ranks.size() ||
                std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) {
                return false;
            }
        }
        return true;
    }

    /// The number of an equal program, or of this new one.
    std::uint32_t number_of(RankProgram program) {
        const auto range = by_signature_.equal_range(program.signature);
        for (auto entry = range.first; entry != range.second; ++entry) {
            if (workload_.programs[entry->second] == program) {
                return entry->second;
            }
        }
        const auto number = static_cast<std::uint32_t>(workload_.programs.size());
        by_signature_.emplace(program.signature, number);
        workload_.programs.push_back(std::move(program));
        return number;
    }

    WorkloadOptions options_;
    std::size_t ranks_;
    Workload workload_;
    std::optional<DimensionGroups> of_dimensions_;
    std::vector<std::pair<std::string, std::int32_t>> by_name_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> by_signature_;
    std::size_t dangling_controls_ = 0;
    std::vector<std::size_t> dangling_controls_of_;  ///< by rank
};

Parallelism Workload::dimension_of(Rank rank, std::uint32_t operation) const {
    const RankProgram& own = program(rank);
    const Parallelism named =
        own.dimensions.empty() ? Parallelism::Other : own.dimensions[operation];
    const ProgramOperation& executed = own.operations[operation];
    return named == Parallelism::Other && executed.group >= 0
               ? groups[group_of(rank, executed)].dimension
               : named;
}

WorkloadBuilder::WorkloadBuilder(std::size_t ranks, const std::vector<Group>& groups,
                                 const WorkloadOptions& options)
    : state_(std::make_unique<State>(ranks, groups, options)) {}

WorkloadBuilder::~WorkloadBuilder() = default;

void WorkloadBuilder::add(Rank rank, const std::vector<chakra::Node>& nodes,
                          const std::string& label) {
    state_->add(rank, nodes, label);
}

bool WorkloadBuilder::add_alike(Rank like, const SharedProgram& model,
                                const std::vector<chakra::Node>& nodes,
                                const chakra::TraceDifference& difference,
                                const std::string& label) {
    return state_->add_alike(like, model, nodes, difference, label);
}

void WorkloadBuilder::add_like(Rank like, RankBinding binding) {
    state_->add_like(like, std::move(binding));
}

const RankBinding& WorkloadBuilder::binding(Rank rank) const {
    return state_->binding(rank);
}

const RankProgram& WorkloadBuilder::program(Rank rank) const {
    return state_->program(rank);
}

Workload WorkloadBuilder::take() {
    return state_->take();
}

Workload make_workload(std::size_t ranks, const NodeSource& nodes,
                       const std::function<std::string(Rank)>& label,
                       const std::vector<Group>& groups, const WorkloadOptions& options) {
    WorkloadBuilder builder(ranks, groups, options);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        builder.add(Rank(rank), nodes(Rank(rank)), label(Rank(rank)));
    }
    return builder.take();
}

}  // namespace npunet::engine
