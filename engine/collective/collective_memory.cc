#include "engine/collective/collective_memory.h"

#include <algorithm>
#include <utility>

#include "engine/collective/side_simulation.h"
#include "engine/network/link_use_difference.h"

namespace npunet::engine {

namespace {

constexpr std::size_t words_of_link = 32;  ///< of LinkUse, about

}  // namespace

CollectiveMemories::CollectiveMemories(const CollectiveSetting& setting,
                                       NetworkFactory make_network, bool load)
    : setting_(setting),
      make_network_(std::move(make_network)),
      load_(load),
      links_(setting.workload, setting.network),
      links_of_(setting.workload.groups.size()),
      alike_(setting.workload, setting.network, setting.system) {}

CollectiveMemories::~CollectiveMemories() = default;

const IdleLinks::Links& CollectiveMemories::links_of(std::size_t group) {
    std::optional<IdleLinks::Links>& known = links_of_[group];
    if (!known) {
        const std::vector<std::uint32_t>& all = links_.of(group);
        known.emplace(all.begin(), std::lower_bound(all.begin(), all.end(), links_.links()));
    }
    return *known;
}

CollectiveMemories::Category CollectiveMemories::category_of(
    const CollectiveBeginning& which) const {
    return {which.kind, which.bytes, shape_of(which.group)};
}

CollectiveMemories::Shape CollectiveMemories::shape_of(std::size_t group) const {
    const std::vector<Rank>& ranks = setting_.workload.groups[group].ranks;
    return {ranks.size(), ranks[1].value() - ranks[0].value()};
}

void CollectiveMemories::count_categories() {
    const Workload& workload = setting_.workload;
    for (std::size_t rank = 0; rank < workload.ranks(); ++rank) {
        const RankProgram& program = workload.program(Rank(rank));
        for (std::size_t slot = 0; slot < program.collectives_of.size(); ++slot) {
            const auto group = static_cast<std::size_t>(workload.bindings[rank].groups[slot]);
            const std::vector<Rank>& ranks = workload.groups[group].ranks;
            if (ranks.size() < 2 || ranks.front() != Rank(rank)) {
                continue;
            }
            for (const std::uint32_t number : program.collectives_of[slot]) {
                const ProgramOperation& operation = program.operations[number];
                ++numbers_[{operation.collective, operation.bytes, shape_of(group)}];
            }
        }
    }
}

void CollectiveMemories::begin_run(const IdleLinks& idle) {
    const std::vector<LinkUse> nothing(links_.links());
    buffers_matter_ = buffers_matter_ || idle.nodes_matter(nothing);
    links_.count_buffers(buffers_matter_);
    relies_on_buffers_ = false;
    tells_of_messages_ = idle.has_quiet_messages();
}

bool CollectiveMemories::is_without_messages(std::size_t group) {
    return !links_.may_meet_messages(group) ||
           (tells_of_messages_ && meet_messages_.count(shape_of(group)) == 0);
}

void CollectiveMemories::meets(const CollectiveBeginning& which, std::size_t other) {
    calls_.emplace(which.group, which.number);
    shares_ = shares_ && (which.group == other ||
                          links_.sharing(which.group) == CommunicatorLinks::Sharing::Rare);
    met_.insert(category_of(which));
}

void CollectiveMemories::run_again(std::uint64_t events) {
    ++runs_again_;
    mirrors_ = mirrors_ && !(std::exchange(lost_mirror_, false) && events > most_events_lost);
    for (const Category& each : met_) {
        if (++runs_[each] == most_runs_of_a_category) {
            left_out_.insert(each);
        }
        if (events > most_events_lost) {
            left_out_shapes_.insert(each.shape);
        }
    }
    met_.clear();
}

void CollectiveMemories::count(const CollectiveBeginning& which, std::uint64_t simulated) {
    Tally& tally = tallies_[{which.group, which.kind, which.bytes}];
    ++tally.calls;
    tally.simulated += simulated;
}

bool CollectiveMemories::repeats(const CollectiveBeginning& which) const {
    constexpr std::uint64_t enough = 16;
    const auto tally = tallies_.find({which.group, which.kind, which.bytes});
    return tally == tallies_.end() || tally->second.simulated < enough ||
           tally->second.calls >= 2 * tally->second.simulated;
}

bool CollectiveMemories::allows(const CollectiveBeginning& which) {
    const Category category = category_of(which);
    if (numbers_.empty()) {
        count_categories();
    }
    if (numbers_[category] < fewest_of_a_category || runs_again_ >= most_runs ||
        calls_.count({which.group, which.number}) > 0 || left_out_.count(category) > 0 ||
        left_out_shapes_.count(category.shape) > 0 || !repeats(which)) {
        return false;
    }
    const CommunicatorLinks::Sharing sharing = links_.sharing(which.group);
    return (sharing == CommunicatorLinks::Sharing::Rare ||
            (sharing == CommunicatorLinks::Sharing::Collectives && shares_)) &&
           is_without_messages(which.group);
}

bool CollectiveMemories::may_mirror(std::size_t group) {
    if (!mirrors_ || runs_again_ >= most_runs || unlike_.count(shape_of(group)) > 0 ||
        links_.sharing(group) == CommunicatorLinks::Sharing::Unknown ||
        !is_without_messages(group)) {
        return false;
    }
    if (alike_ones_.empty()) {
        alike_ones_.resize(setting_.workload.groups.size());
        for (std::size_t each = 0; each < alike_ones_.size(); ++each) {
            alike_ones_[first_like(each)] += 1;
        }
    }
    return alike_ones_[first_like(group)] > 1;
}

QueuePairLimits CollectiveMemories::queue_pair_limits() const {
    QueuePairLimits limits = limits_;
    if (side_ != nullptr) {
        limits.join(side_->network().queue_pair_limits());
    }
    return limits;
}

CollectiveMemories::Key CollectiveMemories::key_of(const CollectiveCall& call) {
    Key key{static_cast<std::int64_t>(call.group)};
    key.insert(key.end(), call.like.begin(), call.like.end());
    for (const Time offset : call.offsets) {
        key.push_back(offset.ps());
    }
    return key;
}

std::shared_ptr<const CollectiveMemory> CollectiveMemories::of(CollectiveCall call,
                                                               QueueWatch* watch) {
    // Its operations are the same, as the programs are.
    call.group = first_like(call.group);
    if (call.previous != nullptr) {
        return of_following(call, watch);
    }
    Key key = key_of(call);
    for (const std::uint64_t word : call.state) {
        key.push_back(static_cast<std::int64_t>(word));
    }
    const auto known = memories_.find(key);
    if (known != memories_.end()) {
        return known->second;
    }
    IdleLinks::State rest;
    std::shared_ptr<const CollectiveMemory> memory = simulate(call, nullptr, rest, watch);
    if (memory != nullptr) {
        keep(key, memory);
    }
    return memory;
}

std::shared_ptr<const CollectiveMemory> CollectiveMemories::of_following(const CollectiveCall& call,
                                                                         QueueWatch* watch) {
    constexpr std::int64_t follows = -1;  // no word of a state of idle links
    const Following following{call.previous, call.gap};
    Key key = key_of(call);
    key.push_back(follows);
    std::shared_ptr<const CollectivePath> path;
    if (const auto rest = rest_after_.find(following); rest != rest_after_.end()) {
        key.push_back(rest->second);
        if (const auto known = memories_.find(key); known != memories_.end()) {
            return known->second;
        }
        key.pop_back();
        path = paths_.at(rest->second);
    } else {
        path = path_after(*call.previous, call.gap);
    }
    IdleLinks::State state;
    std::shared_ptr<const CollectiveMemory> memory = simulate(call, path, state, watch);
    if (memory == nullptr || !memory->usable) {
        return memory;
    }
    key.push_back(number_of_rest(call.group, std::move(state), path));
    rest_after_.emplace(following, key.back());
    if (const auto known = memories_.find(key); known != memories_.end()) {
        return known->second;
    }
    keep(key, memory);
    return memory;
}

std::int64_t CollectiveMemories::number_of_rest(std::size_t group, IdleLinks::State state,
                                                const std::shared_ptr<const CollectivePath>& path) {
    const std::size_t words = state.size();
    const auto [number, is_new] = rests_.try_emplace({group, std::move(state)}, next_rest_);
    if (is_new) {
        kept_ += words + words_of_link * path->use.size();
        paths_.emplace(next_rest_++, path);
    }
    return number->second;
}

std::shared_ptr<const CollectiveMemory> CollectiveMemories::simulate(
    const CollectiveCall& call, const std::shared_ptr<const CollectivePath>& path,
    IdleLinks::State& rest, QueueWatch* watch) {
    auto memory = std::make_shared<CollectiveMemory>();
    memory->usable = false;
    memory->takes.resize(call.offsets.size());
    if (path != nullptr && path->calls.size() > longest_path) {
        return memory;
    }
    if (side_ == nullptr) {
        side_ = std::make_unique<SideSimulation>(setting_, make_network_, load_);
    }
    ++simulated_;
    *memory = side_->run(call, links_of(call.group), path.get(), rest, watch);
    memory->call = call;
    memory->call.previous.reset();
    memory->path = path;
    const bool stopped = side_->stopped();
    if (!memory->usable) {
        limits_.join(side_->network().queue_pair_limits());
        side_.reset();   // something may be left there
        rests_.clear();  // in words of that network
    }
    return stopped ? nullptr : memory;
}

std::shared_ptr<const CollectivePath> CollectiveMemories::path_after(const CollectiveMemory& memory,
                                                                     Time gap) {
    auto path = memory.path != nullptr ? std::make_shared<CollectivePath>(*memory.path)
                                       : std::make_shared<CollectivePath>();
    path->calls.push_back(memory.call);
    path->calls.back().gap = path->gap;
    path->gap = gap;
    path->use.resize(memory.use.size());
    for (std::size_t i = 0; i < memory.use.size(); ++i) {
        add(path->use[i], memory.use[i]);
    }
    path->packets.resize(memory.packets.size());
    for (std::size_t i = 0; i < memory.packets.size(); ++i) {
        path->packets[i] += memory.packets[i];
    }
    path->packet_hops += memory.packet_hops;
    return path;
}

void CollectiveMemories::keep(const Key& key,
                              const std::shared_ptr<const CollectiveMemory>& memory) {
    const std::size_t more = key.size() + memory->load.size() + words_of_link * memory->use.size();
    kept_ += more;
    if (kept_ > most_kept) {
        memories_.clear();
        rests_.clear();
        rest_after_.clear();
        paths_.clear();
        kept_ = more;
    }
    memories_.emplace(key, memory);
}

}  // namespace npunet::engine
