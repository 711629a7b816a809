#include "packet/make_packet_network.h"

#include <string>
#include <utility>
#include <vector>

#include "packet/credit/credit_network.h"
#include "packet/ethernet/ethernet_network.h"
#include "packet/tiers/tiered_network.h"
#include "topology/network/injection.h"
#include "topology/network/packet_checks.h"
#include "topology/network/scale_up.h"

namespace npunet {

namespace {

/// A packet network that settles before its counts are read. Where injection is limited, each NPU
/// gets a router, whose additional links are not reported.
class SettledNetwork final : public engine::Network {
public:
    SettledNetwork(const topology::NetworkDescription& description, engine::EventQueue& queue,
                   const PacketOptions& options)
        : links_(description.graph.links()) {
        if (Rate() < description.packet.injection) {
            split_ = std::make_unique<topology::NetworkDescription>(
                topology::with_injection(description, description.packet.injection));
        }
        level_ = packet::make_network(split_ ? *split_ : description, queue);
        level_->set_fast_forward(options.fast_forward);
        level_->set_threads(options.threads);
    }

    void record_load(engine::LinkLoadRecorder* load) override { level_->record_load(load); }

    void send(const engine::Message& message) override {
        level_->set_listener(*listener_);
        level_->send(message);
    }

    [[nodiscard]] bool sends_in_order(NodeId from, NodeId to) const override {
        return level_->sends_in_order(from, to);
    }

    [[nodiscard]] std::vector<engine::LinkUse> link_use() const override {
        level_->settle();
        std::vector<engine::LinkUse> uses = level_->link_use();
        uses.resize(links_);
        return uses;
    }

    [[nodiscard]] std::vector<engine::FlowUse> flow_use() const override {
        level_->settle();
        return level_->flow_use();
    }

    [[nodiscard]] engine::QueuePairLimits queue_pair_limits() const override {
        return level_->queue_pair_limits();
    }

    [[nodiscard]] std::uint64_t packet_hops() const override {
        if (split_ == nullptr) {
            level_->settle();
            return level_->packet_hops();
        }
        std::uint64_t hops = 0;
        for (const engine::LinkUse& use : link_use()) {
            hops += use.packets;
        }
        return hops;
    }

    [[nodiscard]] std::string explain_stall() const override { return level_->explain_stall(); }

    [[nodiscard]] engine::IdleLinks* idle_links() override {
        return split_ == nullptr ? level_->idle_links() : nullptr;
    }

    [[nodiscard]] bool prepare_scan() override { return level_->prepare_scan(); }

    void scan(engine::StateScan& scan, engine::MessageScanner& messages,
              engine::PendingEvents& events) override {
        level_->scan(scan, messages, events);
    }

private:
    std::size_t links_;                                    ///< without those of the routers
    std::unique_ptr<topology::NetworkDescription> split_;  ///< with routers; null: none needed
    std::unique_ptr<packet::PacketNetwork> level_;
};

}  // namespace

std::unique_ptr<engine::Network> make_packet_network(
    const topology::NetworkDescription& description, engine::EventQueue& queue,
    const PacketOptions& options) {
    return std::make_unique<SettledNetwork>(description, queue, options);
}

namespace packet {

std::unique_ptr<PacketNetwork> make_network(const topology::NetworkDescription& description,
                                            engine::EventQueue& queue, topology::Losses losses) {
    if (description.scale_up) {
        return std::make_unique<TieredNetwork>(description, queue, losses);
    }
    topology::check_transport(description, description.file, "packet", nullptr, losses);
    if (description.packet.flow_control == topology::FlowControl::Credit) {
        return std::make_unique<CreditNetwork>(description, queue);
    }
    return std::make_unique<EthernetNetwork>(description, queue, losses);
}

}  // namespace packet

}  // namespace npunet
