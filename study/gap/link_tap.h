// Who was on which link when: listens between an engine and a network.
//
//     LinkTap tap(description, workload, communication_of);
//     rungs.run(workload, Rung::SharedLinks, nullptr, tap.wrap());
//     for (const LinkTap::Stay& stay : tap.stays()) { ... }
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "analytical/route_table.h"
#include "engine/network.h"
#include "study/gap/effect_level.h"

namespace npunet::study {

/// A communication on a link: from its first message under way over it to its last one in.
struct Stay {
    LinkId link;
    std::uint32_t communication = 0;
    Time from;
    Time to;
    Time crowded;  ///< how long two or more of its own messages were under way over it
};

class LinkTap {
public:
    /// By rank and operation; `none` where there is none.
    using CommunicationOf = std::vector<std::vector<std::uint32_t>>;
    static constexpr std::uint32_t none = 0xffffffff;

    /// The references must outlive this. For dialects whose messages carry their order.
    LinkTap(const topology::NetworkDescription& network, const CommunicationOf& communication_of);

    /// For one run. Messages count for the links of NetworkDescription::route().
    [[nodiscard]] EffectLevels::Wrap wrap();

    /// After the run: by link, then start, then communication.
    [[nodiscard]] std::vector<Stay> stays() const;

private:
    class Listening;
    struct OnLink {
        Stay stay;
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

}  // namespace npunet::study
