// What acknowledgements take of the links back: they go before data.

#include <algorithm>
#include <utility>

#include "analytical/fluid/fluid_network.h"
#include "engine/clock/clock_limit.h"
#include "topology/network/scale_up.h"

namespace npunet::analytical {

using engine::later;

namespace {

/// Messages of fewer packets hardly have acknowledgements.
constexpr std::int64_t few_packets = 8;

/// Changes up to this part of a rate, 2^-5, are not told.
constexpr int untold_answer_bits = 5;

}  // namespace

const FluidNetwork::Answers& FluidNetwork::answers_of(const Flow& flow) {
    Answers& answers = at_place(answers_, paths_[flow.path].route);
    if (answers.known) {
        return answers;
    }
    answers.known = true;
    const NodeId source = flow.message.source;
    const Bytes bytes = std::max(description_.packet.header, Bytes(1));
    for (const topology::Hop& hop : description_.route(flow.message.destination, source)) {
        if (description_.scale_up && description_.scale_up->has(hop.link)) {
            continue;
        }
        const topology::Link& link = description_.graph.link(hop.link);
        const Time time = transfer_time(bytes, link.rate);
        const auto number = static_cast<std::uint32_t>(hop.link.value());
        answers.hops.push_back({fold_ == nullptr ? number : fold_->representative(hop.link),
                                fold_ == nullptr ? 1 : fold_->copies(source, hop.link),
                                answers.total, time});
        answers.total = later(answers.total, later(link.latency, time));
    }
    return answers;
}

void FluidNetwork::tell_answers(const Stage& last, Share rate, Time at) {
    Flow& flow = flows_[last.flow];
    if (!queue_pairs_ || paths_[flow.path].packets < few_packets ||
        !differs(rate, flow.answered, untold_answer_bits)) {
        return;
    }
    const Share before = std::exchange(flow.answered, rate);
    const PathHop& hop = *last.hop;
    const Time arrival = later(later(at, hop.full), hop.latency);
    const std::int64_t packet = std::max<std::int64_t>(
        capped_product(hop.full.ps(), description_.packet.transport.ack_every), 1);
    for (const Answers::Hop& back : answers_of(flow).hops) {
        Port& port = ports_[back.link];
        const auto taken = [&](Share share) {
            return capped_share(static_cast<Work>(share) * back.time.ps() / packet * back.copies);
        };
        const Time when = later(arrival, back.after);
        port.answers.add({when, none, 0, 0, taken(rate) - taken(before), false});
        if ((port.live || port.starting()) && when < port.news) {
            port.news = std::max(when, queue_.now());
            schedule(port.news, Happening::news, back.link, back.link);
        }
    }
}

Share FluidNetwork::capacity(Port& port) const {
    const Time now = queue_.now();
    while (port.answers.next() <= now) {
        (void)port.answers.pass();
    }
    port.answers.forget_past();
    const Work taken = std::clamp<Work>(port.answers.present(), 0, port.speed / 2);
    return port.speed - static_cast<Share>(taken);
}

}  // namespace npunet::analytical
