#include "packet/credit/network_setup.h"

#include "packet/base/packet_network.h"

#include "base/errors.h"

#include <algorithm>
#include <string>

namespace npunet::packet {

namespace {

/// CreditPort::waiting has 32 bits, one for each virtual channel.
constexpr int max_channels = topology::TrafficClasses::most_channels;
/// Queues are numbered in 32 bits and take 32 bytes each: 4 GiB.
constexpr std::uint64_t max_queues = std::uint64_t{1} << 27;

/// A node has a queue for each input (its own messages included), output and virtual channel.
void check_queues(const topology::NetworkDescription& description, std::uint64_t channels) {
    const topology::Graph& graph = description.graph;
    std::uint64_t queues = 0;
    std::uint64_t most_of_port = 0;
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        const NodeId id(node);
        const std::uint64_t inputs = graph.links_to(id).size() + 1;
        queues += graph.links_from(id).size() * inputs * channels;
        most_of_port = std::max(most_of_port, inputs * channels);
    }
    if (queues > max_queues || most_of_port > CreditPort::most_queues) {
        throw InputError({description.file, "network",
                          std::to_string(queues) + " virtual output queues",
                          "at most " + std::to_string(max_queues) +
                              " in the packet fidelity (a switch of n ports has n x n)",
                          "use smaller switches or another fidelity"});
    }
}

}  // namespace

const topology::NetworkDescription& checked_for_packets(
    const topology::NetworkDescription& description) {
    const topology::PacketParameters& parameters = description.packet;
    check_packet_parameters(parameters, description.file);
    const int channels = description.virtual_channels() * parameters.classes.count;
    if (channels > max_channels) {
        throw InputError({description.file, "packet.virtual_channels",
                          std::to_string(channels) + " in all traffic classes",
                          "1 to " + std::to_string(max_channels), ""});
    }
    check_queues(description, static_cast<std::uint64_t>(channels));
    return description;
}

const topology::NetworkDescription& checked_for_routes(
    const topology::NetworkDescription& description) {
    const std::uint8_t needed = description.virtual_channels_needed();
    if (description.virtual_channels() < needed) {
        throw InputError({description.file, "packet.virtual_channels",
                          std::to_string(description.virtual_channels()),
                          "at least " + std::to_string(needed) +
                              ", below which packets can wait for one another for ever",
                          "leave it out to get as many as the routing needs"});
    }
    return description;
}

void open_ports(const topology::NetworkDescription& description, CreditNetworkState& state) {
    const topology::Graph& graph = description.graph;
    for (std::uint32_t number = 0; number < state.ports.size(); ++number) {
        CreditPort& port = state.ports[number];
        port.first_queue = state.plan.first_queue(number);
        port.queues = state.plan.queues(number) & CreditPort::most_queues;
        state.filled.open(port);

        VirtualOutputQueue* queues = &state.queues[port.first_queue];
        for (const LinkId input : graph.links_to(graph.link(LinkId(std::size_t{number})).from)) {
            for (std::uint32_t channel = 0; channel < state.channels; ++channel) {
                queues->upstream = static_cast<std::uint32_t>(input.index());
                queues->input_channel = static_cast<std::uint8_t>(channel);
                ++queues;
            }
        }
        for (std::uint32_t channel = 0; channel < state.channels; ++channel) {
            // A queue of messages has no packets; its tail holds the number of the port.
            queues->tail = number;
            queues->channel = static_cast<std::uint8_t>(channel);
            ++queues;
            state.credit(number, channel)
                .open(description.buffer_of(LinkId(std::size_t{number})).value());
        }
    }
}

}  // namespace npunet::packet
