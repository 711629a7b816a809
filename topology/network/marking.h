// Checks that marks (ECN) come before switches drop packets or tell links to pause.
//
//     MarkThresholds marks = mark_thresholds(packet.ecn, link.rate);
//     Bytes alone = queue_limit(room, packet.shared_buffer.alpha, 1);
//     if (const auto late = link_without_marks(network)) { ... late->begin, late->most ... }
//
// With the defaults this holds for nodes whose links have one rate, for any rate and number of
// links, with one traffic class: kmin and kmax are 20 and 80 KiB for each 25 Gb/s of a link, and
// the automatic buffer has 128 KiB for each 25 Gb/s of every link, of which each queue may have 2/3
// when both of two ports are congested and more on larger switches. Where rates differ (a fast
// up-link above many slow ports), or with several classes, the limit of a queue can be below kmax
// or kmin when all queues are long.
//
// C++17-clean: reached from the ns-3 module.
#pragma once

#include <cstdint>
#include <optional>

#include "base/quantities.h"
#include "topology/network/network_description.h"

namespace npunet::topology {

/// Queue lengths of one link: up to kmin no packet is marked, beyond kmax every packet; in between
/// the probability rises from 0 to pmax.
struct MarkThresholds {
    Bytes kmin;
    Bytes kmax;
};
[[nodiscard]] MarkThresholds mark_thresholds(const EcnParameters& ecn, Rate link);

/// Queue length of one link beyond which packets are marked: kmin, or kmax if pmax is 0.
[[nodiscard]] Bytes marks_begin(const EcnParameters& ecn, Rate link);

/// How to make marks begin sooner, for messages: "lower ecn.kmin or enlarge buffer".
[[nodiscard]] const char* advice_for_sooner_marks(const EcnParameters& ecn);

/// The limit of each of `queues` queues of a node that are equally long and at their threshold,
/// alpha x the free room: alpha x room / (1 + alpha x queues), rounded down (Choudhury and Hahne,
/// 1998). At least one queue.
[[nodiscard]] Bytes queue_limit(Bytes room, double alpha, std::int64_t queues);

/// Whether packets can queue in a node: a node with a single incoming link forwards nothing.
[[nodiscard]] bool passes_on(const Graph& graph, NodeId node);

/// A link on which no packet is ever marked before packets are dropped (flow_control: none), or
/// before every link that could fill its queue has been told to pause (pfc).
struct LinkWithoutMarks {
    LinkId link;
    Bytes begin;  ///< queue length beyond which packets are marked
    Bytes most;   ///< longest queue of the link before that
    Bytes room;   ///< buffer of its node
};

/// The link whose marking threshold exceeds its longest queue by the largest factor; none if marks
/// can come on every link that can be congested, or if congestion control does not use marks. Takes
/// time proportional to the number of links.
[[nodiscard]] std::optional<LinkWithoutMarks> link_without_marks(const NetworkDescription& network);

}  // namespace npunet::topology
