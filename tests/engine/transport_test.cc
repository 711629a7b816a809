#include "engine/network/transport.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "topology/network/network_description.h"

namespace npunet::engine {
namespace {

/// A network in which the test says what happens to messages.
struct ManualNetwork final : Network {
    void send(const Message& message) override { handles.push_back(message.handle); }
    [[nodiscard]] std::vector<LinkUse> link_use() const override { return {}; }
    void sent(std::size_t message) { listener_->on_sent(handles[message]); }
    void delivered(std::size_t message) { listener_->on_delivered(handles[message], Time::ns(1)); }

    std::vector<std::uint32_t> handles;  ///< in the order of sending
};

/// Notes what it hears, and of which message.
struct Recorder final : MessageOwner {
    void on_sent(const MessageNote& note) override { heard += fmt::format("s{} ", note[0]); }
    void on_delivered(const MessageNote& note, Bytes, Time) override {
        heard += fmt::format("d{} ", note[0]);
    }
    [[nodiscard]] MessageLabel label_of(const MessageNote&) const override { return {}; }
    [[nodiscard]] MessageNote note_of(const MessageLabel&) override { return {}; }

    std::string heard;
};

struct TransportTest : testing::Test {
    TransportTest() : description(two_npus()), transport(network, description, queue) {}

    static topology::NetworkDescription two_npus() {
        topology::NetworkDescription description;
        description.graph.add_node(topology::NodeKind::Npu, "npu0");
        description.graph.add_node(topology::NodeKind::Npu, "npu1");
        description.npu_of_rank = {NodeId(0), NodeId(1)};
        return description;
    }

    void send(std::uint32_t number, bool wants_sent) {
        transport.send(Rank(0), Rank(1), Bytes(8), recorder, {number}, wants_sent,
                       Communication::SendReceive, {});
    }

    topology::NetworkDescription description;
    EventQueue queue;
    ManualNetwork network;
    Recorder recorder;
    Transport transport;
};

// A handle is in use until everything has been heard of its message, whichever comes first: with
// acknowledgements, `sent` comes after `delivered`, and later messages must not get the handle
// between the two. Afterwards it is used again.
TEST_F(TransportTest, KeepsAHandleUntilItsLastNotification) {
    send(0, true);
    network.delivered(0);
    send(1, true);
    EXPECT_NE(network.handles[1], network.handles[0]);
    network.sent(1);
    network.sent(0);
    network.delivered(1);
    EXPECT_EQ(recorder.heard, "d0 s1 s0 d1 ");
    EXPECT_EQ(transport.messages_delivered(), 2U);

    send(2, false);
    send(3, false);
    network.delivered(2);
    send(4, false);
    EXPECT_EQ(network.handles[4], network.handles[2]);
    for (std::size_t message = 2; message < 5; ++message) {
        EXPECT_LT(network.handles[message], 2U);
    }
}

}  // namespace
}  // namespace npunet::engine
