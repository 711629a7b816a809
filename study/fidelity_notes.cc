#include "study/fidelity_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "topology/parameters/congestion_control.h"

namespace npunet::study {

namespace {

/// HPCC's target utilisation is modelled, and how far windows let queues grow.
std::vector<std::string> left_out_of_fluid(const topology::NetworkDescription& network) {
    const topology::PacketParameters& packet = network.packet;
    std::vector<std::string> parts;
    if (packet.congestion_control.algorithm != topology::CongestionAlgorithm::None) {
        parts.push_back(fmt::format("how {} finds its rates", name_of(packet.congestion_control)));
    }
    if (packet.flow_control == topology::FlowControl::None) {
        parts.emplace_back("drops of packets");
    }
    if (packet.error_rate > 0) {
        parts.emplace_back(packet.flow_control == topology::FlowControl::Credit
                               ? "which packets are corrupted (their mean number counts)"
                               : "errors of links");
    }
    if (packet.speedup > 0) {
        parts.emplace_back("the limit of what leaves an input (speedup)");
    }
    if (packet.arbitration == topology::Arbitration::Oldest) {
        parts.emplace_back("arbitration by age");
    }
    if (packet.transport.start_jitter > Time()) {
        parts.emplace_back("start jitter");
    }
    if (network.scale_up) {
        parts.emplace_back(
            "that NPUs relay messages between scale-up links and others, and that these take turns "
            "on the former");
    }
    if (network.multipath) {
        parts.push_back(
            fmt::format("routes of single packets (routing {})", network.routing_name()));
    }
    return parts;
}

}  // namespace

std::string fidelity_note(const Machine& machine, Fidelity fidelity) {
    if (fidelity == Fidelity::CongestionAware && !machine.dialect.whole_nanoseconds) {
        return fmt::format(
            "congestion-aware stores whole messages at every hop, where packets go on before the "
            "rest has arrived; {} lets messages share links as packets do",
            machine.network.faults.links.empty() ? "fluid" : "packet");
    }
    if (fidelity != Fidelity::Fluid) {
        return {};
    }
    const std::vector<std::string> parts = left_out_of_fluid(machine.network);
    if (parts.empty()) {
        return {};
    }
    return fmt::format("fluid leaves out {}; packet has {}", fmt::join(parts, ", "),
                       parts.size() == 1 ? "it" : "them");
}

}  // namespace npunet::study
