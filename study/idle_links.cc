#include "study/run_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/units.h"

namespace npunet::study {

namespace {

using topology::Graph;
using topology::Link;
using topology::NetworkDescription;
using topology::NodeKind;

/// "rail3-leaf0" is a rail-leaf: nodes of a kind differ in their numbers.
std::string kind_of(const std::string& node) {
    std::string kind = node;
    kind.erase(std::remove_if(kind.begin(), kind.end(),
                              [](char letter) { return letter >= '0' && letter <= '9'; }),
               kind.end());
    return kind;
}

std::vector<std::string> kinds_of_nodes(const Graph& graph) {
    std::vector<std::string> kinds;
    kinds.reserve(graph.nodes());
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        kinds.push_back(kind_of(graph.name(NodeId(node))));
    }
    return kinds;
}

double gigabytes_per_second(Rate rate) {
    return static_cast<double>(rate.bytes_per_second()) / 1e9;
}

/// The links of a network, put into parts that have a name.
class Parts {
public:
    explicit Parts(const NetworkDescription& network) : part_of_(network.graph.links(), none) {
        if (network.dimensions.empty()) {
            divide_by_kind(network.graph, network.name == "Custom");
        } else {
            divide_by_dimension(network);
        }
        crossed_.resize(names_.size());
    }

    void cross(LinkId link) {
        const std::size_t part = part_of_[link.index()];
        if (part != none && !crossed_[part]) {
            crossed_[part] = true;
            ++count_;
        }
    }
    [[nodiscard]] bool all_crossed() const { return count_ == names_.size(); }
    /// Those that no link of was crossed.
    [[nodiscard]] std::vector<std::string> idle() const {
        std::vector<std::string> list;
        for (std::size_t part = 0; part < names_.size(); ++part) {
            if (!crossed_[part]) {
                list.push_back(names_[part]);
            }
        }
        return list;
    }

private:
    static constexpr std::size_t none = SIZE_MAX;

    void divide_by_dimension(const NetworkDescription& network) {
        std::vector<std::size_t> parts(network.dimensions.size(), none);
        for (std::size_t index = 0; index < part_of_.size(); ++index) {
            const auto d = static_cast<std::size_t>(network.graph.link(LinkId(index)).dimension);
            if (parts[d] == none) {
                const topology::Dimension& dimension = network.dimensions[d];
                parts[d] = names_.size();
                names_.push_back(fmt::format("spans dimension {} ({} of {})", d,
                                             name_of(dimension.kind), dimension.size));
            }
            part_of_[index] = parts[d];
        }
    }

    /// The names of a graph's nodes are the user's: links between switches are one part there, and
    /// those of NPUs are left out.
    void divide_by_kind(const Graph& graph, bool names_of_user) {
        using Key = std::tuple<std::string, std::string, std::int64_t, std::int64_t>;
        const std::vector<std::string> kinds =
            names_of_user ? std::vector<std::string>() : kinds_of_nodes(graph);
        std::map<Key, std::size_t> parts;
        for (std::size_t index = 0; index < part_of_.size(); ++index) {
            const Link& link = graph.link(LinkId(index));
            if (names_of_user &&
                (graph.kind(link.from) == NodeKind::Npu || graph.kind(link.to) == NodeKind::Npu)) {
                continue;
            }
            Key key;
            if (!names_of_user) {
                const auto [low, high] =
                    std::minmax(kinds[link.from.index()], kinds[link.to.index()]);
                key = {low, high, link.rate.bytes_per_second(), link.latency.ps()};
            }
            const auto [found, is_new] = parts.emplace(std::move(key), names_.size());
            if (is_new) {
                names_.push_back(
                    names_of_user
                        ? "crosses a link between switches"
                        : fmt::format("crosses a link between {} and {} "
                                      "({:g} GB/s, {})",
                                      std::get<0>(found->first), std::get<1>(found->first),
                                      gigabytes_per_second(link.rate), format_time(link.latency)));
            }
            part_of_[index] = found->second;
        }
    }

    std::vector<std::size_t> part_of_;  ///< by link
    std::vector<std::string> names_;
    std::vector<bool> crossed_;
    std::size_t count_ = 0;
};

/// Calls `use` with pairs of ranks that exchange messages, until it returns false. Of a
/// communicator enough of them to cross whatever its collectives cross without sending a byte,
/// which are barriers: member i and i + 2^k, and the first one and each other.
template <class Use>
void for_each_pair(const engine::Workload& workload, const Use& use) {
    std::set<std::size_t> groups;
    for (std::size_t index = 0; index < workload.ranks(); ++index) {
        const Rank rank(index);
        for (const engine::ProgramOperation& operation : workload.program(rank).operations) {
            if (exchanges_messages(operation)) {
                groups.insert(workload.group_of(rank, operation));
            }
        }
        // Slots are of sends and receives alone.
        for (const Rank peer : workload.bindings[index].peers) {
            if (peer != rank && !use(rank, peer)) {
                return;
            }
        }
    }
    for (const std::size_t group : groups) {
        const std::vector<Rank>& ranks = workload.groups[group].ranks;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            if (i > 0 && !use(ranks[0], ranks[i])) {
                return;
            }
            for (std::size_t step = 1; step < ranks.size(); step *= 2) {
                if (!use(ranks[i], ranks[(i + step) % ranks.size()])) {
                    return;
                }
            }
        }
    }
}

}  // namespace

std::vector<std::string> notes_on_idle_links(const engine::Workload& workload,
                                             const NetworkDescription& network,
                                             const engine::Results& results) {
    Parts parts(network);
    for (std::size_t index = 0; index < results.links.size(); ++index) {
        if (is_used(results.links[index])) {
            parts.cross(LinkId(index));
        }
    }
    if (parts.all_crossed()) {
        return {};
    }
    bool any = false;
    for_each_pair(workload, [&](Rank from, Rank to) {
        any = true;
        for (const std::vector<topology::Hop>& plane :
             network.routes(network.npu_of_rank[from.index()], network.npu_of_rank[to.index()])) {
            for (const topology::Hop hop : plane) {
                parts.cross(hop.link);
            }
        }
        return !parts.all_crossed();
    });
    if (!any) {
        return {
            "no rank sends anything: no bandwidth and no latency of the network changes a time "
            "of this run"};
    }
    std::vector<std::string> notes;
    for (const std::string& part : parts.idle()) {
        notes.push_back(
            fmt::format("no communicator and no send {}: bandwidth and latency there "
                        "change no time of this run",
                        part));
    }
    return notes;
}

}  // namespace npunet::study
