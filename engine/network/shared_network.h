// One network that carries several simulations, each on NPUs of its own: jobs on one fabric. Each
// simulation gets a share, which is a network as it knows one; their messages meet on the links.
//
//     SharedNetwork shared(network);
//     Simulation first(..., queue, shared.add());
//     Simulation second(..., queue, shared.add());
//     first.start();
//     second.start();
//     network.run(queue);
//
// A share tells its simulation of that one's messages only, under the handles that it gave them.
// An NPU may pass from a simulation that is done with it to another: messages are counted by NPU,
// so that their ids stay unique.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/network/network.h"

namespace npunet::engine {

class SharedNetwork final : private MessageListener {
public:
    /// Becomes the listener of the network, which must outlive this.
    explicit SharedNetwork(Network& network);
    ~SharedNetwork();
    SharedNetwork(const SharedNetwork&) = delete;
    SharedNetwork& operator=(const SharedNetwork&) = delete;

    /// A share for a further simulation; lives as long as this. What it calls its links and packets
    /// are those of all. Errors that come of what it tells name the `job`, if that has a name.
    /// Where several processes share the simulations, they add them in the same order in all.
    [[nodiscard]] Network& add(std::string job = {});

    /// The deliveries of what a share has sent are not reported any more, and what it is given to
    /// send is dropped.
    void close(const Network& share);

private:
    class Share;

    /// A message of which something is still to be heard.
    struct InProgress {
        Share* share = nullptr;
        std::uint32_t handle = 0;  ///< as its sender knows it
        bool sent_is_due = false;
        bool delivered = false;
    };

    void send(Share& share, const Message& message);
    InProgress forget(std::uint32_t handle);

    void on_sent(std::uint32_t handle) override;
    void on_delivered(std::uint32_t handle, Time first_byte_left) override;
    MessageLabel label_of(std::uint32_t handle) override;
    void on_left(std::uint32_t handle) override;
    void on_delivered_from_afar(const MessageLabel& label, Bytes bytes,
                                Time first_byte_left) override;

    Network& network_;
    std::vector<std::unique_ptr<Share>> shares_;
    std::vector<InProgress> in_progress_;  ///< by handle on the network
    std::vector<std::uint32_t> free_;      ///< handles to be used again
    std::vector<std::uint64_t> sent_by_;   ///< messages per source so far
};

}  // namespace npunet::engine
