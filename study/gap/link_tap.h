// Records which communications used which links when, by listening between an engine and a network.
//
//     LinkTap tap(description, communication_of);
//     levels.run(workload, EffectLevel::SharedLinks, nullptr, tap.wrap());
//     for (const LinkOccupancy& occupancy : tap.occupancies()) { ... }
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "analytical/route_table.h"
#include "engine/network/network.h"
#include "report/comparison/gap.h"
#include "study/gap/effect_level.h"
#include "topology/graph/graph.h"

namespace npunet::study {

/// A communication on a link: from the start of its first message to the arrival of its last one.
struct LinkOccupancy {
    LinkId link;
    std::uint32_t communication = 0;
    Time from;
    Time to;
    Time crowded;  ///< how long two or more of its own messages were in flight over the link
};

class LinkTap {
public:
    /// By rank and operation; `none` if it is no communication.
    using CommunicationOf = std::vector<std::vector<std::uint32_t>>;
    static constexpr std::uint32_t none = 0xffffffff;

    /// The references must outlive this. For dialects whose messages have order_major set.
    LinkTap(const topology::NetworkDescription& network, const CommunicationOf& communication_of);

    /// For one run. Messages are attributed to the links of NetworkDescription::route().
    [[nodiscard]] EffectLevels::Wrap wrap();

    /// After the run: by link, then start, then communication.
    [[nodiscard]] std::vector<LinkOccupancy> occupancies() const;

private:
    class Listening;
    struct OnLink {
        LinkOccupancy occupancy;
        std::uint32_t in_progress = 0;
        Time crowded_since;
    };
    struct InProgress {
        std::uint32_t route = 0;
        std::uint32_t communication = none;
    };

    void sent(const engine::Message& message, Time now);
    void delivered(std::uint32_t handle, Time now);
    [[nodiscard]] std::uint32_t communication_of(const engine::Message& message) const;

    const CommunicationOf& communication_of_;
    analytical::RouteTable routes_;
    std::vector<Rank> rank_of_npu_;
    std::vector<InProgress> in_progress_;  ///< by handle
    std::unordered_map<std::uint64_t, OnLink> on_link_;
};

/// Fills in GapExplanation::links and link_contention of its communications: pairs of which
/// contention affects at least one, at most `most` for each communication, longest first, then by
/// link and communication.
void add_link_contention(const std::vector<LinkOccupancy>& occupancies,
                         const topology::Graph& graph, report::GapExplanation& explanation,
                         std::size_t most = 5);

}  // namespace npunet::study
