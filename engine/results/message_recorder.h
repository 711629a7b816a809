// A network that notes when messages are sent and when they arrive, and leaves all else to the
// network that it stands before.
//
//     MessageRecorder recorder(network, queue, description.packet.classes, [](const auto& message)
//     {
//         ...                                          // a RecordedMessage
//     });
//     Simulation simulation(..., queue, recorder);
//     Results results = simulation.run();
//     recorder.finish();
//
// Messages are told in the order of their arrival, those of one instant in that of their ids: not
// before time goes on. Without a recorder nothing is spent on it.
// For networks that are in one process.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/quantities.h"
#include "engine/clock/event_queue.h"
#include "engine/network/network.h"
#include "engine/results/flow_results.h"
#include "topology/parameters/traffic_classes.h"

namespace npunet::engine {

/// With what Message::order_minor was: of a collective without a switch that reduces, stream and
/// phase (engine/collective/stream_place.h) in the upper half, and the exchange in which it arrives
/// in the lower one.
struct RecordedMessage : CompletedMessage {
    std::uint64_t order = 0;
};

class MessageRecorder final : public Network, private MessageListener {
public:
    using Sink = std::function<void(const RecordedMessage&)>;

    /// The references must outlive the recorder. `classes`: those of the network.
    MessageRecorder(Network& network, const EventQueue& queue, topology::TrafficClasses classes,
                    Sink sink);

    void send(const Message& message) override;
    [[nodiscard]] bool sends_in_order(NodeId from, NodeId to) const override {
        return network_.sends_in_order(from, to);
    }
    [[nodiscard]] bool models_contention() const override { return network_.models_contention(); }
    [[nodiscard]] std::vector<LinkUse> link_use() const override { return network_.link_use(); }
    [[nodiscard]] std::vector<FlowUse> flow_use() const override { return network_.flow_use(); }
    [[nodiscard]] std::uint64_t packet_hops() const override { return network_.packet_hops(); }
    [[nodiscard]] std::string explain_stall() const override { return network_.explain_stall(); }
    void run(EventQueue& queue) override { network_.run(queue); }

    [[nodiscard]] const topology::TrafficClasses& classes() const { return classes_; }

    /// Tells of what has arrived and is not told yet.
    void finish();

private:
    void on_sent(std::uint32_t handle) override { listener_->on_sent(handle); }
    void on_delivered(std::uint32_t handle, Time first_byte_left) override;

    Network& network_;
    const EventQueue& queue_;
    topology::TrafficClasses classes_;
    Sink sink_;
    std::vector<RecordedMessage> in_progress_;  ///< by handle
    std::vector<RecordedMessage> arrived_;      ///< all at the same instant
};

}  // namespace npunet::engine
