#pragma once

#include "packet/base/clock.h"
#include "packet/base/ethernet_packet.h"
#include "packet/base/packet_classes.h"
#include "packet/base/packet_observer.h"
#include "packet/base/packet_sizes.h"
#include "packet/congestion/telemetry_records.h"
#include "packet/routing/ethernet_port.h"

#include "base/ids.h"
#include "engine/event_queue.h"
#include "engine/link_load.h"
#include "topology/network_description.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// The ports of an EthernetNetwork, the packets under way and who hears of them, on which its parts
/// work.
struct EthernetNetworkState {
    /// @param description the network
    /// @param queue the simulation's events; must outlive the state
    EthernetNetworkState(const topology::NetworkDescription& description, engine::EventQueue& queue)
        : clock(queue),
          sizes(description.packet),
          class_count(description.packet.classes.count),
          ports(description.graph.links()),
          classes(description.packet.classes, 1, description.graph.links()) {
        for (std::size_t number = 0; number < ports.size(); ++number) {
            const NodeId node = description.graph.link(LinkId(number)).from;
            ports[number].node = static_cast<std::uint32_t>(node.index());
            ports[number].starts_here = node.index() < description.graph.npus();
        }
    }

    EthernetClock clock;              ///< time and events
    PacketSizes sizes;                ///< of packets
    std::uint32_t class_count;        ///< traffic classes
    std::vector<EthernetPort> ports;  ///< by link
    EthernetPackets packets;          ///< packets under way
    TelemetryRecords telemetry;       ///< what is written into them
    PacketClasses classes;            ///< traffic classes
    /// Hears of links that are sending; null for nobody.
    engine::LinkLoadRecorder* load = nullptr;
    PacketObserver* observer = nullptr;  ///< hears of packets; null for nobody
};

}  // namespace npunet::packet
