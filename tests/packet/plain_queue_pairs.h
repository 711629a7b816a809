// The queue pairs of the plain simulator: what NPUs send by a plan, a queue pair for each source
// and destination, the lines in which queue pairs stand for the ports where they start, and what
// becomes of the messages. They know nothing of switches, which ask for the next packet of a port
// and hand over what arrives (plain_npus.h).
//
//     QueuePairs pairs(description, plan);
//     pairs.send_planned(now);
//     if (pairs.has_packet(port, now)) {
//         const Packet packet = pairs.take_packet(port, now);
//     }
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plain_lossy_network.h"
#include "plain_npus.h"
#include "plain_packet.h"
#include "plain_receiver.h"
#include "plain_sender.h"
#include "topology/network/network_description.h"
#include "traffic.h"

namespace npunet::packet_test::plain {

class QueuePairs final : public Npus {
public:
    QueuePairs(const topology::NetworkDescription& description, const Plan& plan);

    /// When something happens next, later than `now`, if no packet arrives; Time::max(): never.
    [[nodiscard]] Time next_time(Time now) const;
    /// Those that have waited for this time join the lines of their ports.
    void join_those_due(Time now);
    void run_out_timers(Time now);
    /// The messages that start at this time.
    void send_planned(Time now);

    [[nodiscard]] bool has_packet(LinkId port, Time now) override;
    [[nodiscard]] Packet take_packet(LinkId port, Time now) override;
    [[nodiscard]] std::optional<Packet> receive(const Packet& packet, Time now) override;

    /// When and which queue pair gave up; empty: none.
    [[nodiscard]] const std::string& gave_up() const { return gave_up_; }
    [[nodiscard]] std::vector<Outcome> outcomes() const;
    [[nodiscard]] std::map<std::pair<NodeId, NodeId>, LossyFlow> flows() const;

private:
    struct Message {
        std::size_t index = 0;  ///< in the plan
        std::size_t last = 0;   ///< packet
    };
    struct Pair {
        NodeId source;
        NodeId destination;
        std::vector<LinkId> forth;
        std::vector<LinkId> back;
        Sender sender;
        Receiver receiver;
        std::vector<Message> messages;
        bool in_line = false;            ///< of its port, or waits for its time
        std::size_t told_sent = 0;       ///< messages
        std::size_t told_delivered = 0;  ///< messages
    };
    /// Of a port.
    struct Line {
        std::deque<std::size_t> ready;
        /// Those that wait for a time, with their source, destination and number.
        std::set<std::tuple<Time, NodeId, NodeId, std::size_t>> waiting;
    };

    [[nodiscard]] std::size_t pair_of(NodeId source, NodeId destination);
    [[nodiscard]] SenderSettings settings_of(NodeId source, NodeId destination) const;
    void send(std::size_t index, Time now);
    void line_up(std::size_t number, Time now);
    void tell_sent(Pair& pair, Time now);
    void deliver(Pair& pair, Time now);

    const topology::NetworkDescription& description_;
    const Plan& plan_;
    std::deque<Pair> pairs_;
    std::vector<Line> lines_;  ///< by link
    std::vector<Outcome> outcomes_;
    std::string gave_up_;
};

}  // namespace npunet::packet_test::plain
