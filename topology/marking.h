// Whether marks (ECN) come before switches drop packets or tell links to pause.
//
//     MarkThresholds marks = mark_thresholds(packet.ecn, link.rate);
//     Bytes alone = queue_limit(room, packet.shared_buffer.alpha, 1);
//     if (const auto late = link_without_marks(network)) { ... late->begin, late->most ... }
//
// With the defaults marks come first on nodes whose links have one rate, of whatever rate and
// number, in one traffic class: kmin and kmax are 20 and 80 KiB for each 25 Gb/s of a link, and the
// automatic buffer has 128 KiB for each 25 Gb/s of every link, of which each queue may have 2/3
// when both of two ports are congested and more on larger switches. Where rates differ (a fast
// up-link above many slow ports), or with several classes, the limit of a queue can be below kmax
// or kmin when all queues are long.
//
// C++17-clean: reached from the ns-3 module.
#pragma once

#include <cstdint>
#include <optional>

#include "base/quantities.h"
#include "topology/network_description.h"

namespace npunet::topology {

/// The queue of one link: up to kmin nothing is marked, beyond kmax everything; in between with a
/// probability, which is 0 where pmax is.
struct MarkThresholds {
    Bytes kmin;
    Bytes kmax;
};
[[nodiscard]] MarkThresholds mark_thresholds(const EcnParameters& ecn, Rate link);

/// The queue of one link beyond which marks begin: kmin, or kmax where pmax is 0.
[[nodiscard]] Bytes marks_begin(const EcnParameters& ecn, Rate link);

/// What lets marks begin sooner, for people: "lower ecn.kmin or enlarge buffer".
[[nodiscard]] const char* advice_for_sooner_marks(const EcnParameters& ecn);

/// The most that each of so many queues of a node has when they are equally long and all at their
/// threshold, alpha x what is free: alpha x room / (1 + alpha x queues), rounded down (Choudhury
/// and Hahne, 1998). At least one queue.
[[nodiscard]] Bytes queue_limit(Bytes room, double alpha, std::int64_t queues);

/// Whether packets may wait in a node: those that one link reaches pass nothing on.
[[nodiscard]] bool passes_on(const Graph& graph, NodeId node);

/// A link on which no packet is ever marked before packets are dropped (flow_control: none), or
/// before every link that could fill its queue has been told to pause (pfc).
struct LinkWithoutMarks {
    LinkId link;
    Bytes begin;  ///< marks begin beyond
    Bytes most;   ///< that can wait for the link by then
    Bytes room;   ///< of its node
};

/// The link on which the queue beyond which marks begin passes the most by the largest factor;
/// nothing where marks can come on all that may be congested, or where nobody looks at them. In
/// time proportional to the links.
[[nodiscard]] std::optional<LinkWithoutMarks> link_without_marks(const NetworkDescription& network);

}  // namespace npunet::topology
