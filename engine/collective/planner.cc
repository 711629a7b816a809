#include "engine/collective/planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "base/splitmix64.h"
#include "engine/collective/algorithm_chooser.h"

namespace npunet::engine {

namespace {

/// Fixed in the reference for communicators that are not the whole system.
constexpr Time reference_group_delay = Time::ns(10);

void check_list(CollectiveKind kind, const SystemConfig& system,
                const topology::NetworkDescription& network) {
    const std::vector<Implementation>& list = system.implementations(kind);
    const std::size_t tiers = network.tiers.size();
    if (list.size() > 1 && !list.front().flat && list.size() != tiers) {
        const bool product = !network.dimensions.empty();
        const std::string none = product ? "has one dimension" : "has one tier";
        throw InputError({system.file, key_of(kind), fmt::format("{} entries", list.size()),
                          tiers == 0   ? "1: the network has neither dimensions nor tiers"
                          : tiers == 1 ? "1: the network " + none
                                       : fmt::format("1 or {}, one for each {} of the network",
                                                     tiers, product ? "dimension" : "tier"),
                          ""});
    }
}

/// In the reference each chunk would move all bytes of the traces.
void check_file_splits(const SystemConfig& system, const FileAlgorithm& file) {
    if (system.preferred_dataset_splits > 1) {
        throw InputError(
            {system.file, "preferred-dataset-splits",
             fmt::format("{} with the collective {}", system.preferred_dataset_splits, file.file),
             "1: the traces say what is sent, and are not split",
             "Set it to 1, or use --dialect npunet"});
    }
}

/// A hash of numbers one after the other.
class Likeness {
public:
    void add(std::int64_t number) {
        hash_ = splitmix64(hash_ ^ static_cast<std::uint64_t>(number));
    }
    [[nodiscard]] std::uint64_t value() const { return hash_; }

private:
    std::uint64_t hash_ = 0;
};

/// What a message over a route costs, and by which of the sender's ports it leaves.
void add_route(Likeness& likeness, const topology::NetworkDescription& network, Rank from,
               Rank to) {
    const NodeId source = network.npu_of_rank[from.index()];
    const topology::PlaneRoutes planes = network.routes(source, network.npu_of_rank[to.index()]);
    const std::vector<topology::Hop>& hops = planes.front();
    likeness.add(static_cast<std::int64_t>(planes.size()));
    const std::vector<LinkId>& ports = network.graph.links_from(source);
    likeness.add(std::find(ports.begin(), ports.end(), hops.front().link) - ports.begin());
    for (const topology::Hop& hop : hops) {
        const topology::Link& link = network.graph.link(hop.link);
        likeness.add(link.rate.bytes_per_second());
        likeness.add(link.latency.ps());
    }
}

bool is_open(const SystemConfig& system, CollectiveKind kind) {
    return system.implementations(kind).empty() || system.preferred_dataset_splits == 0 ||
           system.active_chunks_per_dimension == 0;
}

}  // namespace

CollectivePlanner::CollectivePlanner(const topology::NetworkDescription& network,
                                     const SystemConfig& system, const Dialect& dialect,
                                     const Workload& workload)
    : network_(network),
      system_(system),
      dialect_(dialect),
      workload_(workload),
      builder_(system, dialect),
      library_(network, system, workload),
      launches_(workload),
      chooser_(std::make_unique<AlgorithmChooser>(network, system, workload.ranks())) {
    communicators_.resize(workload.groups.size());
    numbers_.resize(workload.programs.size());
    for (const CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::AllGather,
                                      CollectiveKind::ReduceScatter, CollectiveKind::AllToAll}) {
        check_list(kind, system, network);
    }
}

CollectivePlanner::~CollectivePlanner() = default;

bool CollectivePlanner::whole_system(std::int32_t group) const {
    return workload_.groups[static_cast<std::size_t>(group)].ranks.size() == workload_.ranks();
}

bool CollectivePlanner::has_configuration(std::int32_t group) const {
    return dialect_.groups_use_configuration ||
           workload_.groups[static_cast<std::size_t>(group)].by_dimensions || whole_system(group);
}

std::uint64_t CollectivePlanner::likeness_of(const CommunicatorLayout& layout,
                                             const std::vector<Rank>& ranks) const {
    constexpr std::size_t most = 256;  // members whose routes are compared
    Likeness likeness;
    likeness.add(layout.fills_dimensions() ? 1 : 0);
    for (const LayoutFactor& factor : layout.factors()) {
        likeness.add(static_cast<std::int64_t>(factor.tier));
        likeness.add(factor.size);
    }
    const std::size_t members = std::min(most, ranks.size());
    for (std::size_t member = 0; member < members; ++member) {
        add_route(likeness, network_, ranks[member], ranks[(member + 1) % ranks.size()]);
        add_route(likeness, network_, ranks[member],
                  ranks[(member + ranks.size() / 2) % ranks.size()]);
        for (const LayoutFactor& factor : layout.factors()) {
            const std::vector<Rank>& line =
                factor.lines[static_cast<std::size_t>(factor.line_of_member[member])];
            const auto next = static_cast<std::size_t>(factor.place_of_member[member]) + 1;
            add_route(likeness, network_, ranks[member], line[next % line.size()]);
        }
    }
    return likeness.value();
}

const CollectivePlanner::Communicator& CollectivePlanner::communicator(std::int32_t group) {
    std::unique_ptr<Communicator>& own = communicators_[static_cast<std::size_t>(group)];
    if (!own) {
        const std::vector<Rank>& ranks = workload_.groups[static_cast<std::size_t>(group)].ranks;
        CommunicatorLayout layout(network_, ranks);
        const std::uint64_t likeness = likeness_of(layout, ranks);
        own = std::make_unique<Communicator>(Communicator{std::move(layout), likeness});
    }
    return *own;
}

AlgorithmForm CollectivePlanner::given_form(CollectiveKind kind,
                                            const CommunicatorLayout& layout) const {
    const std::vector<Implementation>& list = system_.implementations(kind);
    AlgorithmForm form;
    const bool line_only = has_root(kind) || kind == CollectiveKind::Barrier;
    const bool has_lines =
        network_.dimensions.empty() ? layout.factors().size() > 1 : layout.fills_dimensions();
    form.flat = line_only || list.front().flat || !has_lines;
    if (form.flat || list.size() == 1) {
        form.entries = {list.front()};
        return form;
    }
    form.entries.clear();
    for (const LayoutFactor& factor : layout.factors()) {
        form.entries.push_back(list[factor.tier]);
    }
    return form;
}

CollectivePlan CollectivePlanner::plan_by(const CollectiveRecipe& recipe, const Communicator& of,
                                          const CollectiveTask& task, std::size_t member,
                                          bool& divisible) const {
    CollectivePlan plan = builder_.build(recipe, of.layout, task, member);
    plan.endpoint_delay = system_.endpoint_delay;
    divisible = set_chunks(plan, recipe.splits, dialect_.exact_chunks, workload_.ranks());
    return plan;
}

const CollectiveRecipe& CollectivePlanner::recipe(const Communicator& of,
                                                  const CollectiveTask& task, bool direct_only) {
    const bool open = is_open(system_, task.kind) && task.sizes == nullptr &&
                      task.kind != CollectiveKind::Barrier;
    const std::int32_t root = open && has_root(task.kind) ? task.root : 0;
    const auto [found, is_new] = choices_.try_emplace(
        ChoiceKey{of.likeness, task.kind, open ? task.size.value() : -1, root, direct_only});
    CollectiveRecipe& recipe = found->second;
    if (!is_new) {
        return recipe;
    }
    const bool given = !system_.implementations(task.kind).empty();
    if (given) {
        recipe.form = given_form(task.kind, of.layout);
    }
    recipe.splits = std::max(1, system_.preferred_dataset_splits);
    recipe.active_chunks = std::max(1, system_.active_chunks_per_dimension);
    if (!open) {
        return recipe;
    }
    AlgorithmChooser::Question question;
    question.kind = task.kind;
    question.size = task.size;
    question.ranks = task.ranks;
    question.layout = &of.layout;
    question.direct_only = direct_only;
    question.form = given ? &recipe.form : nullptr;
    question.splits = system_.preferred_dataset_splits;
    question.active_chunks = system_.active_chunks_per_dimension;
    recipe = chooser_->choose(question,
                              [&](std::size_t member, const CollectiveRecipe& tried, bool tiny) {
                                  bool divisible = true;
                                  CollectiveTask timed = task;
                                  timed.size = tiny ? Bytes(1) : task.size;
                                  return plan_by(tried, of, timed, member, divisible);
                              });
    return recipe;
}

CollectivePlan CollectivePlanner::plan_by_file(const CollectiveTask& task) const {
    CollectivePlan plan;
    plan.kind = task.kind;
    plan.size = task.size;
    plan.endpoint_delay = system_.endpoint_delay;
    if (task.sizes == nullptr && !system_.files(task.kind).list.empty()) {
        plan.file = system_.files(task.kind).choose(
            {task.kind, task.size, task.ranks->size(), system_.file});
    }
    if (plan.file == nullptr) {
        return plan;
    }
    plan.algorithm = plan.file->name;
    if (dialect_.whole_nanoseconds) {
        check_file_splits(system_, *plan.file);
        if (plan.file->is_trace) {
            plan.endpoint_delay = Time();  // the reference has none there
        }
    }
    return plan;
}

CollectiveTask CollectivePlanner::task_of(std::int32_t group,
                                          const ProgramOperation& operation) const {
    CollectiveTask task;
    task.kind = operation.collective;
    task.size = operation.bytes;
    task.root = has_root(task.kind) ? operation.root : 0;
    task.sizes = operation.sizes.empty() ? nullptr : &operation.sizes;
    task.ranks = &workload_.groups[static_cast<std::size_t>(group)].ranks;
    task.type = operation.type;
    return task;
}

CollectivePlan CollectivePlanner::plan(Rank rank, std::size_t member,
                                       const ProgramOperation& operation) {
    const auto group = static_cast<std::int32_t>(workload_.group_of(rank, operation));
    const Communicator& own = communicator(group);
    CollectiveTask task = task_of(group, operation);
    if (CollectivePlan by_file = plan_by_file(task); by_file.file != nullptr) {
        return by_file;
    }
    if (library_.is_for(task)) {
        // Members that disagree about the type would not meet.
        const ProgramOperation* first =
            collective_of(workload_, task.ranks->front(), group, number_of(rank, operation));
        task.type = first != nullptr ? first->type : DataType::None;
        return system_.library->launches_groups ? launched(group, number_of(rank, operation), task)
                                                : library_.plan(own.layout, task);
    }
    if (library_.is_for_unequal(task)) {
        const std::size_t number = number_of(rank, operation);
        const auto rows = [&] { return rows_of(group, number).sizes; };
        if (auto by_library = library_.plan_unequal(own.layout, task, number, rows)) {
            return *std::move(by_library);
        }
    }
    CollectiveRecipe special;
    const CollectiveRecipe* used = &special;
    if (task.sizes != nullptr) {
        special = unequal_recipe(group, rank, operation, task);
    } else if (!has_configuration(group)) {
        special = reference_recipe(task.kind);
    } else {
        used = &recipe(own, task);
    }
    bool divisible = true;
    CollectivePlan plan = plan_by(*used, own, task, member, divisible);
    plan.in_order = system_.active_chunks_per_dimension == 0;
    if (!has_configuration(group)) {
        plan.endpoint_delay = reference_group_delay;
    }
    plan.algorithm = name_of_plan(used->form, own.layout, task.kind);
    if (used->time > Time() && plan.chunks > 1) {
        plan.algorithm += fmt::format(", {} chunks, {} at a time", plan.chunks,
                                      std::min(plan.chunks, plan.active_chunks));
    }
    if (!divisible) {
        throw InputError(
            {fmt::format("trace of rank {}", rank.value()),
             fmt::format("node {}", workload_.node_of(rank, operation)),
             fmt::format("an all-gather of {} bytes in {} splits", plan.size.value(), used->splits),
             "at least one byte a split in the astra-sim dialects",
             fmt::format("Lower preferred-dataset-splits of {} or use --dialect npunet",
                         system_.file)});
    }
    return plan;
}

CollectivePlan CollectivePlanner::launched(std::int32_t group, std::size_t number,
                                           const CollectiveTask& task) {
    const CommunicatorLayout& layout = communicator(group).layout;
    const GroupLaunches::Launch launch = launches_.of(group, number);
    std::vector<CollectiveTask> tasks;
    std::size_t own = 0;
    for (std::size_t i = launch.first; i < launch.first + launch.count; ++i) {
        const ProgramOperation* const part =
            collective_of(workload_, task.ranks->front(), group, i);
        own = i == number ? tasks.size() : own;
        if (i == number) {
            tasks.push_back(task);
        } else if (part != nullptr && library_.is_for(task_of(group, *part))) {
            tasks.push_back(task_of(group, *part));
        }
    }
    return tasks.size() < 2 ? library_.plan(layout, task)
                            : library_.plan_launched(layout, tasks, own, launch.first);
}

std::size_t CollectivePlanner::number_of(Rank rank, const ProgramOperation& operation) {
    const RankProgram& own = workload_.program(rank);
    std::vector<std::uint32_t>& numbers = numbers_[workload_.program_of[rank.index()]];
    if (numbers.empty()) {
        numbers.resize(own.operations.size());
        for (const std::vector<std::uint32_t>& parts : own.collectives_of) {
            for (std::size_t number = 0; number < parts.size(); ++number) {
                numbers[parts[number]] = static_cast<std::uint32_t>(number);
            }
        }
    }
    return numbers[static_cast<std::size_t>(&operation - own.operations.data())];
}

CollectivePlanner::Rows CollectivePlanner::rows_of(std::int32_t group, std::size_t number) const {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    Rows rows;
    std::int64_t total = 0;
    for (const Rank member : workload_.groups[static_cast<std::size_t>(group)].ranks) {
        const ProgramOperation* part = collective_of(workload_, member, group, number);
        if (part == nullptr || part->sizes.empty() || part->bytes.value() > most - total) {
            return {};
        }
        rows.sizes.push_back(&part->sizes);
        total += part->bytes.value();
    }
    rows.total = Bytes(total);
    return rows;
}

std::optional<Bytes> CollectivePlanner::mean_of(std::int32_t group, std::size_t number) {
    constexpr std::int64_t unknown = -1;
    std::vector<std::int64_t>& means = unequal_[group].means;
    if (means.size() <= number) {
        means.resize(number + 1, 0);
    }
    std::int64_t& mean = means[number];
    if (mean == 0) {
        const Rows rows = rows_of(group, number);
        mean = rows.sizes.empty() ? unknown : 1;
        while (mean > 0 &&
               mean < rows.total.value() / static_cast<std::int64_t>(rows.sizes.size())) {
            mean *= 2;
        }
    }
    return mean == unknown ? std::nullopt : std::optional(Bytes(mean));
}

std::shared_ptr<const TieredAmounts> CollectivePlanner::amounts_of(std::int32_t group,
                                                                   std::size_t number) {
    std::deque<KeptAmounts>& known = unequal_[group].latest;
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const KeptAmounts& one) { return one.number == number; });
    if (found != known.end()) {
        return found->amounts;
    }
    const CommunicatorLayout& layout = communicator(group).layout;
    auto made = std::make_shared<const TieredAmounts>(layout, rows_of(group, number).sizes);
    constexpr std::size_t least_kept = 8;
    constexpr std::size_t most_numbers = std::size_t{1} << 23;  // 64 MiB
    if (known.size() >= least_kept && kept_numbers_ + made->numbers() > most_numbers) {
        kept_numbers_ -= known.front().amounts->numbers();
        known.pop_front();
        has_dropped_amounts_ = true;
    }
    kept_numbers_ += made->numbers();
    known.push_back({number, made});
    return made;
}

CollectiveRecipe CollectivePlanner::unequal_recipe(std::int32_t group, Rank rank,
                                                   const ProgramOperation& operation,
                                                   CollectiveTask& task) {
    const Communicator& own = communicator(group);
    const bool open = system_.implementations(task.kind).empty() && dialect_.exact_chunks &&
                      has_configuration(group);
    if (!open || own.layout.factors().size() < 2) {
        return direct_recipe();
    }
    const std::size_t number = number_of(rank, operation);
    const std::optional<Bytes> mean = mean_of(group, number);
    if (!mean) {
        return direct_recipe();
    }
    CollectiveTask equal = task;
    equal.sizes = nullptr;
    equal.size = *mean;
    const CollectiveRecipe& chosen = recipe(own, equal, true);
    if (!chosen.form.flat) {
        task.amounts = amounts_of(group, number);
    }
    return chosen;
}

std::optional<CollectiveChoice> CollectivePlanner::choice(Rank rank,
                                                          const ProgramOperation& operation) {
    const auto group = static_cast<std::int32_t>(workload_.group_of(rank, operation));
    const CollectiveTask task = task_of(group, operation);
    if (task.ranks->size() < 2 || task.sizes != nullptr || !has_configuration(group) ||
        plan_by_file(task).file != nullptr || library_.is_for(task)) {
        return std::nullopt;
    }
    const Communicator& own = communicator(group);
    const CollectiveRecipe& chosen = recipe(own, task);
    if (chosen.time == Time()) {
        return std::nullopt;
    }
    const auto timed = [&](const AlgorithmForm& form, std::int32_t splits, std::int32_t active,
                           Time time) {
        return TimedAlgorithm{name_of_plan(form, own.layout, task.kind), splits,
                              std::min(splits, active), time};
    };
    CollectiveChoice choice;
    choice.kind = task.kind;
    choice.bytes = task.size;
    choice.group = *task.ranks;
    choice.chosen = timed(chosen.form, chosen.splits, chosen.active_chunks, chosen.time);
    for (const TimedForm& other : chosen.others) {
        choice.others.push_back(timed(other.form, other.splits, other.active_chunks, other.time));
    }
    return choice;
}

CollectiveRecipe CollectivePlanner::direct_recipe() const {
    CollectiveRecipe recipe;
    recipe.form.flat = true;
    const std::vector<Implementation>& list = system_.implementations(CollectiveKind::AllToAll);
    recipe.form.entries = {list.empty() ? Implementation{} : list.front()};
    Implementation& entry = recipe.form.entries.front();
    entry.algorithm = Algorithm::Direct;
    entry.bidirectional = entry.all_dimensions_at_once = false;
    recipe.splits = std::max(1, system_.preferred_dataset_splits);
    recipe.active_chunks = std::max(1, system_.active_chunks_per_dimension);
    return recipe;
}

CollectiveRecipe CollectivePlanner::reference_recipe(CollectiveKind kind) const {
    CollectiveRecipe recipe;
    recipe.form.flat = true;
    if (has_root(kind) || kind == CollectiveKind::Barrier) {
        recipe.form.entries = {system_.implementations(kind).front()};
    }
    recipe.splits = system_.preferred_dataset_splits;
    recipe.active_chunks = system_.active_chunks_per_dimension;
    return recipe;
}

std::string CollectivePlanner::name_of_plan(const AlgorithmForm& form,
                                            const CommunicatorLayout& layout,
                                            CollectiveKind kind) const {
    // One line has one name where nothing else is to be had.
    const bool only_flat = has_root(kind) && !system_.implementations(kind).empty();
    const bool one_line =
        form.flat && (!network_.dimensions.empty() || only_flat || kind == CollectiveKind::Barrier);
    const bool rotates_in_line = !form.flat && !layout.hamiltonian_ring().empty() &&
                                 form.entries.front().all_dimensions_at_once;
    return name_of(form, one_line || rotates_in_line ? 1 : layout.factors().size());
}

}  // namespace npunet::engine
