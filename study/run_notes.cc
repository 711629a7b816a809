#include "study/run_notes.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/units.h"
#include "study/simulation_run.h"
#include "topology/network/marking.h"

namespace npunet::study {

namespace {

/// Totals over all links.
struct Congestion {
    std::uint64_t drops = 0;
    std::uint64_t pauses = 0;
    std::uint64_t marked = 0;
    std::size_t longest = 0;  ///< the link with the longest queue
};

/// Links with credits neither drop, pause nor mark.
Congestion congestion_of(const topology::NetworkDescription& network,
                         const engine::Results& results) {
    const auto has_credits = [&](std::size_t link) {
        return network.packet_of(LinkId(link)).flow_control == topology::FlowControl::Credit;
    };
    Congestion congestion;
    while (has_credits(congestion.longest)) {
        ++congestion.longest;
    }
    for (std::size_t i = 0; i < results.links.size(); ++i) {
        const engine::LinkResult& link = results.links[i];
        congestion.drops += link.drops;
        congestion.pauses += link.pauses;
        congestion.marked += link.marked;
        if (!has_credits(i) && link.max_queue > results.links[congestion.longest].max_queue) {
            congestion.longest = i;
        }
    }
    return congestion;
}

}  // namespace

bool beats_link_bound(const engine::Results& results) {
    return results.fidelity == name_of(Fidelity::Analytical) && !results.partial &&
           results.finish < results.link_bound.time;
}

std::string link_bound_note(const engine::Results& results) {
    if (!beats_link_bound(results)) {
        return {};
    }
    const engine::LinkResult& busiest = results.links[results.link_bound.link];
    const std::string bound = results.link_bound.time == Time::max()
                                  ? "which it never could, as it goes down"
                                  : "which takes " + format_time(results.link_bound.time);
    return fmt::format(
        "the estimate finishes after {}, before its busiest link {} -> {} could carry its bytes, "
        "{}: the analytical fidelity lets messages cross a link at the same time, each at its full "
        "rate; use {}",
        format_time(results.finish), busiest.from, busiest.to, bound,
        results.whole_nanoseconds ? "congestion-aware, or --dialect npunet with fluid or packet"
                                  : "fluid or packet");
}

void note_link_bound(engine::Results& results) {
    if (std::string note = link_bound_note(results); !note.empty()) {
        results.notes.push_back(std::move(note));
    }
}

std::vector<std::string> notes_on_marks(const topology::NetworkDescription& network,
                                        const engine::Results& results) {
    const topology::PacketParameters& packet = network.packet;
    if (packet.flow_control == topology::FlowControl::Credit ||
        !topology::looks_at_marks(packet.congestion_control)) {
        return {};
    }
    const Congestion congestion = congestion_of(network, results);
    const bool pauses = packet.flow_control == topology::FlowControl::Pfc;
    // Links that are down or have errors drop packets regardless of queues.
    const bool full = pauses ? congestion.pauses > 0
                             : congestion.drops > 0 && packet.error_rate == 0 &&
                                   !network.faults.take_links_down();
    if (!full || congestion.marked > 0) {
        return {};
    }
    const topology::Link& link = network.graph.link(LinkId(congestion.longest));
    return {fmt::format(
        "congestion_control: {} heard of no congestion: {}, and none was marked; marks "
        "begin beyond {} on {} -> {}, where at most {} waited: {}",
        name_of(packet.congestion_control),
        pauses ? fmt::format("links were told to pause {} times", congestion.pauses)
               : fmt::format("{} packets were dropped", congestion.drops),
        format_bytes(topology::marks_begin(packet.ecn, link.rate)), network.graph.name(link.from),
        network.graph.name(link.to), format_bytes(results.links[congestion.longest].max_queue),
        topology::advice_for_sooner_marks(packet.ecn))};
}

}  // namespace npunet::study
