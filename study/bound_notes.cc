#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/units.h"
#include "engine/collective_algorithms/lower_bound.h"
#include "study/run_notes.h"
#include "study/simulation_run.h"
#include "topology/network/tier_cuts.h"

namespace npunet::study {

namespace {

using engine::CollectiveResult;
using topology::NetworkDescription;

double ratio(Time time, Time bound) {
    return static_cast<double>(time.ps()) / static_cast<double>(bound.ps());
}

/// "all_reduce of 1 GiB by ring among 64 ranks"
std::string described(const CollectiveResult& collective) {
    return fmt::format("{} of {} by {} among {} ranks", collective.type,
                       format_bytes(collective.bytes), collective.algorithm,
                       collective.group.size());
}

/// How many ports of one kind the members of a group have, and how many of these were idle.
struct PortCount {
    std::size_t all = 0;
    std::size_t idle = 0;
};

/// The ports of a group's members, by where they lead.
class MemberPorts {
public:
    /// All must outlive this.
    MemberPorts(const NetworkDescription& network, const std::vector<engine::LinkResult>& links)
        : network_(network), links_(links), bounds_(network) {
        if (network.tiers.size() > 1) {
            first_tier_ = topology::cuts_of(network.graph, network.tiers.front(),
                                            std::vector<bool>(network.dimensions.size(), true));
        }
    }

    /// ": 56 of 64 scale-out ports carried nothing", or empty.
    [[nodiscard]] std::string idle(const std::vector<Rank>& ranks) const {
        const std::vector<bool> dimensions = bounds_.dimensions_of(ranks);
        PortCount up;
        PortCount out;
        for (const Rank rank : ranks) {
            const NodeId npu = network_.npu_of_rank[rank.index()];
            for (const LinkId id : network_.graph.links_from(npu)) {
                const topology::Link& link = network_.graph.link(id);
                if (topology::counts(link, dimensions)) {
                    PortCount& count = leaves(link) ? out : up;
                    ++count.all;
                    count.idle += is_used(links_[id.index()]) ? 0 : 1;
                }
            }
        }
        if (up.all == 0 || out.all == 0) {
            return sentence({{"ports", up.all == 0 ? out : up}});
        }
        // A group within blocks needs no links between them, one with a member in each none inside.
        const auto [blocks, shared] = spread(ranks);
        return sentence({{"scale-up ports", shared ? up : PortCount()},
                         {"scale-out ports", blocks > 1 ? out : PortCount()}});
    }

private:
    [[nodiscard]] std::int32_t block_of(NodeId node) const {
        return first_tier_ ? first_tier_->block_of_node[node.index()] : 0;
    }
    [[nodiscard]] bool leaves(const topology::Link& link) const {
        return block_of(link.from) != block_of(link.to);
    }

    /// In how many blocks of the first tier the ranks are, and whether two are in the same.
    [[nodiscard]] std::pair<std::size_t, bool> spread(const std::vector<Rank>& ranks) const {
        std::map<std::int32_t, std::size_t> members;
        for (const Rank rank : ranks) {
            ++members[block_of(network_.npu_of_rank[rank.index()])];
        }
        return {members.size(), members.size() < ranks.size()};
    }

    static std::string sentence(const std::vector<std::pair<const char*, PortCount>>& counts) {
        std::string text;
        for (const auto& [name, count] : counts) {
            if (count.idle > 0) {
                text += fmt::format("{}{} of {} {}", text.empty() ? ": " : " and ", count.idle,
                                    count.all, name);
            }
        }
        return text.empty() ? text : text + " carried nothing";
    }

    const NetworkDescription& network_;
    const std::vector<engine::LinkResult>& links_;
    engine::CollectiveBounds bounds_;
    std::optional<topology::TierCuts> first_tier_;
};

/// The latency of the route from the first to the middle member.
Time latency_of(const NetworkDescription& network, const std::vector<Rank>& ranks) {
    Time latency;
    for (const topology::Hop hop :
         network.route(network.npu_of_rank[ranks.front().index()],
                       network.npu_of_rank[ranks[ranks.size() / 2].index()])) {
        latency = later(latency, network.graph.link(hop.link).latency);
    }
    return latency;
}

/// Small collectives take many times their bound because every step has its latency, of which the
/// bound has one. Of the least possible, the ceil(log2 n) steps of a tree, it must be more.
bool bandwidth_decides(const NetworkDescription& network, const CollectiveResult& collective) {
    std::int64_t steps = 1;
    for (std::size_t reached = 1; reached < collective.group.size(); reached *= 2) {
        ++steps;
    }
    return collective.least.ps() / steps > latency_of(network, collective.group).ps();
}

struct Worst {
    const CollectiveResult* collective = nullptr;
    double times = 0;  ///< the bound
    std::size_t count = 0;
};

void add_notes_on_slow(const NetworkDescription& network, const engine::Results& run,
                       const std::vector<engine::LinkResult>& links,
                       std::vector<std::string>& notes) {
    std::map<std::tuple<std::string, std::size_t, std::string>, Worst> classes;
    for (const CollectiveResult& collective : run.collectives) {
        const Time time = collective.end - collective.last_start;
        if (collective.least == Time() || time.ps() / 2 <= collective.least.ps() ||
            !bandwidth_decides(network, collective)) {
            continue;
        }
        Worst& worst = classes[{collective.type, collective.group.size(), collective.algorithm}];
        ++worst.count;
        if (const double times = ratio(time, collective.least); times > worst.times) {
            worst.collective = &collective;
            worst.times = times;
        }
    }
    if (classes.empty()) {
        return;
    }
    const MemberPorts ports(network, links);
    for (const auto& [key, worst] : classes) {
        const CollectiveResult& collective = *worst.collective;
        notes.push_back(fmt::format(
            "{} takes {}, {:.1f} times its bound of {}{}{}", described(collective),
            format_time(collective.end - collective.last_start), worst.times,
            format_time(collective.least), ports.idle(collective.group),
            worst.count == 1 ? ""
                             : fmt::format(" (the worst of {} such collectives)", worst.count)));
    }
}

void add_note_on_fast(const engine::Results& run, std::vector<std::string>& notes) {
    Worst best;
    for (const CollectiveResult& collective : run.collectives) {
        const Time time = collective.end - collective.first_start;
        if (time < collective.least) {
            ++best.count;
            const double times = ratio(time, collective.least);
            if (best.collective == nullptr || times < best.times) {
                best.collective = &collective;
                best.times = times;
            }
        }
    }
    if (best.count == 0) {
        return;
    }
    notes.push_back(fmt::format(
        "{} takes {}, less than its bound of {}{}: the analytical fidelity lets messages cross a "
        "link at the same time, each at its full rate; use fluid or packet",
        described(*best.collective),
        format_time(best.collective->end - best.collective->first_start),
        format_time(best.collective->least),
        best.count == 1 ? "" : fmt::format(" (the shortest of {} such collectives)", best.count)));
}

}  // namespace

std::vector<std::string> notes_on_bounds(const NetworkDescription& network,
                                         const engine::Results& run,
                                         const std::vector<engine::LinkResult>& links) {
    std::vector<std::string> notes;
    if (run.whole_nanoseconds || run.partial) {
        return notes;
    }
    add_notes_on_slow(network, run, links, notes);
    if (run.fidelity == name_of(Fidelity::Analytical) && network.faults.empty() &&
        !beats_link_bound(run)) {
        add_note_on_fast(run, notes);
    }
    return notes;
}

}  // namespace npunet::study
