#include "engine/network/shared_network.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/network/named_errors.h"

namespace npunet::engine {

/// What one simulation sees of the network.
class SharedNetwork::Share final : public Network {
public:
    Share(SharedNetwork& shared, std::uint32_t number, std::string job)
        : shared_(shared), number_(number), job_(std::move(job)) {}

    void send(const Message& message) override {
        if (open_) {
            shared_.send(*this, message);
        }
    }
    [[nodiscard]] bool sends_in_order(NodeId from, NodeId to) const override {
        return shared_.network_.sends_in_order(from, to);
    }
    [[nodiscard]] bool models_contention() const override {
        return shared_.network_.models_contention();
    }
    [[nodiscard]] std::vector<LinkUse> link_use() const override {
        return shared_.network_.link_use();
    }
    [[nodiscard]] std::uint64_t packet_hops() const override {
        return shared_.network_.packet_hops();
    }
    [[nodiscard]] std::string explain_stall() const override {
        return shared_.network_.explain_stall();
    }
    void run(EventQueue& queue) override { shared_.network_.run(queue); }

    [[nodiscard]] std::uint32_t number() const { return number_; }
    void close() { open_ = false; }

    /// Calls `tell` with the listener, while there is one.
    template <class Tell>
    void tell(const Tell& tell) {
        if (open_) {
            naming_errors(job_, [&] { tell(*listener_); });
        }
    }

private:
    SharedNetwork& shared_;
    std::uint32_t number_;
    std::string job_;
    bool open_ = true;
};

SharedNetwork::SharedNetwork(Network& network) : network_(network) {
    network.set_listener(*this);
}

SharedNetwork::~SharedNetwork() = default;

Network& SharedNetwork::add(std::string job) {
    const auto number = static_cast<std::uint32_t>(shares_.size());
    shares_.push_back(std::make_unique<Share>(*this, number, std::move(job)));
    return *shares_.back();
}

void SharedNetwork::close(const Network& share) {
    const auto place = std::find_if(shares_.begin(), shares_.end(),
                                    [&](const auto& own) { return own.get() == &share; });
    assert(place != shares_.end() && "a share of another network");
    (*place)->close();
}

void SharedNetwork::send(Share& share, const Message& message) {
    Message shared = message;
    if (free_.empty()) {
        shared.handle = static_cast<std::uint32_t>(in_progress_.size());
        in_progress_.emplace_back();
    } else {
        shared.handle = free_.back();
        free_.pop_back();
    }
    in_progress_[shared.handle] = {&share, message.handle, message.wants_sent, false};
    const std::size_t source = message.source.index();
    if (source >= sent_by_.size()) {
        sent_by_.resize(source + 1);
    }
    shared.id = MessageId(message.source, sent_by_[source]++);
    network_.send(shared);
}

SharedNetwork::InProgress SharedNetwork::forget(std::uint32_t handle) {
    free_.push_back(handle);
    return in_progress_[handle];
}

void SharedNetwork::on_sent(std::uint32_t handle) {
    in_progress_[handle].sent_is_due = false;
    const InProgress message =
        in_progress_[handle].delivered ? forget(handle) : in_progress_[handle];
    message.share->tell([&](MessageListener& listener) { listener.on_sent(message.handle); });
}

void SharedNetwork::on_delivered(std::uint32_t handle, Time first_byte_left) {
    in_progress_[handle].delivered = true;
    const InProgress message =
        in_progress_[handle].sent_is_due ? in_progress_[handle] : forget(handle);
    message.share->tell(
        [&](MessageListener& listener) { listener.on_delivered(message.handle, first_byte_left); });
}

MessageLabel SharedNetwork::label_of(std::uint32_t handle) {
    const InProgress& message = in_progress_[handle];
    MessageLabel label;
    message.share->tell(
        [&](MessageListener& listener) { label = listener.label_of(message.handle); });
    label.share = message.share->number();
    return label;
}

void SharedNetwork::on_left(std::uint32_t handle) {
    const InProgress message = forget(handle);
    message.share->tell([&](MessageListener& listener) { listener.on_left(message.handle); });
}

void SharedNetwork::on_delivered_from_afar(const MessageLabel& label, Bytes bytes,
                                           Time first_byte_left) {
    shares_[label.share]->tell([&](MessageListener& listener) {
        listener.on_delivered_from_afar(label, bytes, first_byte_left);
    });
}

}  // namespace npunet::engine
