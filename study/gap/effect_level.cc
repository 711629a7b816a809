#include "study/gap/effect_level.h"

#include <memory>
#include <optional>
#include <utility>

#include "analytical/congestion_aware.h"
#include "analytical/congestion_unaware.h"
#include "analytical/fluid/fluid_network.h"
#include "engine/simulation/simulation.h"
#include "packet/make_packet_network.h"
#include "study/fidelity_network.h"
#include "study/idle_path_network.h"
#include "topology/network/scale_up.h"

namespace npunet::study {

namespace {

using report::Gap;

/// More than is ever in flight, and far from overflowing 64 bits.
constexpr Bytes boundless{std::int64_t{1} << 50};

bool controls_congestion(const topology::PacketParameters& packet) {
    return packet.flow_control != topology::FlowControl::Credit &&
           packet.transport.kind != topology::TransportKind::None &&
           packet.congestion_control.algorithm != topology::CongestionAlgorithm::None;
}

std::vector<Step> steps_from_messages(Fidelity fidelity, const Machine& machine) {
    switch (fidelity) {
        case Fidelity::Analytical:
            return {};
        case Fidelity::CongestionAware:
            return {{EffectLevel::WholeMessages, &Gap::latency},
                    {EffectLevel::MessageQueues, &Gap::contention}};
        case Fidelity::Fluid:
            return {{EffectLevel::Headers, &Gap::header},
                    {EffectLevel::IdlePaths, &Gap::latency},
                    {EffectLevel::FluidLinks, &Gap::contention},
                    {EffectLevel::FluidRun, &Gap::flow_control}};
        case Fidelity::Packet:
            break;
    }
    std::vector<Step> steps{{EffectLevel::Headers, &Gap::header},
                            {EffectLevel::IdlePaths, &Gap::latency},
                            {EffectLevel::SharedLinks, &Gap::contention},
                            {EffectLevel::FiniteBuffers, &Gap::flow_control}};
    if (controls_congestion(machine.network.packet)) {
        steps.push_back({EffectLevel::PacketRun, &Gap::congestion_control});
    }
    return steps;
}

/// Sends nothing.
class NoNetwork final : public engine::Network {
public:
    void send(const engine::Message&) override {}
    [[nodiscard]] std::vector<engine::LinkUse> link_use() const override { return {}; }
};

}  // namespace

std::vector<Step> levels_of(Fidelity fidelity, const Machine& machine) {
    std::vector<Step> steps = steps_from_messages(fidelity, machine);
    if (!steps.empty() && machine.system.library != nullptr) {
        steps.insert(steps.begin(), {EffectLevel::Messages, &Gap::contention});
    }
    return steps;
}

namespace {

bool has_own_description(EffectLevel level) {
    return level == EffectLevel::SharedLinks || level == EffectLevel::FiniteBuffers ||
           level == EffectLevel::FluidLinks;
}

}  // namespace

topology::NetworkDescription network_on(EffectLevel level,
                                        const topology::NetworkDescription& network) {
    topology::NetworkDescription changed = network;
    topology::PacketParameters& packet = changed.packet;
    if (level == EffectLevel::SharedLinks || level == EffectLevel::FluidLinks) {
        packet.buffer = boundless;
        packet.error_rate = 0;
        if (packet.flow_control != topology::FlowControl::Credit) {
            // With an unlimited buffer no link is ever paused, and nothing is dropped.
            packet.flow_control = topology::FlowControl::Pfc;
            packet.shared_buffer = topology::SharedBufferParameters();
        }
        // Reset entirely: settings without effect are rejected.
        packet.transport = topology::TransportParameters();
    }
    if (has_own_description(level)) {
        packet.congestion_control = topology::CongestionControlChoice();
    }
    if (network.scale_up && packet.buffer == boundless) {
        auto scale_up = std::make_shared<topology::ScaleUp>(*network.scale_up);
        scale_up->packet.buffer = boundless;
        scale_up->packet.error_rate = 0;
        changed.scale_up = std::move(scale_up);
    }
    return changed;
}

const topology::NetworkDescription& EffectLevels::description_of(EffectLevel level) {
    if (!has_own_description(level)) {
        return machine_.network;
    }
    std::unique_ptr<topology::NetworkDescription>& description =
        descriptions_[static_cast<std::size_t>(level)];
    if (description == nullptr) {
        description =
            std::make_unique<topology::NetworkDescription>(network_on(level, machine_.network));
    }
    return *description;
}

std::unique_ptr<engine::Network> EffectLevels::network_of(EffectLevel level,
                                                          engine::EventQueue& queue) {
    const topology::NetworkDescription& description = description_of(level);
    const engine::Dialect& dialect = machine_.dialect;
    switch (level) {
        case EffectLevel::Estimate:
            return std::make_unique<analytical::CongestionUnaware>(description, queue, dialect);
        case EffectLevel::Messages:
            return std::make_unique<IdlePathNetwork>(description, queue, dialect, std::nullopt);
        case EffectLevel::Headers:
            return std::make_unique<IdlePathNetwork>(description, queue, dialect,
                                                     IdlePath::Headers);
        case EffectLevel::IdlePaths:
            return std::make_unique<IdlePathNetwork>(description, queue, dialect,
                                                     IdlePath::Packets);
        case EffectLevel::WholeMessages:
            return std::make_unique<IdlePathNetwork>(description, queue, dialect,
                                                     IdlePath::WholeMessages);
        case EffectLevel::MessageQueues:
            return std::make_unique<analytical::CongestionAware>(description, queue, dialect);
        case EffectLevel::FluidLinks:
        case EffectLevel::FluidRun:
            return std::make_unique<analytical::FluidNetwork>(description, queue);
        default:
            break;
    }
    return make_packet_network(description, queue, packet_);
}

RunTimes EffectLevels::run(const engine::Workload& workload, engine::EventQueue& queue,
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

RunTimes EffectLevels::run(const engine::Workload& workload, EffectLevel level,
                           const engine::FixedTimes* fixed, const Wrap& wrap) {
    engine::EventQueue queue(machine_.dialect.event_order);
    const std::unique_ptr<engine::Network> network = network_of(level, queue);
    if (!wrap) {
        return run(workload, queue, *network, fixed);
    }
    const std::unique_ptr<engine::Network> outer = wrap(*network, queue);
    return run(workload, queue, *outer, fixed);
}

RunTimes EffectLevels::replay(const engine::Workload& workload,
                              const engine::FixedTimes& fixed) const {
    engine::EventQueue queue(machine_.dialect.event_order);
    NoNetwork network;
    return run(workload, queue, network, &fixed);
}

}  // namespace npunet::study
