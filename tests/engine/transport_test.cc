#include "engine/network/transport.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "topology/network/network_description.h"

namespace npunet::engine::transport_test {
namespace {

/// A network in which the test says what happens to messages.
struct ManualNetwork final : Network {
    void send(const Message& message) override { handles.push_back(message.handle); }
    [[nodiscard]] std::vector<LinkUse> link_use() const override { return {}; }
    [[nodiscard]] bool sends_in_order(NodeId /*from*/, NodeId /*to*/) const override {
        return in_order;
    }
    void sent(std::size_t message) { listener_->on_sent(handles[message]); }
    void delivered(std::size_t message) { listener_->on_delivered(handles[message], Time::ns(1)); }

    std::vector<std::uint32_t> handles;  ///< in the order of sending
    bool in_order = false;
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

// Where messages share a port, each of a line is handed over when the one before has left; other
// lines do not wait for it, nor is anyone told of it. Elsewhere all go at once.
TEST_F(TransportTest, SendsALineOneAfterTheOther) {
    const auto send_in_turn = [&](std::uint32_t number, std::int32_t line) {
        transport.send_in_turn(Rank(0), Rank(1), Bytes(8), recorder, {number},
                               Communication::Broadcast, {}, line);
    };
    for (std::uint32_t number = 0; number < 3; ++number) {
        send_in_turn(number, 7);
    }
    send_in_turn(3, 8);
    EXPECT_EQ(network.handles.size(), 2U);
    network.sent(0);
    ASSERT_EQ(network.handles.size(), 3U);
    network.delivered(0);
    network.delivered(2);
    EXPECT_EQ(network.handles.size(), 3U);
    network.sent(2);
    ASSERT_EQ(network.handles.size(), 4U);
    network.sent(3);
    network.delivered(3);
    EXPECT_EQ(transport.lines(), 1U);  // of 8
    network.sent(1);
    EXPECT_EQ(transport.lines(), 0U);
    send_in_turn(4, 7);
    EXPECT_EQ(network.handles.size(), 5U);
    EXPECT_EQ(recorder.heard, "d0 d1 d2 ");

    network.in_order = true;
    send_in_turn(5, 9);
    send_in_turn(6, 9);
    EXPECT_EQ(network.handles.size(), 7U);
}

}  // namespace
}  // namespace npunet::engine::transport_test
