// A topology of one's own: a ring of n NPUs in which each has a further link to the one opposite (a
// Moebius ladder). Messages that have more than a quarter of the ring before them go across first,
// so that no NPU is more than floor((n + 2) / 4) links away, where a ring has n / 2.
//
//     MoebiusLadder: {npus: 8, bandwidth: 50, latency: 500}
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/yaml_field.h"
#include "topology/builders/builder.h"
#include "topology/graph/line.h"
#include "topology/routing/router.h"
#include "topology/yaml/link_fields.h"
#include "topology/yaml/standalone_network.h"

namespace extending {

using namespace npunet;
using namespace npunet::topology;

/// Across where that is shorter, then along the ring. Links across never wait for each other, and
/// links of the ring never wait for links across, so that the ring's own two virtual channels, with
/// the change at its dateline, are enough.
class MoebiusRouter final : public Router {
public:
    explicit MoebiusRouter(std::int32_t npus) : ring_{npus} {}

    [[nodiscard]] std::vector<Hop> route(const Graph&, NodeId from, NodeId to) const override {
        const std::int32_t ahead = (to.value() - from.value() + ring_.size) % ring_.size;
        const std::int32_t along = std::min(ahead, ring_.size - ahead);
        std::vector<Hop> hops;
        std::int32_t at = from.value();
        if (1 + ring_.size / 2 - along < along) {
            hops.push_back(Hop{LinkId(static_cast<std::int32_t>(ring_.links()) + at), 0});
            at = (at + ring_.size / 2) % ring_.size;
        }
        ring_.route(at, to.value(), 0, hops);
        return hops;
    }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override {
        return ring_.virtual_channels_needed();
    }
    [[nodiscard]] std::string name() const override { return "across-first"; }

private:
    RingLine ring_;
};

/// `npus`: even, at least 4. Links 0 to 2 n - 1 are the ring's, link 2 n + i leads from NPU i
/// across.
inline NetworkDescription make_moebius_ladder(std::int32_t npus, Rate rate, Time latency) {
    const RingLine ring{npus};
    const auto count = static_cast<std::size_t>(npus);
    NetworkDescription network = network_of_npus("MoebiusLadder", npus, count, 3 * count);
    for (std::int64_t i = 0; i < ring.links(); ++i) {
        const LineLink link = ring.link(i);
        network.graph.add_link({NodeId(link.from), NodeId(link.to), rate, latency});
    }
    for (std::int32_t i = 0; i < npus; ++i) {
        network.graph.add_link({NodeId(i), NodeId((i + npus / 2) % npus), rate, latency});
    }
    network.router = std::make_shared<MoebiusRouter>(npus);
    return network;
}

/// Reads the section MoebiusLadder of a network.yml.
inline StandaloneNetwork read_moebius_ladder(const YamlField& section, GigaByte gigabyte,
                                             const UnknownKeys& unknown) {
    check_keys(section, {"npus", "bandwidth", "latency"}, unknown);
    const YamlField npus = section.at("npus");
    const std::int64_t count = npus.whole(4, most_npus, "a number of NPUs");
    if (count % 2 != 0) {
        npus.refuse(npus.found(), "an even number", "Every NPU has one opposite");
    }
    StandaloneNetwork own;
    own.network = make_moebius_ladder(static_cast<std::int32_t>(count),
                                      bandwidth_at(section.at("bandwidth"), gigabyte).rate,
                                      latency_at(section.at("latency")).time);
    own.routing.offered = {"auto", "across-first"};
    own.routing.make = [router = own.network.router](const std::string&, std::uint64_t,
                                                     const YamlField&,
                                                     const Graph&) { return Routes{router}; };
    return own;
}

}  // namespace extending
