// The keys flow_control, transport, ecn and pfc of a network.yml.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/refusals.h"
#include "topology/network/network_description.h"
#include "topology/yaml/network_reader.h"
#include "topology/yaml/packet_presets.h"

namespace npunet::topology::transport_section_test {
namespace {

using testing::HasSubstr;

NetworkDescription network(const std::string& entries, const std::string& rest = "") {
    return parse_network(
        "topology: [Ring]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [500]\npacket: {" + entries +
            "}\n" + rest,
        "net.yml");
}

std::vector<std::string> warnings(const std::string& entries) {
    std::vector<std::string> said;
    // On a ring of four, pauses have a warning of their own (pause_cycle_test.cc).
    static_cast<void>(parse_network(
        "topology: [Ring]\nnpus_count: [3]\nbandwidth: [50]\nlatency: [500]\npacket: {" + entries +
            "}\n",
        "net.yml", &said));
    return said;
}

std::string refusal(const std::string& entries, const std::string& rest = "") {
    return test::message_of<InputError>([&] { return network(entries, rest); });
}

TEST(TransportSection, PresetsGiveWayToTheSection) {
    const PacketParameters roce = network("preset: roce-2025").packet;
    EXPECT_EQ(roce.flow_control, FlowControl::Pfc);
    EXPECT_EQ(roce.transport.kind, TransportKind::GoBackN);
    EXPECT_EQ(roce.ecn.kmin, Bytes(150'000));
    EXPECT_EQ(roce.ecn.kmax, Bytes(1'500'000));
    EXPECT_EQ(roce.ecn.per, Rate());
    EXPECT_FALSE(roce.congestion_control.scaled);
    EXPECT_EQ(value_of(roce.congestion_control, "rate_ai"), 625'000);
    EXPECT_EQ(value_of(roce.congestion_control, "byte_counter"), 32767 * 64);
    EXPECT_EQ(value_of(roce.congestion_control, "min_rate"), 12'500'000);
    EXPECT_EQ(value_of(roce.congestion_control, "gain"), 5.0 / 1024);
    EXPECT_EQ(preset_parameters("roce-2025").congestion_control.values,
              roce.congestion_control.values);

    const PacketParameters lossy = network("preset: ethernet-lossy").packet;
    EXPECT_EQ(lossy.flow_control, FlowControl::None);
    EXPECT_EQ(lossy.transport.kind, TransportKind::SelectiveRepeat);

    // Keys of the section, within its maps too, and another algorithm.
    const PacketParameters own =
        network("preset: roce-2025, ecn: {kmax: 1MB}, dcqcn: {rate_ai: 50Mbps}, mtu: 1KB").packet;
    EXPECT_EQ(own.ecn.kmin, Bytes(150'000));
    EXPECT_EQ(own.ecn.kmax, Bytes(1'000'000));
    EXPECT_EQ(own.mtu, Bytes(1000));
    EXPECT_EQ(value_of(own.congestion_control, "rate_ai"), 6'250'000);
    EXPECT_EQ(value_of(own.congestion_control, "rate_hai"), 6'250'000);
    const PacketParameters hpcc =
        network("preset: roce-2025, congestion_control: hpcc, ecn: {}").packet;
    EXPECT_EQ(hpcc.congestion_control.algorithm, CongestionAlgorithm::Hpcc);

    EXPECT_THAT(refusal("preset: roce-2024"),
                HasSubstr("line 5, packet.preset: found 'roce-2024'"));
    EXPECT_THAT(refusal("preset: roce-2025, mtu: fast"), HasSubstr("line 5, packet.mtu"));
    EXPECT_THAT(refusal("preset: roce-2025, flow_control: credit"), HasSubstr("credit"));
}

TEST(TransportSection, ReadsEveryKey) {
    const PacketParameters packet =
        network(
            "flow_control: none, transport: {kind: selective-repeat, window: 1MiB, ack_every: 4, "
            "rto: 200us, retries: 7, reordering: 3, start_jitter: 1.5us}, "
            "ecn: {kmin: 5KB, kmax: 200KB, pmax: 0.01, per: 40Gbps}, "
            "pfc: {alpha: 0.125, headroom: 64KiB}")
            .packet;
    EXPECT_EQ(packet.flow_control, FlowControl::None);
    EXPECT_EQ(packet.transport.kind, TransportKind::SelectiveRepeat);
    EXPECT_EQ(packet.transport.window, Bytes(1 << 20));
    EXPECT_EQ(packet.transport.ack_every, 4);
    EXPECT_EQ(packet.transport.rto, Time::ns(200'000));
    EXPECT_EQ(packet.transport.retries, 7);
    EXPECT_EQ(packet.transport.reordering, 3);
    EXPECT_EQ(packet.transport.start_jitter, Time::ns(1500));
    EXPECT_EQ(network("flow_control: pfc, transport: {kind: go-back-n, retries: unlimited}")
                  .packet.transport.retries,
              0);
    EXPECT_EQ(packet.ecn.kmin, Bytes(5000));
    EXPECT_EQ(packet.ecn.kmax, Bytes(200'000));
    EXPECT_EQ(packet.ecn.pmax, 0.01);
    EXPECT_EQ(packet.ecn.per, Rate(5'000'000'000));
    EXPECT_EQ(packet.shared_buffer.alpha, 0.125);
    EXPECT_EQ(packet.shared_buffer.headroom, Bytes(64 * 1024));
}

TEST(TransportSection, HasDefaults) {
    const PacketParameters packet = network("flow_control: pfc, transport: go-back-n").packet;
    EXPECT_EQ(packet.flow_control, FlowControl::Pfc);
    EXPECT_EQ(packet.transport.kind, TransportKind::GoBackN);
    EXPECT_EQ(packet.transport.window, Bytes(0));
    EXPECT_EQ(packet.transport.ack_every, 1);
    EXPECT_EQ(packet.transport.rto, Time());
    EXPECT_EQ(packet.transport.retries, 32);
    EXPECT_EQ(packet.transport.reordering, -1);
    EXPECT_EQ(packet.transport.start_jitter, Time());
    EXPECT_EQ(network("flow_control: none, transport: {kind: go-back-n, start_jitter: 0ns}")
                  .packet.transport.start_jitter,
              Time());
    EXPECT_EQ(packet.ecn.kmin, Bytes(20 * 1024));
    EXPECT_EQ(packet.ecn.kmax, Bytes(80 * 1024));
    const auto kmax_of = [](const std::string& ecn) {
        return network("flow_control: pfc, transport: go-back-n, ecn: " + ecn).packet.ecn.kmax;
    };
    EXPECT_EQ(kmax_of("{kmin: 5KiB}"), Bytes(80 * 1024));
    EXPECT_EQ(kmax_of("{kmin: 100KiB}"), Bytes(400 * 1024));
    EXPECT_EQ(kmax_of("{kmin: 100KiB, kmax: 150KiB}"), Bytes(150 * 1024));
    const auto kmin_of = [](const std::string& ecn) {
        return network("flow_control: pfc, transport: go-back-n, ecn: " + ecn).packet.ecn.kmin;
    };
    EXPECT_EQ(kmin_of("{kmax: 10KiB}"), Bytes(2560));
    EXPECT_EQ(kmin_of("{kmax: 0}"), Bytes(0));
    EXPECT_EQ(kmin_of("{kmax: 80KiB}"), Bytes(20 * 1024));
    EXPECT_EQ(kmin_of("{kmax: 400KiB}"), Bytes(20 * 1024));
    EXPECT_EQ(kmin_of("{kmin: 8KiB, kmax: 10KiB}"), Bytes(8 * 1024));
    EXPECT_EQ(packet.ecn.per, Rate(3'125'000'000));
    EXPECT_EQ(network("mtu: 4096").packet.flow_control, FlowControl::Credit);
    EXPECT_EQ(network("flow_control: pfc, ecn: {per: link}, transport: go-back-n").packet.ecn.per,
              Rate());
}

// What no packet could pass is refused where it stands, for every fidelity.
TEST(TransportSection, RefusesRoomsWithoutRoomForAPacket) {
    EXPECT_THAT(refusal("flow_control: pfc, pfc: {headroom: 4159}"),
                HasSubstr("net.yml: line 5, packet.pfc.headroom: found 4159 bytes; expected room "
                          "for at least one packet, 4160 bytes"));
    EXPECT_EQ(refusal("flow_control: pfc, pfc: {headroom: 4160}"), "no error");
    EXPECT_THAT(
        refusal("flow_control: none, transport: go-back-n, buffer: 5000, pfc: {alpha: 0.5}"),
        HasSubstr("net.yml: line 5, packet.buffer: found 5000 bytes in npu0, of which a "
                  "queue may have 0.5 times what is free; expected room"));
    EXPECT_EQ(refusal("flow_control: none, transport: go-back-n, buffer: 8320, pfc: {alpha: 0.5}"),
              "no error");
    EXPECT_THAT(refusal("flow_control: none, transport: go-back-n, mtu: 8192, pfc: {alpha: 0.001}"),
                HasSubstr("net.yml: line 5, packet.pfc.alpha: found 4194304 bytes in npu0"));
}

// Without credits there are no virtual channels that classes could have too many of.
TEST(TransportSection, ClassesNeedNoVirtualChannels) {
    const std::string torus =
        "topology: [Torus2D]\nnpus_count: [16]\nbandwidth: [50]\nlatency: [500]\n"
        "faults: [{link: [0, 1], at: 1us, bandwidth_factor: 0}]\n";
    const auto eight = [&](const std::string& control) {
        return test::message_of<InputError>([&] {
            return parse_network(
                torus + "packet: {classes: 8, routing: adaptive, " + control + "}\n", "net.yml");
        });
    };
    EXPECT_EQ(eight("flow_control: pfc, transport: go-back-n"), "no error");
    EXPECT_EQ(eight("flow_control: credit"), "no error");
    EXPECT_THAT(
        eight("virtual_channels: 5"),
        HasSubstr("net.yml: line 6, packet.classes: found 8 classes of 5 virtual channels"));
}

// Of two parallel links each needs one back of its own.
TEST(TransportSection, PausesNeedALinkBack) {
    const auto pfc = [](const std::string& links, const std::string& control) {
        return test::message_of<InputError>([&] {
            return parse_network(
                "Custom:\n  nodes: [{name: a, kind: npu}, {name: b, kind: npu}, "
                "{name: c, kind: npu}]\n  links: [" +
                    links + "]\npacket: {flow_control: " + control + "}\n",
                "net.yml");
        });
    };
    const auto link = [](const std::string& ends, const std::string& more = "") {
        return "{" + ends + ", bandwidth: 50, latency: 500" + more + "}";
    };
    const std::string ring = link("from: a, to: b", ", both: false") + ", " +
                             link("from: b, to: c", ", both: false") + ", " +
                             link("from: c, to: a", ", both: false");
    const std::string line = link("from: a, to: b", ", count: 2") + ", " + link("from: b, to: c");
    EXPECT_EQ(pfc(ring, "credit"), "no error");
    EXPECT_THAT(pfc(ring, "pfc"),
                HasSubstr("net.yml: line 4, packet.flow_control: found pfc, and no link back for a "
                          "-> b; expected a link back"));
    EXPECT_EQ(pfc(line, "pfc"), "no error");
    EXPECT_THAT(pfc(line + ", " + link("from: b, to: a", ", both: false"), "pfc"),
                HasSubstr("no link back for b -> a"));
}

// The buffer of a node adds up those of its links, 16 x 128 KiB for each of 400 Gb/s; an explicit
// one is per node. At 40 Gb/s the minimum of 256 KiB per link is larger.
TEST(TransportSection, SharesTheBuffersOfTheLinksOfANode) {
    EXPECT_EQ(network("flow_control: pfc").shared_buffer_of(NodeId(0)), Bytes(2 * 2048 * 1024));
    const NetworkDescription slow = parse_network(
        "topology: [Ring]\nnpus_count: [4]\nbandwidth: [5]\nlatency: [500]\n", "net.yml");
    EXPECT_EQ(slow.shared_buffer_of(NodeId(0)), slow.buffer_of(LinkId(0)) + Bytes(256 * 1024));
    EXPECT_EQ(network("flow_control: pfc, buffer: 1MiB").shared_buffer_of(NodeId(0)),
              Bytes(1 << 20));
}

TEST(TransportSection, RefusesContradictions) {
    EXPECT_THAT(refusal("transport: go-back-n"), HasSubstr("with flow_control: credit"));
    EXPECT_THAT(refusal("flow_control: none"), HasSubstr("flow_control: none without a transport"));
    EXPECT_THAT(refusal("flow_control: pfc, error_rate: 0.1"),
                HasSubstr("error_rate without a transport"));
    EXPECT_THAT(
        refusal("flow_control: pfc",
                "faults:\n    - {link: [0, 1], at: 1us, until: 2us, bandwidth_factor: 0}\n"),
        HasSubstr("faults that take links down without a transport"));
    EXPECT_THAT(refusal("flow_control: pfc, virtual_channels: 2"),
                HasSubstr("virtual_channels: 2 with flow_control: pfc"));
    EXPECT_THAT(refusal("flow_control: pfc, arbitration: oldest"),
                HasSubstr("'oldest' with flow_control: pfc"));
    EXPECT_THAT(refusal("flow_control: pfc, speedup: 2"),
                HasSubstr("speedup: 2 with flow_control: pfc"));
    EXPECT_THAT(refusal("flow_control: pfc, transport: selective-repeat, congestion_control: "
                        "receiver-credit, receiver-credit: {trimming: true}"),
                HasSubstr("receiver-credit with trimming"));
    EXPECT_THAT(refusal("flow_control: pfc, transport: selective-repeat, routing: adaptive, "
                        "congestion_control: hpcc"),
                HasSubstr("congestion_control: hpcc with routing: adaptive"));
}

TEST(TransportSection, RefusesWhatHasNoEffectOnQueuePairs) {
    for (const std::string flow : {"flow_control: pfc, ", "flow_control: credit, "}) {
        for (const std::string key : {"window: 1MiB", "ack_every: 2", "rto: 1ms", "retries: 7",
                                      "reordering: 3", "start_jitter: 1us"}) {
            EXPECT_THAT(
                refusal(flow + "transport: {kind: none, " + key + "}"),
                HasSubstr("transport." + key.substr(0, key.find(':')) + " with transport: none"));
        }
        EXPECT_EQ(refusal(flow + "transport: {kind: none, window: auto, rto: auto}"), "no error");
    }
    EXPECT_THAT(refusal("flow_control: pfc, transport: {kind: go-back-n, reordering: 3}"),
                HasSubstr("transport.reordering with transport: go-back-n"));
    EXPECT_EQ(refusal("flow_control: pfc, transport: {kind: go-back-n, reordering: auto}"),
              "no error");
}

// One text may serve several values of flow_control and congestion_control.
TEST(TransportSection, WarnsOfSectionsWithoutEffect) {
    const std::string pfc = "flow_control: pfc, transport: go-back-n, ";
    EXPECT_THAT(warnings(pfc + "ecn: {kmin: 5KB}"),
                testing::ElementsAre(AllOf(HasSubstr("net.yml: "), HasSubstr("packet.ecn"),
                                           HasSubstr("congestion_control: none"))));
    EXPECT_EQ(warnings(pfc + "ecn: {kmin: 5KB}, congestion_control: swift").size(), 1U);
    EXPECT_THAT(warnings(pfc + "ecn: {kmin: 5KB}, congestion_control: dcqcn"), testing::IsEmpty());
    EXPECT_THAT(warnings(pfc + "ecn: {kmin: 5KB}, congestion_control: dctcp"), testing::IsEmpty());
    EXPECT_THAT(warnings("ecn: {kmin: 5KB}, pfc: {alpha: 2}"),
                testing::Each(HasSubstr("has no effect with flow_control: credit")));
    const std::string none = "flow_control: none, transport: go-back-n, ";
    EXPECT_THAT(warnings(none + "pfc: {alpha: 2}"), testing::IsEmpty());
    EXPECT_THAT(warnings(none + "pfc: {alpha: 2, headroom: 1MiB}"),
                testing::ElementsAre(
                    AllOf(HasSubstr("packet.pfc.headroom"), HasSubstr("with flow_control: none"))));
}

// Packets of 4160 bytes, 83.2 ns at 50 GB/s, and links of 500 ns. The request waits for a packet
// and has 64 bytes itself: it is there 84.48 + 500 ns later, and what is sent until then is in
// 500 ns later: 1084.48 ns at 50 bytes/ns are 54224 bytes; with the byte that may have begun and
// two packets 62545. HPCC's packets have 512 bytes more, once in the wait and twice besides.
TEST(TransportSection, WarnsOfTooLittleHeadroom) {
    const std::string pfc = "flow_control: pfc, transport: go-back-n, ";
    EXPECT_THAT(warnings(pfc + "pfc: {headroom: 62545}"), testing::IsEmpty());
    EXPECT_THAT(warnings(pfc + "pfc: {headroom: auto}"), testing::IsEmpty());
    EXPECT_THAT(warnings(pfc + "pfc: {headroom: 62544}"),
                testing::ElementsAre(AllOf(HasSubstr("net.yml: packet.pfc.headroom: 62544 B"),
                                           HasSubstr("62545 B"))));
    EXPECT_THAT(warnings(pfc + "congestion_control: hpcc, pfc: {headroom: 64080}"),
                testing::ElementsAre(HasSubstr("64081 B")));
    // Each class may ask at once: 64 bytes more.
    EXPECT_THAT(warnings(pfc + "classes: 2, pfc: {headroom: 62545}"),
                testing::ElementsAre(HasSubstr("62609 B")));
}

TEST(TransportSection, RefusesWhatIsOutOfRange) {
    const std::string pfc = "flow_control: pfc, ";
    EXPECT_THAT(refusal("flow_control: pause"), HasSubstr("packet.flow_control"));
    EXPECT_THAT(refusal(pfc + "transport: tcp"), HasSubstr("packet.transport"));
    EXPECT_THAT(refusal(pfc + "transport: {window: 1MiB}"), HasSubstr("kind"));
    EXPECT_THAT(refusal(pfc + "transport: {kind: go-back-n, ack_every: 0}"),
                HasSubstr("transport.ack_every"));
    EXPECT_THAT(refusal(pfc + "transport: {kind: go-back-n, rto: 5}"), HasSubstr("rto"));
    EXPECT_THAT(refusal(pfc + "transport: {kind: go-back-n, rto: 0}"), HasSubstr("rto"));
    for (const std::string jitter : {"5", "-1us", "1001s", "[1us]", "auto"}) {
        EXPECT_THAT(refusal(pfc + "transport: {kind: go-back-n, start_jitter: " + jitter + "}"),
                    HasSubstr("packet.transport.start_jitter"))
            << jitter;
    }
    EXPECT_THAT(refusal(pfc + "transport: {kind: go-back-n, retries: 0}"), HasSubstr("unlimited"));
    EXPECT_THAT(refusal(pfc + "transport: {kind: go-back-n, windows: 5}"),
                HasSubstr("Did you mean window?"));
    EXPECT_THAT(refusal(pfc + "ecn: {kmin: 2MiB, kmax: 1MiB}"), HasSubstr("kmin at most kmax"));
    EXPECT_THAT(refusal(pfc + "ecn: {pmax: 1.5}"), HasSubstr("a probability, 0 to 1"));
    EXPECT_THAT(refusal(pfc + "pfc: {alpha: 0}"), HasSubstr("a factor"));
    EXPECT_THAT(refusal(pfc + "pfc: {headroom: 0}"), HasSubstr("pfc.headroom"));
}

}  // namespace
}  // namespace npunet::topology::transport_section_test
