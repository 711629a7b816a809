// Follows the messages of one run, at any fidelity.
//
//     FlowWatch watch(machine, fidelity, network, queue, nullptr);
//     engine::Simulation simulation(..., queue, watch.network());
//     results = simulation.run();
//     results.flows = watch.results();
#pragma once

#include <functional>

#include "engine/results/flow_statistics.h"
#include "engine/results/message_recorder.h"
#include "study/simulation_run.h"

namespace npunet::study {

/// How long a message takes alone on an idle network without faults at this fidelity, in the npunet
/// dialect: `bytes` on the slowest link and the latencies; every link after the other; packets with
/// headers (topology/network/idle_path.h). What buffers, transports and congestion control add is
/// not in it. `machine` must outlive what is returned, which is null in other dialects.
[[nodiscard]] engine::FlowStatistics::IdleTime idle_time(const Machine& machine, Fidelity fidelity);

class FlowWatch {
public:
    /// The references must outlive it. `each` may be null, otherwise hears of every message.
    FlowWatch(const Machine& machine, Fidelity fidelity, engine::Network& network,
              const engine::EventQueue& queue,
              std::function<void(const engine::CompletedMessage&)> each);
    FlowWatch(const FlowWatch&) = delete;
    FlowWatch& operator=(const FlowWatch&) = delete;

    /// What the simulation is to send its messages by.
    [[nodiscard]] engine::Network& network() { return recorder_; }

    /// After the run.
    [[nodiscard]] engine::FlowResults results();

private:
    void add(engine::CompletedMessage message);

    const Machine& machine_;
    engine::FlowStatistics statistics_;
    std::function<void(const engine::CompletedMessage&)> each_;
    engine::MessageRecorder recorder_;
};

}  // namespace npunet::study
