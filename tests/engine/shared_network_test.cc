#include "engine/network/shared_network.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "tests/support/refusals.h"

namespace npunet::engine::shared_network_test {
namespace {

/// A network in which the test says what happens to messages.
struct ManualNetwork final : Network {
    void send(const Message& message) override { messages.push_back(message); }
    [[nodiscard]] std::vector<LinkUse> link_use() const override { return {LinkUse{}}; }
    [[nodiscard]] std::uint64_t packet_hops() const override { return 7; }
    [[nodiscard]] std::string explain_stall() const override { return "stuck"; }

    [[nodiscard]] MessageListener& listener() { return *listener_; }
    void sent(std::size_t message) { listener_->on_sent(messages[message].handle); }
    void delivered(std::size_t message) {
        listener_->on_delivered(messages[message].handle, Time::ns(1));
    }

    std::vector<Message> messages;  ///< in the order of sending
};

/// Sends by a share under handles of its own, and notes what it hears.
struct Simulated final : MessageListener {
    explicit Simulated(Network& own) : share(own) { share.set_listener(*this); }

    void send(std::uint32_t handle, bool wants_sent = false, std::int32_t source = 0) {
        Message message;
        message.source = NodeId(source);
        message.destination = NodeId(source + 1);
        message.handle = handle;
        message.wants_sent = wants_sent;
        share.send(message);
    }
    void on_sent(std::uint32_t handle) override { heard += fmt::format("s{} ", handle); }
    void on_delivered(std::uint32_t handle, Time first_byte_left) override {
        EXPECT_EQ(first_byte_left, Time::ns(1));
        heard += fmt::format("d{} ", handle);
        if (fails) {
            throw InputError({"trace of rank 3", "", "a size", "another", ""});
        }
    }
    MessageLabel label_of(std::uint32_t handle) override { return {{handle, 5}}; }
    void on_left(std::uint32_t handle) override { heard += fmt::format("l{} ", handle); }
    void on_delivered_from_afar(const MessageLabel& label, Bytes bytes, Time) override {
        heard += fmt::format("a{}.{}.{} ", label.words[0], label.words[1], bytes.value());
    }

    Network& share;
    std::string heard;
    bool fails = false;
};

struct SharedNetworkTest : testing::Test {
    ManualNetwork network;
    SharedNetwork shared{network};
    Simulated a{shared.add("job 'a'")};
    Simulated b{shared.add("job 'b'")};
};

// Both simulations use the handles 0 and 1; each hears of its own messages, under its handles.
TEST_F(SharedNetworkTest, TellsEachSimulationOfItsMessages) {
    a.send(0, true);
    b.send(0);
    b.send(1, true, 4);
    a.send(1);
    std::set<std::uint32_t> handles;
    for (const Message& message : network.messages) {
        handles.insert(message.handle);
    }
    EXPECT_EQ(handles, (std::set<std::uint32_t>{0, 1, 2, 3}));
    network.delivered(1);
    network.sent(0);
    network.delivered(3);
    network.delivered(2);
    network.delivered(0);
    network.sent(2);
    EXPECT_EQ(a.heard, "s0 d1 d0 ");
    EXPECT_EQ(b.heard, "d0 d1 s1 ");
}

// A handle on the network is used again when all has been heard of its message, not before: with a
// transport `sent` comes last.
TEST_F(SharedNetworkTest, UsesHandlesAgain) {
    a.send(0, true);
    network.delivered(0);
    b.send(0);
    EXPECT_NE(network.messages[1].handle, network.messages[0].handle);
    network.sent(0);
    a.send(0);
    EXPECT_EQ(network.messages[2].handle, network.messages[0].handle);
    network.delivered(2);
    network.delivered(1);
    EXPECT_EQ(a.heard, "d0 s0 d0 ");
    EXPECT_EQ(b.heard, "d0 ");
}

// The k-th message of an NPU has the number k, whichever simulation the NPU belongs to by then: ids
// are unique.
TEST_F(SharedNetworkTest, CountsMessagesByNpu) {
    a.send(0, false, 2);
    a.send(1, false, 2);
    b.send(0, false, 5);
    shared.close(a.share);
    b.send(1, false, 2);
    const auto id = [&](std::size_t i) { return network.messages[i].id.value(); };
    EXPECT_EQ(id(0), MessageId(NodeId(2), 0).value());
    EXPECT_EQ(id(1), MessageId(NodeId(2), 1).value());
    EXPECT_EQ(id(2), MessageId(NodeId(5), 0).value());
    EXPECT_EQ(id(3), MessageId(NodeId(2), 2).value());
}

// What a closed share has sent ends unheard, and is not mistaken for a message of a later one that
// has the same handle; what it is given to send is dropped.
TEST_F(SharedNetworkTest, AClosedShareIsNotReported) {
    a.send(0, true);
    a.send(1);
    shared.close(a.share);
    a.send(2);
    EXPECT_EQ(network.messages.size(), 2U);
    Simulated c(shared.add());
    c.send(0);
    network.delivered(0);
    network.sent(0);
    network.delivered(1);
    network.delivered(2);
    EXPECT_EQ(a.heard, "");
    EXPECT_EQ(b.heard, "");
    EXPECT_EQ(c.heard, "d0 ");
    // Both handles are free again.
    c.send(1);
    c.send(2);
    EXPECT_LT(network.messages[3].handle, 3U);
    EXPECT_LT(network.messages[4].handle, 3U);
    EXPECT_NE(network.messages[3].handle, network.messages[4].handle);
}

// Between processes a message says which share it is for; the shares of a process have the numbers
// in which they were added.
TEST_F(SharedNetworkTest, LabelsNameTheShare) {
    ManualNetwork elsewhere;
    SharedNetwork other(elsewhere);
    Simulated far_a(other.add());
    Simulated far_b(other.add());
    b.send(9, true);
    const std::uint32_t handle = network.messages[0].handle;
    const MessageLabel label = network.listener().label_of(handle);
    network.sent(0);
    network.listener().on_left(handle);
    elsewhere.listener().on_delivered_from_afar(label, Bytes(100), Time());
    EXPECT_EQ(b.heard, "s9 l9 ");
    EXPECT_EQ(far_b.heard, "a9.5.100 ");
    EXPECT_EQ(far_a.heard, "");
    a.send(0);
    EXPECT_EQ(network.messages[1].handle, handle) << "who has left is forgotten";
    other.close(far_b.share);
    elsewhere.listener().on_delivered_from_afar(label, Bytes(100), Time());
    EXPECT_EQ(far_b.heard, "a9.5.100 ");
}

TEST_F(SharedNetworkTest, SharesTellWhatTheNetworkTells) {
    EXPECT_EQ(a.share.link_use().size(), 1U);
    EXPECT_EQ(a.share.packet_hops(), 7U);
    EXPECT_EQ(b.share.explain_stall(), "stuck");
}

// An error that a delivery brings to light says in which job.
TEST_F(SharedNetworkTest, ErrorsNameTheJob) {
    b.fails = true;
    b.send(0);
    EXPECT_EQ(test::problem_of([this] { network.delivered(0); }).file, "job 'b', trace of rank 3");
}

}  // namespace
}  // namespace npunet::engine::shared_network_test
