#include "study/gap/link_tap.h"

#include <algorithm>
#include <tuple>

namespace npunet::study {

class LinkTap::Listening final : public engine::Network, private engine::MessageListener {
public:
    Listening(LinkTap& tap, engine::Network& network, engine::EventQueue& queue)
        : tap_(tap), network_(network), queue_(queue) {
        network_.set_listener(*this);
    }

    void send(const engine::Message& message) override {
        tap_.sent(message, queue_.now());
        network_.send(message);
    }
    [[nodiscard]] std::vector<engine::LinkUse> link_use() const override {
        return network_.link_use();
    }
    [[nodiscard]] std::uint64_t packet_hops() const override { return network_.packet_hops(); }
    [[nodiscard]] bool sends_in_order(NodeId from, NodeId to) const override {
        return network_.sends_in_order(from, to);
    }
    [[nodiscard]] bool models_contention() const override { return network_.models_contention(); }
    [[nodiscard]] std::string explain_stall() const override { return network_.explain_stall(); }
    void run(engine::EventQueue& queue) override { network_.run(queue); }

private:
    void on_sent(std::uint32_t handle) override { listener_->on_sent(handle); }
    void on_delivered(std::uint32_t handle, Time first_byte_left) override {
        tap_.delivered(handle, queue_.now());
        listener_->on_delivered(handle, first_byte_left);
    }

    LinkTap& tap_;
    engine::Network& network_;
    engine::EventQueue& queue_;
};

LinkTap::LinkTap(const topology::NetworkDescription& network,
                 const CommunicationOf& communication_of)
    : communication_of_(communication_of),
      routes_(network),
      rank_of_npu_(network.npu_of_rank.size()) {
    for (std::size_t rank = 0; rank < rank_of_npu_.size(); ++rank) {
        rank_of_npu_[network.npu_of_rank[rank].index()] = Rank(rank);
    }
}

EffectLevels::Wrap LinkTap::wrap() {
    return [this](engine::Network& network, engine::EventQueue& queue) {
        return std::make_unique<Listening>(*this, network, queue);
    };
}

std::uint32_t LinkTap::communication_of(const engine::Message& message) const {
    // As the engine orders messages at their receiver: collectives by the operation of the receiver
    // or, where that is a switch, of the sender; sends, above 2^32, by their own.
    const bool is_send = (message.order_major >> 32) != 0;
    const bool to_switch = message.destination.index() >= rank_of_npu_.size();
    const NodeId owner = is_send || to_switch ? message.source : message.destination;
    const std::vector<std::uint32_t>& list = communication_of_[rank_of_npu_[owner.index()].index()];
    const auto number = static_cast<std::uint32_t>(message.order_major);
    return number < list.size() ? list[number] : none;
}

void LinkTap::sent(const engine::Message& message, Time now) {
    const std::uint32_t communication = communication_of(message);
    const std::uint32_t route = routes_.number(message.source, message.destination);
    if (message.handle >= in_progress_.size()) {
        in_progress_.resize(message.handle + std::size_t{1});
    }
    in_progress_[message.handle] = {route, communication};
    if (communication == none) {
        return;
    }
    for (const LinkId link : routes_.links(routes_[route])) {
        const std::uint64_t key = (static_cast<std::uint64_t>(link.value()) << 32) | communication;
        const auto [place, is_new] = on_link_.try_emplace(key);
        OnLink& here = place->second;
        if (is_new) {
            here.occupancy = {link, communication, now, now, Time()};
        }
        if (++here.in_progress == 2) {
            here.crowded_since = now;
        }
    }
}

void LinkTap::delivered(std::uint32_t handle, Time now) {
    const InProgress message = in_progress_[handle];
    if (message.communication == none) {
        return;
    }
    for (const LinkId link : routes_.links(routes_[message.route])) {
        OnLink& here =
            on_link_.at((static_cast<std::uint64_t>(link.value()) << 32) | message.communication);
        here.occupancy.to = now;
        if (here.in_progress-- == 2) {
            here.occupancy.crowded += now - here.crowded_since;
        }
    }
}

std::vector<LinkOccupancy> LinkTap::occupancies() const {
    std::vector<LinkOccupancy> list;
    list.reserve(on_link_.size());
    for (const auto& [key, here] : on_link_) {
        list.push_back(here.occupancy);
    }
    std::sort(list.begin(), list.end(), [](const LinkOccupancy& a, const LinkOccupancy& b) {
        return std::tuple(a.link.value(), a.from, a.communication) <
               std::tuple(b.link.value(), b.from, b.communication);
    });
    return list;
}

}  // namespace npunet::study
