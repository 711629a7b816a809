#include "topology/network/scale_up.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/errors.h"
#include "topology/routing/graph_router.h"

namespace npunet::topology {

namespace {

constexpr std::int32_t several = -1;
constexpr std::int32_t unknown = -2;

/// By node: the block of an NPU; of a switch the block of all NPUs that are reached from it without
/// passing an NPU, or several; unknown where it reaches none.
std::vector<std::int32_t> blocks_of_nodes(const Graph& graph, const Tier& tier) {
    std::vector<std::int32_t> blocks = tier.block_of_npu;
    blocks.resize(graph.nodes(), unknown);
    std::vector<NodeId> joined;
    for (std::size_t start = graph.npus(); start < graph.nodes(); ++start) {
        if (blocks[start] != unknown) {
            continue;
        }
        joined.assign(1, NodeId(start));
        blocks[start] = several;
        std::int32_t block = unknown;
        const auto meet = [&](NodeId other) {
            std::int32_t& known = blocks[other.index()];
            if (graph.kind(other) == NodeKind::Npu) {
                block = block == unknown || block == known ? known : several;
            } else if (known == unknown) {
                known = several;
                joined.push_back(other);
            }
        };
        for (std::size_t i = 0; i < joined.size(); ++i) {
            const NodeId at = joined[i];
            for (const LinkId link : graph.links_from(at)) {
                meet(graph.link(link).to);
            }
            for (const LinkId link : graph.links_to(at)) {
                meet(graph.link(link).from);
            }
        }
        for (const NodeId node : joined) {
            blocks[node.index()] = block;
        }
    }
    return blocks;
}

/// The routes of the whole network on a part of it, whose graph would yield others.
class WholeRoutes final : public Router {
public:
    explicit WholeRoutes(NetworkDescription whole) : whole_(std::move(whole)) {}

    [[nodiscard]] std::vector<Hop> route(const Graph& /* graph */, NodeId from,
                                         NodeId to) const override {
        return whole_.route(from, to);
    }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override {
        return whole_.router->virtual_channels_needed();
    }
    [[nodiscard]] std::string name() const override { return whole_.routing_name(); }

private:
    const NetworkDescription whole_;
};

bool is_routed_by_graph(const NetworkDescription& network) {
    return dynamic_cast<const GraphRouter*>(network.router.get()) != nullptr;
}

/// For the parts of a network.
std::shared_ptr<const Router> router_of_parts(const NetworkDescription& network) {
    return is_routed_by_graph(network) ? std::make_shared<const WholeRoutes>(network)
                                       : network.router;
}

NetworkDescription part_of(const NetworkDescription& network, TierPart part,
                           std::shared_ptr<const Router> router) {
    const std::shared_ptr<const ScaleUp> scale_up = network.scale_up;
    const bool inner = part == TierPart::ScaleUp;
    NetworkDescription result = network;
    result.scale_up = nullptr;
    result.packet = inner ? scale_up->packet : network.packet;
    result.router = std::move(router);
    for (std::size_t i = 0; i < network.graph.links(); ++i) {
        if (scale_up->has(LinkId(i)) != inner) {
            result.graph.hide(LinkId(i));
        }
    }
    std::vector<LinkFault>& faults = result.faults.links;
    faults.erase(
        std::remove_if(faults.begin(), faults.end(),
                       [&](const LinkFault& fault) { return scale_up->has(fault.link) != inner; }),
        faults.end());
    return result;
}

}  // namespace

PacketParameters scale_up_parameters(const PacketParameters& others) {
    PacketParameters packet;
    packet.mtu = others.mtu;
    packet.header = others.header;
    packet.classes = others.classes;
    packet.switching = others.switching;
    packet.seed = others.seed;
    packet.seed_is_given = others.seed_is_given;
    packet.queue_histogram = others.queue_histogram;
    return packet;
}

std::shared_ptr<const ScaleUp> make_scale_up(const NetworkDescription& network, std::int32_t tiers,
                                             const PacketParameters& packet,
                                             const std::string& file, const std::string& place) {
    const std::size_t known = network.tiers.size();
    if (tiers < 1 || static_cast<std::size_t>(tiers) >= known) {
        throw InputError(
            {file, place,
             "the innermost " + std::to_string(tiers) + " of " + std::to_string(known) + " tiers",
             known < 2 ? "a network with servers or other tiers: Rail, a product such as [Switch, "
                         "Switch], Custom with tiers"
                       : "1 to " + std::to_string(known - 1),
             "The links of the outermost tier are scale-out"});
    }
    const Tier& tier = network.tiers[static_cast<std::size_t>(tiers) - 1];
    const std::vector<std::int32_t> blocks = blocks_of_nodes(network.graph, tier);
    auto scale_up = std::make_shared<ScaleUp>();
    scale_up->tiers = tiers;
    scale_up->packet = packet;
    for (std::size_t i = 0; i < network.graph.links(); ++i) {
        const Link& link = network.graph.link(LinkId(i));
        const std::int32_t block = blocks[link.from.index()];
        scale_up->links.push_back(block >= 0 && block == blocks[link.to.index()]);
    }
    const auto count = std::count(scale_up->links.begin(), scale_up->links.end(), true);
    if (count == 0 || count == static_cast<std::ptrdiff_t>(scale_up->links.size())) {
        throw InputError({file, place,
                          (count == 0 ? "no link" : "no link but those") +
                              std::string(" within a block of tier '") + tier.name + "' of " +
                              network.name,
                          "links within the blocks that lead to no other block, by switches "
                          "neither, and links between blocks",
                          "A switch has links of one kind only: leave it out"});
    }
    return scale_up;
}

void check_scale_up(const NetworkDescription& network, const std::string& file,
                    const std::string& place) {
    if (!network.scale_up) {
        return;
    }
    const auto refuse = [&](const std::string& found, const std::string& expected,
                            const std::string& remedy) {
        throw InputError({file, place, found, expected, remedy});
    };
    if (network.packet.flow_control == FlowControl::Credit) {
        refuse("credits of scale-up links with flow_control: credit",
               "flow_control: pfc or none, for the other links",
               "All links have credits without it: leave it out");
    }
    if (Rate() < network.packet.injection) {
        refuse("scale_up with injection", "one of the two",
               "The port of an NPU would be that of both kinds of links: leave injection out");
    }
    const bool shortest = network.router && !network.dimensions.empty();
    if (shortest || (network.multipath && is_routed_by_graph(network))) {
        refuse("scale_up with routing: " + network.routing_name() + " on " + network.name,
               shortest ? "routing: dimension-order or adaptive"
                        : "one route for each pair of NPUs: routing: up-down or ecmp",
               "Routes must lead from one kind of links to the other at known NPUs");
    }
}

NetworkDescription part_of(const NetworkDescription& network, TierPart part) {
    return part_of(network, part, router_of_parts(network));
}

std::vector<NetworkDescription> parts_of(const NetworkDescription& network) {
    const std::shared_ptr<const Router> router = router_of_parts(network);
    return {part_of(network, TierPart::ScaleUp, router),
            part_of(network, TierPart::ScaleOut, router)};
}

}  // namespace npunet::topology
