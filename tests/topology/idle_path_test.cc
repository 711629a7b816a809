// The time of a message alone on its path, against numbers worked out by hand: links of 1 byte a
// nanosecond and 5 ns, packets of up to 100 bytes and 10 of header.

#include "topology/network/idle_path.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/topology/networks.h"

namespace npunet::topology {
namespace {

/// A line of NPUs with these rates between them, in bytes a nanosecond.
NetworkDescription line_of(const std::vector<std::int64_t>& rates) {
    NetworkDescription network;
    for (std::size_t i = 0; i <= rates.size(); ++i) {
        network.graph.add_node(NodeKind::Npu, "npu" + std::to_string(i));
    }
    for (std::size_t i = 0; i < rates.size(); ++i) {
        network.graph.add_link(
            {NodeId(i), NodeId(i + 1), Rate(rates[i] * 1'000'000'000), Time::ns(5)});
    }
    network.packet.mtu = Bytes(100);
    network.packet.header = Bytes(10);
    return network;
}

Time time_of(const NetworkDescription& network, std::int64_t bytes,
             IdlePath path = IdlePath::Packets) {
    std::vector<Hop> hops;
    for (std::size_t i = 0; i < network.graph.links(); ++i) {
        hops.push_back(Hop{LinkId(i), 0});
    }
    return idle_path_time(network, hops, Bytes(bytes), path);
}

TEST(IdlePath, EveryPacketHasAHeader) {
    const PacketParameters packet = line_of({1}).packet;
    EXPECT_EQ(bytes_with_headers(Bytes(0), packet), Bytes(10)) << "a packet without content";
    EXPECT_EQ(bytes_with_headers(Bytes(1), packet), Bytes(11));
    EXPECT_EQ(bytes_with_headers(Bytes(100), packet), Bytes(110));
    EXPECT_EQ(bytes_with_headers(Bytes(101), packet), Bytes(110 + 11));
    EXPECT_EQ(bytes_with_headers(Bytes(200), packet), Bytes(220));
    EXPECT_EQ(bytes_with_headers(Bytes(250), packet), Bytes(280));
}

// 2^56 bytes on links of 1 GB/s are 833 days, which no clock has; nor 2^56 packets of 101 bytes.
TEST(IdlePath, EndsWithTheClock) {
    NetworkDescription network = line_of({1, 1, 1});
    const std::int64_t bytes = std::int64_t{1} << 56;
    for (const Switching switching : {Switching::StoreAndForward, Switching::CutThrough}) {
        network.packet.switching = switching;
        EXPECT_EQ(time_of(network, bytes), Time::max());
    }
    for (const IdlePath path : {IdlePath::WholeMessages, IdlePath::Headers}) {
        EXPECT_EQ(time_of(network, bytes, path), Time::max());
    }
    network.packet.mtu = Bytes(1);
    EXPECT_EQ(time_of(network, bytes), Time::max());
    network.packet.header = Bytes(100);
    EXPECT_EQ(bytes_with_headers(Bytes(bytes), network.packet),
              Bytes((std::int64_t{1} << 62) + 101));
}

// What has neither content nor header still is a byte.
TEST(IdlePath, NoPacketIsShorterThanAByte) {
    PacketParameters packet;
    packet.mtu = Bytes(1);
    packet.header = Bytes(0);
    EXPECT_EQ(bytes_with_headers(Bytes(0), packet), Bytes(1));
    EXPECT_EQ(bytes_with_headers(Bytes(2), packet), Bytes(2));
    NetworkDescription network = line_of({1, 1});
    network.packet.header = Bytes(0);
    network.packet.switching = Switching::CutThrough;
    EXPECT_EQ(time_of(network, 100), Time::ns(1 + 5 + 100 + 5));
}

TEST(IdlePath, PacketsFollowEachOtherOnALink) {
    const NetworkDescription network = line_of({1});
    EXPECT_EQ(time_of(network, 100), Time::ns(110 + 5));
    EXPECT_EQ(time_of(network, 150), Time::ns(110 + 60 + 5));
    EXPECT_EQ(time_of(network, 250), Time::ns(110 + 110 + 60 + 5));
    EXPECT_EQ(time_of(network, 400), Time::ns(4 * 110 + 5));
}

// Packets of 110, 110 and 60 bytes. Over equal links the first is at the second one at 115 ns, and
// the others follow it there without a gap; so they do behind a faster link, from 60 ns on.
TEST(IdlePath, PacketsAreStoredAndForwarded) {
    EXPECT_EQ(time_of(line_of({1, 1}), 100), Time::ns(2 * (110 + 5)));
    EXPECT_EQ(time_of(line_of({2, 1}), 250), Time::ns(55 + 5 + 110 + 110 + 60 + 5));
    EXPECT_EQ(time_of(line_of({1, 1}), 250), Time::ns(110 + 5 + 110 + 110 + 60 + 5));
    EXPECT_EQ(time_of(line_of({2, 1}), 150), Time::ns(55 + 5 + 110 + 60 + 5));
}

// Cut through: a packet goes on when its header of 10 bytes is in, onto a faster link no earlier
// than that it does not run dry there.
TEST(IdlePath, PacketsAreCutThrough) {
    NetworkDescription network = line_of({1, 1});
    network.packet.switching = Switching::CutThrough;
    EXPECT_EQ(time_of(network, 100), Time::ns(10 + 5 + 110 + 5));
    NetworkDescription faster = line_of({1, 2});
    faster.packet.switching = Switching::CutThrough;
    EXPECT_EQ(time_of(faster, 100), Time::ns(55 + 5 + 55 + 5));
}

TEST(IdlePath, WithoutPackets) {
    const NetworkDescription network = line_of({1, 2});
    EXPECT_EQ(time_of(network, 100, IdlePath::Headers), Time::ns(5 + 5 + 100));
    EXPECT_EQ(time_of(network, 100, IdlePath::WholeMessages), Time::ns(5 + 100 + 5 + 50));
    EXPECT_EQ(idle_path_time(network, {}, Bytes(100), IdlePath::Packets), Time());
}

}  // namespace
}  // namespace npunet::topology
