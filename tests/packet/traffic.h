// Traffic for the tests of the packet machine, and what became of it. The same plan is given to the
// machine and to its oracle.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "engine/clock/event_queue.h"
#include "engine/network/network.h"
#include "topology/parameters/traffic_classes.h"

namespace npunet::packet_test {

struct PlannedMessage {
    NodeId source;
    NodeId destination;
    Bytes bytes;
    Time start;      ///< when `after` is negative
    int after = -1;  ///< sent when that message has been delivered
    bool wants_sent = false;
    std::uint8_t traffic_class = engine::Message::by_kind;
    Communication kind = Communication::SendReceive;
    bool after_sent = false;  ///< sent when `after` has left, instead; it wants_sent
};

using Plan = std::vector<PlannedMessage>;

[[nodiscard]] inline PlannedMessage message(int from, int to, std::int64_t bytes,
                                            Time start = Time()) {
    return {NodeId(from), NodeId(to), Bytes(bytes), start};
}

/// What became of one message; -1 ps where nothing did.
struct Outcome {
    Time sent = Time::ps(-1);
    Time delivered = Time::ps(-1);
    Time first_byte_left = Time::ps(-1);
    int deliveries = 0;
};

/// When the last message was delivered.
[[nodiscard]] Time latest_delivery(const std::vector<Outcome>& outcomes);

/// Whether every message was delivered, once.
[[nodiscard]] bool all_came_once(const std::vector<Outcome>& outcomes);

/// Whether a message was not delivered.
[[nodiscard]] bool is_stalled(const std::vector<Outcome>& outcomes);

/// Sends a plan through a network and notes what it hears.
class Traffic final : private engine::EventHandler, private engine::MessageListener {
public:
    Traffic(const Plan& plan, engine::EventQueue& queue, engine::Network& network);
    /// The share of one part of a split network: the messages that start at its nodes, and news of
    /// all that it hears of, in the outcomes of all parts. Those that follow others start where
    /// these end.
    Traffic(const Plan& plan, engine::EventQueue& queue, engine::Network& network,
            const std::function<bool(NodeId)>& owns, std::vector<Outcome>& outcomes);
    Traffic(const Traffic&) = delete;
    Traffic& operator=(const Traffic&) = delete;

    [[nodiscard]] const std::vector<Outcome>& outcomes() const { return outcomes_; }

private:
    void handle(std::uint64_t payload) override { send(payload); }
    void on_sent(std::uint32_t handle) override;
    void on_delivered(std::uint32_t handle, Time first_byte_left) override;
    engine::MessageLabel label_of(std::uint32_t handle) override { return {{handle, ~handle}}; }
    void on_delivered_from_afar(const engine::MessageLabel& label, Bytes bytes,
                                Time first_byte_left) override;
    void send(std::size_t index);
    void send_followers(std::size_t index, bool after_sent);

    const Plan& plan_;
    engine::EventQueue& queue_;
    engine::Network& network_;
    std::vector<Outcome> of_whole_;  ///< where it is all of the traffic
    std::vector<Outcome>& outcomes_;
    std::vector<std::vector<std::size_t>> followers_;
};

enum class Pattern { AllToAll, Permutation, Random, Streams, Chains };

/// Messages of 0 to `largest` bytes, a few of the sizes being exact multiples of `mtu`.
[[nodiscard]] Plan make_plan(Pattern pattern, int npus, std::int64_t largest, std::int64_t mtu,
                             std::mt19937_64& random);

/// One cycle through all NPUs in random order: by NPU, the one that it sends to (Sattolo, 1986).
[[nodiscard]] std::vector<int> random_cycle(int npus, std::mt19937_64& random);

/// Of the messages that follow those that want to know when they have left, every other one starts
/// then, and not when they have been delivered.
void draw_followers_of_ends(Plan& plan, std::mt19937_64& random);

/// Gives each message a kind, and every other one a class of its own, drawn below `classes`.
void draw_classes(Plan& plan, std::uint8_t classes, std::mt19937_64& random);

/// Traffic classes, weights or strict priority, and the classes of kinds.
[[nodiscard]] topology::TrafficClasses random_classes(std::mt19937_64& random);

/// The message that a network is given for the message `index` of a plan; its handle is the index.
[[nodiscard]] engine::Message message_of(const Plan& plan, std::size_t index);

/// Everything that a run tells, as text, for comparing two runs with a readable difference.
[[nodiscard]] std::string transcript(const Traffic& traffic, const engine::Network& network);
[[nodiscard]] std::string transcript(const std::vector<Outcome>& outcomes,
                                     const std::vector<engine::LinkUse>& uses,
                                     std::uint64_t packet_hops);

/// The transcript and what else a run tells. Where pauses wait for each other for ever, what became
/// of the messages only: how long links have been paused then depends on when the last event was.
[[nodiscard]] std::string transcript_with_stalls(const std::vector<Outcome>& outcomes,
                                                 const std::vector<engine::LinkUse>& uses,
                                                 std::uint64_t packet_hops,
                                                 const std::string& more = "");

}  // namespace npunet::packet_test
