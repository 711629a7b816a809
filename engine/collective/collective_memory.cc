#include "engine/collective/collective_memory.h"

#include <algorithm>

#include "engine/collective/side_simulation.h"

namespace npunet::engine {

CollectiveMemories::CollectiveMemories(const CollectiveSetting& setting,
                                       NetworkFactory make_network, bool load)
    : setting_(setting),
      make_network_(std::move(make_network)),
      load_(load),
      links_(setting.workload, setting.network) {}

CollectiveMemories::~CollectiveMemories() = default;

IdleLinks::Links CollectiveMemories::links_of(std::size_t group) {
    const std::vector<std::uint32_t>& all = links_.of(group);
    return {all.begin(), std::lower_bound(all.begin(), all.end(), links_.links())};
}

CollectiveMemories::Like CollectiveMemories::like(const CollectiveBeginning& which) const {
    const std::vector<Rank>& ranks = setting_.workload.groups[which.group].ranks;
    return {which.kind, which.bytes, ranks.size(), ranks[1].value() - ranks[0].value()};
}

void CollectiveMemories::meets(const CollectiveBeginning& which) {
    calls_.emplace(which.group, which.number);
    met_.insert(like(which));
}

void CollectiveMemories::run_again() {
    ++runs_again_;
    for (const Like& each : met_) {
        if (++runs_[each] == most_runs_of_a_like) {
            left_out_.insert(each);
        }
    }
    met_.clear();
}

bool CollectiveMemories::leaves_out(const CollectiveBeginning& which) const {
    return runs_again_ >= most_runs || calls_.count({which.group, which.number}) > 0 ||
           left_out_.count(like(which)) > 0;
}

QueuePairLimits CollectiveMemories::queue_pair_limits() const {
    QueuePairLimits limits = limits_;
    if (side_ != nullptr) {
        limits.join(side_->network().queue_pair_limits());
    }
    return limits;
}

const CollectiveMemory* CollectiveMemories::of(const CollectiveCall& call, QueueWatch* watch) {
    std::vector<std::int64_t> key{static_cast<std::int64_t>(call.group)};
    key.insert(key.end(), call.like.begin(), call.like.end());
    for (const Time offset : call.offsets) {
        key.push_back(offset.ps());
    }
    for (const std::uint64_t word : call.state) {
        key.push_back(static_cast<std::int64_t>(word));
    }
    const auto known = memories_.find(key);
    if (known != memories_.end()) {
        return &known->second;
    }
    if (side_ == nullptr) {
        side_ = std::make_unique<SideSimulation>(setting_, make_network_, load_);
    }
    ++simulated_;
    CollectiveMemory memory = side_->run(call, links_of(call.group), watch);
    const bool stopped = side_->stopped();
    if (!memory.usable) {
        limits_.join(side_->network().queue_pair_limits());
        side_.reset();  // something may be left there
    }
    if (stopped) {
        return nullptr;
    }
    constexpr std::size_t words_of_link = 32;
    const std::size_t more = key.size() + memory.load.size() + words_of_link * memory.links.size();
    kept_ += more;
    if (kept_ > most_kept) {
        memories_.clear();
        kept_ = more;
    }
    return &memories_.emplace(std::move(key), std::move(memory)).first->second;
}

}  // namespace npunet::engine
