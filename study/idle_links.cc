#include "study/run_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "base/units.h"
#include "topology/network/link_kinds.h"

namespace npunet::study {

namespace {

using topology::NetworkDescription;

double gigabytes_per_second(Rate rate) {
    return static_cast<double>(rate.bytes_per_second()) / 1e9;
}

/// The links of a network, put into parts that have a name: its kinds of links. The names of a
/// graph's nodes are the user's: links between switches are one part there, and those of NPUs are
/// left out.
class Parts {
public:
    explicit Parts(const NetworkDescription& network)
        : kinds_(network), part_of_kind_(kinds_.kinds().size(), none) {
        const bool names_of_user = network.name == "Custom";
        for (std::size_t kind = 0; kind < part_of_kind_.size(); ++kind) {
            if (!names_of_user) {
                part_of_kind_[kind] = names_.size();
                names_.push_back(sentence_about(kinds_.kinds()[kind], network));
            } else if (!kinds_.kinds()[kind].of_npus) {
                part_of_kind_[kind] = 0;
                names_ = {"crosses a link between switches"};
            }
        }
        crossed_.resize(names_.size());
    }

    void cross(LinkId link) {
        const std::size_t part = part_of_kind_[kinds_.kind_of(link)];
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

    static std::string sentence_about(const topology::LinkKind& kind,
                                      const NetworkDescription& network) {
        if (kind.dimension >= 0) {
            const topology::Dimension& dimension =
                network.dimensions[static_cast<std::size_t>(kind.dimension)];
            return fmt::format("spans dimension {} ({} of {})", kind.dimension,
                               name_of(dimension.kind), dimension.size);
        }
        const auto [one, other] = std::minmax(kind.low, kind.high);
        return fmt::format("crosses a link between {} and {} ({:g} GB/s, {})", one, other,
                           gigabytes_per_second(kind.rate), format_time(kind.latency));
    }

    topology::LinkKinds kinds_;
    std::vector<std::size_t> part_of_kind_;
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
    std::vector<bool> crossed(results.link_classes.size());
    for (const engine::LinkResult& link : results.links) {
        crossed[link.link_class] = crossed[link.link_class] || is_used(link);
    }
    if (std::find(crossed.begin(), crossed.end(), false) == crossed.end()) {
        return {};
    }
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
