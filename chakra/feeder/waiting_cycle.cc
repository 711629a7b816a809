#include "chakra/feeder/waiting_cycle.h"

#include <algorithm>

#include "chakra/wire/node_view.h"

namespace npunet::chakra {

namespace {

constexpr std::size_t most_waiting = std::size_t{1} << 24;

/// A node with one of those that it waits for.
struct Wait {
    std::uint64_t id = 0;
    std::uint64_t dep = 0;
    std::uint64_t offset = 0;
};

class Waits {
public:
    Waits(SeekableFrames& frames, const IdSet& finished, const IdSet& ids, FollowedDeps followed)
        : finished_(finished), ids_(ids) {
        NodeView node;
        for (std::uint64_t at = frames.begin(); at != frames.end() && all_.size() < most_waiting;) {
            const std::uint64_t offset = at;
            if (!node.parse_dependencies(frames.read(at)) || finished_.contains(node.id())) {
                continue;
            }
            if (!add(node.data_deps(), node.id(), offset) &&
                followed == FollowedDeps::DataAndCtrl) {
                add(node.ctrl_deps(), node.id(), offset);
            }
        }
        std::sort(all_.begin(), all_.end(),
                  [](const Wait& a, const Wait& b) { return a.id < b.id; });
    }

    [[nodiscard]] const std::vector<Wait>& all() const { return all_; }
    [[nodiscard]] std::size_t find(std::uint64_t id) const {
        const auto place =
            std::lower_bound(all_.begin(), all_.end(), id,
                             [](const Wait& a, std::uint64_t wanted) { return a.id < wanted; });
        const bool found = place != all_.end() && place->id == id;
        return found ? static_cast<std::size_t>(place - all_.begin()) : all_.size();
    }

private:
    bool add(const std::vector<std::uint64_t>& deps, std::uint64_t id, std::uint64_t offset) {
        const auto open = std::find_if(deps.begin(), deps.end(), [&](std::uint64_t dep) {
            return !finished_.contains(dep) && ids_.contains(dep);
        });
        if (open != deps.end()) {
            all_.push_back({id, *open, offset});
        }
        return open != deps.end();
    }

    const IdSet& finished_;
    const IdSet& ids_;
    std::vector<Wait> all_;  // by id
};

}  // namespace

// Every node waits for one that waits: whoever goes from one to the next comes by one twice.
std::vector<WaitingNode> find_waiting_cycle(SeekableFrames& frames, const IdSet& finished,
                                            const IdSet& ids, FollowedDeps followed) {
    const Waits waits(frames, finished, ids, followed);
    const std::vector<Wait>& all = waits.all();
    std::vector<bool> seen(all.size(), false);
    std::size_t node = 0;
    while (node < all.size() && !seen[node]) {
        seen[node] = true;
        node = waits.find(all[node].dep);
    }
    std::vector<WaitingNode> cycle;
    if (node == all.size()) {
        return cycle;
    }
    const std::size_t first = node;
    do {
        cycle.push_back({all[node].id, all[node].offset});
        node = waits.find(all[node].dep);
    } while (node != first);
    std::rotate(
        cycle.begin(),
        std::min_element(cycle.begin(), cycle.end(),
                         [](const WaitingNode& a, const WaitingNode& b) { return a.id < b.id; }),
        cycle.end());
    return cycle;
}

}  // namespace npunet::chakra
