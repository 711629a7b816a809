// A network of two kinds of links (topology/network/scale_up.h): a CreditNetwork of the links
// within servers and an EthernetNetwork of the others, on one event queue. A message whose route
// has links of one kind is a message of that network; Relays carry the others over, packet by
// packet.
//
//     TieredNetwork network(description, queue);   // description.scale_up is set
//
// Each of the two has the graph of all with the links of the other hidden, so that links, nodes and
// what is drawn by their numbers are those of a network of one kind.
#pragma once

#include "packet/base/datagram_listener.h"
#include "packet/base/packet_network.h"
#include "packet/tiers/relays.h"
#include "packet/tiers/tier_routes.h"

#include "engine/clock/event_queue.h"
#include "engine/network/idle_links.h"
#include "engine/network/network.h"
#include "topology/network/network_description.h"
#include "topology/network/packet_checks.h"
#include "topology/network/scale_up.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace npunet::packet {

class TieredNetwork final : public PacketNetwork,
                            private engine::MessageListener,
                            private engine::IdleLinks,
                            private DatagramListener {
public:
    /// Both must outlive the network. Throws InputError for parameters that the networks of the two
    /// kinds refuse.
    TieredNetwork(const topology::NetworkDescription& description, engine::EventQueue& queue,
                  topology::Losses losses = topology::Losses::Refused);

    void send(const engine::Message& message) override;
    bool carries_datagrams() const override { return true; }
    void send_datagram(const engine::Message& message, bool can_be_marked) override;
    void set_datagram_listener(DatagramListener& listener) override;
    bool sends_in_order(NodeId from, NodeId to) const override;

    std::vector<engine::LinkUse> link_use() const override;
    /// Of relayed messages those from the relay on.
    std::vector<engine::FlowUse> flow_use() const override;
    engine::QueuePairLimits queue_pair_limits() const override;
    std::uint64_t packet_hops() const override;
    std::string explain_stall() const override;
    void list_queued(LinkId link,
                     const std::function<void(LinkId, Bytes, Time)>& function) override;
    void record_load(engine::LinkLoadRecorder* load) override;
    engine::IdleLinks* idle_links() override { return this; }

    /// Throws InputError: such a network is not split.
    void split(std::vector<bool> owned, PartitionLink& cut) override;
    void enter(const std::uint8_t* data, std::size_t size) override;

    bool is_cut(LinkId /* link */) const override { return false; }

    void set_fast_forward(bool wanted) override;
    void set_threads(std::size_t threads, std::uint64_t least_packets) override;
    void settle() override;

private:
    void observer_changes() override;

    // Links of one part; of both at once never.
    bool idle_state(const Links& links, State& state) override;
    bool has_quiet_messages() const override { return true; }
    bool is_quiet(NodeId from, NodeId to, const Links& links) override;
    bool has_rest_state() const override { return true; }
    bool rest_state(const Links& links, State& state) override;
    void set_idle_state(const Links& links, const State& state,
                        const std::vector<engine::LinkUse>* carried) override;
    std::vector<engine::LinkUse> use_of(const Links& links) const override;
    void forget_longest_queues(const Links& links) override;
    bool nodes_matter(const std::vector<engine::LinkUse>& elsewhere) const override;
    Time contention(const Links& links) const override;
    std::vector<std::uint64_t> packet_numbers(const Links& links) const override;
    void skip_packet_numbers(const Links& links,
                             const std::vector<std::uint64_t>& packets) override;

    /// Of the part that the first link is of.
    IdleLinks& idle_part(const Links& links) const;

    // What the parts tell, and of relayed messages the relays. Handles of whole messages are even,
    // those of relayed packets odd.
    void on_sent(std::uint32_t handle) override;
    void on_delivered(std::uint32_t handle, Time first_byte_left) override;
    void datagram_starts(std::uint32_t handle) override;
    void datagram_is_marked(std::uint32_t handle) override;
    void datagram_is_lost(std::uint32_t handle) override;

    void send(const engine::Message& message, Relays::Service service);

    PacketNetwork& part(topology::TierPart which) const {
        return *parts_[static_cast<std::size_t>(which)];
    }

    const topology::NetworkDescription& description_;
    std::vector<topology::NetworkDescription> descriptions_;  ///< of the parts
    std::array<std::unique_ptr<PacketNetwork>, 2> parts_;     ///< by topology::TierPart
    mutable TierRoutes routes_;
    Relays relays_;
    DatagramListener* datagram_listener_ = nullptr;
};

}  // namespace npunet::packet
