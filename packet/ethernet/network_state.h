// State of an EthernetNetwork that its members share: ports, packets, classes, observers, and when
// ports decide.
#pragma once

#include "packet/base/clock.h"
#include "packet/base/ethernet_packet.h"
#include "packet/base/packet_classes.h"
#include "packet/base/packet_observer.h"
#include "packet/base/packet_sizes.h"
#include "packet/congestion/telemetry_records.h"
#include "packet/ethernet/event_schedule.h"
#include "packet/routing/ethernet_port.h"

#include "base/ids.h"
#include "engine/clock/event_queue.h"
#include "engine/network/link_load.h"
#include "engine/network/network.h"
#include "topology/network/network_description.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// Who sends the packets.
class PacketOwners {
public:
    /// QueuePair::key of a packet. Not of PAUSE and RESUME frames.
    virtual std::uint64_t queue_pair_of(std::uint32_t place) const = 0;

    /// The packet of a datagram is lost, and freed afterwards.
    virtual void datagram_is_lost(const EthernetPacket& packet) = 0;

protected:
    ~PacketOwners() = default;
};

struct EthernetNetworkState {
    /// All but the description must outlive this.
    EthernetNetworkState(const topology::NetworkDescription& description, engine::EventQueue& queue,
                         const EthernetEvents& handlers, PacketOwners& packet_owners)
        : clock(queue),
          sizes(description.packet),
          class_count(description.packet.classes.count),
          ports(description.graph.links()),
          schedule(ports, clock, handlers),
          classes(description.packet.classes, 1, description.graph.links()),
          owners(packet_owners) {
        for (std::size_t number = 0; number < ports.size(); ++number) {
            const NodeId node = description.graph.link(LinkId(number)).from;
            ports[number].node = static_cast<std::uint32_t>(node.index());
            ports[number].starts_here = node.index() < description.graph.npus();
        }
    }

    /// A packet at the port of a link, for the observer.
    ObservedPacket observed(std::uint32_t place, std::uint32_t link) const;

    /// What a link has carried so far; but for LinkUse::queue_times.
    engine::LinkUse use_of(std::size_t link) const;

    PacketClock clock;
    PacketSizes sizes;
    std::uint32_t class_count;
    std::vector<EthernetPort> ports;  ///< by link
    EthernetSchedule schedule;
    EthernetPackets packets;
    TelemetryRecords telemetry;
    PacketClasses classes;
    engine::LinkLoadRecorder* load = nullptr;  ///< may be null
    PacketObserver* observer = nullptr;        ///< may be null
    PacketOwners& owners;
};

}  // namespace npunet::packet
