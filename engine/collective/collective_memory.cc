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

std::vector<std::uint32_t> CollectiveMemories::links_of(std::size_t group) {
    const std::vector<std::uint32_t>& all = links_.of(group);
    return {all.begin(), std::lower_bound(all.begin(), all.end(), links_.links())};
}

bool CollectiveMemories::leaves_out(std::size_t group, std::uint64_t number,
                                    CollectiveKind kind) const {
    return all_ || calls_.count({group, number}) > 0 ||
           kinds_.count({kind, setting_.workload.groups[group].ranks.size()}) > 0;
}

const CollectiveMemory& CollectiveMemories::of(const CollectiveCall& call) {
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
        return known->second;
    }
    if (side_ == nullptr) {
        side_ = std::make_unique<SideSimulation>(setting_, make_network_, load_);
    }
    ++simulated_;
    CollectiveMemory memory = side_->run(call, links_of(call.group));
    if (!memory.usable) {
        side_.reset();  // something may be left there
    }
    constexpr std::size_t words_of_link = 32;
    const std::size_t more = key.size() + memory.load.size() + words_of_link * memory.links.size();
    kept_ += more;
    if (kept_ > most_kept) {
        memories_.clear();
        kept_ = more;
    }
    return memories_.emplace(std::move(key), std::move(memory)).first->second;
}

}  // namespace npunet::engine
