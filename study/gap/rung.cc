#include "study/gap/rung.h"


#include "analytical/congestion_aware.h"
#include "analytical/congestion_unaware.h"
#include "engine/simulation.h"
#include "packet/make_packet_network.h"
#include "study/fidelity_network.h"
#include "study/idle_path_network.h"

namespace npunet::study {

namespace {

using report::Gap;

/// More than anything that is ever under way, and far from the end of 64 bits.
constexpr Bytes boundless{std::int64_t{1} << 50};

bool controls_congestion(const topology::PacketParameters& packet) {
    return packet.flow_control != topology::FlowControl::Credit &&
           packet.transport.kind != topology::TransportKind::None &&
           packet.congestion_control.algorithm != topology::CongestionAlgorithm::None;
}

/// Sends nothing.
class NoNetwork final : public engine::Network {
public:
    void send(const engine::Message&) override {}
    [[nodiscard]] std::vector<engine::LinkUse> link_use() const override { return {}; }
};

}  // namespace

std::vector<Step> ladder_of(Fidelity fidelity, const Machine& machine) {
    switch (fidelity) {
        case Fidelity::Analytical:
            return {};
        case Fidelity::CongestionAware:
            return {{Rung::WholeMessages, &Gap::latency}, {Rung::MessageQueues, &Gap::contention}};
        case Fidelity::Packet:
            break;
    }
    std::vector<Step> steps{{Rung::Headers, &Gap::header},
                            {Rung::IdlePaths, &Gap::latency},
                            {Rung::SharedLinks, &Gap::contention},
                            {Rung::FiniteBuffers, &Gap::flow_control}};
    if (controls_congestion(machine.network.packet)) {
        steps.push_back({Rung::PacketRun, &Gap::congestion_control});
    }
    return steps;
}

topology::NetworkDescription network_on(Rung rung, const topology::NetworkDescription& network) {
    topology::NetworkDescription changed = network;
    topology::PacketParameters& packet = changed.packet;
    if (rung == Rung::SharedLinks) {
        packet.buffer = boundless;
        packet.error_rate = 0;
        if (packet.flow_control != topology::FlowControl::Credit) {
            // Of such a room none is ever told to pause, and nothing is dropped.
            packet.flow_control = topology::FlowControl::Pfc;
            packet.shared_buffer = topology::SharedBufferParameters();
        }
        // Reset entirely: settings without effect are rejected.
        packet.transport = topology::TransportParameters();
    }
    if (rung == Rung::SharedLinks || rung == Rung::FiniteBuffers) {
        packet.congestion_control = topology::CongestionControlChoice();
    }
    return changed;
}

const topology::NetworkDescription& Rungs::description_of(Rung rung) {
    if (rung != Rung::SharedLinks && rung != Rung::FiniteBuffers) {
        return machine_.network;
    }
    std::unique_ptr<topology::NetworkDescription>& description =
        descriptions_[static_cast<std::size_t>(rung)];
    if (description == nullptr) {
        description =
            std::make_unique<topology::NetworkDescription>(network_on(rung, machine_.network));
    }
    return *description;
}

std::unique_ptr<engine::Network> Rungs::network_of(Rung rung, engine::EventQueue& queue) {
    const topology::NetworkDescription& description = description_of(rung);
    const engine::Dialect& dialect = machine_.dialect;
    switch (rung) {
        case Rung::Estimate:
            return std::make_unique<analytical::CongestionUnaware>(description, queue, dialect);
        case Rung::Headers:
            return std::make_unique<IdlePathNetwork>(description, queue, dialect,
                                                     IdlePath::Headers);
        case Rung::IdlePaths:
            return std::make_unique<IdlePathNetwork>(description, queue, dialect,
                                                     IdlePath::Packets);
        case Rung::WholeMessages:
            return std::make_unique<IdlePathNetwork>(description, queue, dialect,
                                                     IdlePath::WholeMessages);
        case Rung::MessageQueues:
            return std::make_unique<analytical::CongestionAware>(description, queue, dialect);
        default:
            break;
    }
    return make_packet_network(description, queue, packet_);
}

RunTimes Rungs::run(const engine::Workload& workload, engine::EventQueue& queue,
                    engine::Network& network, const engine::FixedTimes* fixed) const {
    engine::Simulation simulation(workload, machine_.network, machine_.system, machine_.dialect,
                                  queue, network);
    simulation.set_timeline(false);
    if (fixed != nullptr) {
        simulation.fix_times(*fixed);
    }
    GapProgress::Asker asker(progress_, simulation);
    queue.set_watch(&asker);
    simulation.start();
    network.run(queue);
    queue.set_watch(nullptr);
    if (queue.stopped()) {
        throw GapStopped("the explanation was stopped");
    }
    if (!simulation.is_finished()) {
        // Throws, with the explanation.
        static_cast<void>(simulation.finish());
    }
    return times_of(simulation);
}

RunTimes Rungs::run(const engine::Workload& workload, Rung rung, const engine::FixedTimes* fixed,
                    const Wrap& wrap) {
    engine::EventQueue queue(machine_.dialect.event_order);
    const std::unique_ptr<engine::Network> network = network_of(rung, queue);
    if (!wrap) {
        return run(workload, queue, *network, fixed);
    }
    const std::unique_ptr<engine::Network> outer = wrap(*network, queue);
    return run(workload, queue, *outer, fixed);
}

RunTimes Rungs::replay(const engine::Workload& workload, const engine::FixedTimes& fixed) const {
    engine::EventQueue queue(machine_.dialect.event_order);
    NoNetwork network;
    return run(workload, queue, network, &fixed);
}

}  // namespace npunet::study
