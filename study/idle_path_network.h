// The quick estimate with the costs that a message has on an idle network of a more detailed
// fidelity: its headers, and being stored on its way, in packets or whole.
//
//     IdlePathNetwork network(description, queue, dialect, IdlePath::Packets);
//
// A message is sent through analytical::CongestionUnaware, with the headers of its packets, and
// delivered later by what its route costs more than there on an idle network
// (topology/network/idle_path.h).
#pragma once

#include <optional>
#include <vector>

#include "analytical/congestion_unaware.h"
#include "engine/machine/dialect.h"
#include "engine/network/network.h"
#include "topology/network/idle_path.h"
#include "topology/network/network_description.h"

namespace npunet::study {

using topology::IdlePath;

class IdlePathNetwork final : public engine::Network,
                              private engine::EventHandler,
                              private engine::MessageListener {
public:
    /// The references must outlive the network. Without a path: the estimate's own costs.
    IdlePathNetwork(const topology::NetworkDescription& description, engine::EventQueue& queue,
                    const engine::Dialect& dialect, std::optional<IdlePath> path);

    void send(const engine::Message& message) override;
    /// The estimate does not, but collectives of a library would then take their closed form, which
    /// has neither headers nor paths.
    [[nodiscard]] bool models_contention() const override { return true; }
    [[nodiscard]] std::vector<engine::LinkUse> link_use() const override {
        return estimate_.link_use();
    }

private:
    struct Late {
        Time by;
        Time first_byte_left;
    };

    void handle(std::uint64_t payload) override;
    void on_sent(std::uint32_t handle) override { listener_->on_sent(handle); }
    void on_delivered(std::uint32_t handle, Time first_byte_left) override;

    const topology::NetworkDescription& description_;
    engine::EventQueue& queue_;
    std::optional<IdlePath> path_;
    analytical::CongestionUnaware estimate_;
    std::vector<Late> late_;  ///< by handle
};

}  // namespace npunet::study
