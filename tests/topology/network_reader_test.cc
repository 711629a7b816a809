// read_network(): what is understood, and what every mistake is answered with.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "networks.h"
#include "tests/support/refusals.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "topology/yaml/network_reader.h"

namespace npunet::topology {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A network.yml, and files beside it, in a folder of its own.
class NetworkFile : public testing::Test {
protected:
    std::string write(const std::string& name, const std::string& text) const {
        return folder_.write(name, text).string();
    }

    [[nodiscard]] NetworkDescription read(const std::string& text,
                                          GigaByte gigabyte = GigaByte::Decimal) const {
        return read_network(write("network.yml", text), gigabyte);
    }

    /// A mesh of 4 x 2 with further lines.
    [[nodiscard]] NetworkDescription mesh(const std::string& lines) const {
        return read(mesh_network + lines);
    }
    /// The same with one entry in the section `packet`.
    [[nodiscard]] NetworkDescription with_packet(const std::string& entry,
                                                 const std::string& topology = mesh_network) const {
        return read(topology + "packet: {" + entry + "}\n");
    }

    [[nodiscard]] std::string refusal(const std::string& text) const {
        return test::message_of<InputError>([&] { return read(text); });
    }
    [[nodiscard]] std::string mesh_refusal(const std::string& lines) const {
        return test::message_of<InputError>([&] { return mesh(lines); });
    }
    [[nodiscard]] std::string packet_refusal(const std::string& entry) const {
        return test::message_of<InputError>([&] { return with_packet(entry); });
    }

    static inline const std::string mesh_network =
        "topology: [Mesh2D]\nnpus_count: [[4, 2]]\nbandwidth: [50]\nlatency: [500]\n";
    static inline const std::string ring_network =
        "topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n";
    test::TemporaryFolder folder_;
};

/// "Ring" with 8 NPUs where `key: value` replaces the usual line.
std::string ring_with(const std::string& key, const std::string& value) {
    const std::vector<std::pair<std::string, std::string>> lines{
        {"topology", "[Ring]"}, {"npus_count", "[8]"}, {"bandwidth", "[50]"}, {"latency", "[500]"}};
    std::string text;
    for (const auto& [name, usual] : lines) {
        text += name + ": " + (name == key ? value : usual) + "\n";
    }
    return text;
}

TEST_F(NetworkFile, ReadsProductsWithTheirDimensions) {
    const NetworkDescription network = read(
        "topology: [Ring, Switch]\nnpus_count: [4, 2]\nbandwidth: [100.5, 25]\n"
        "latency: [0.0005, 12.5]\n");
    EXPECT_EQ(network.name, "Ring x Switch");
    ASSERT_EQ(network.dimensions.size(), 2U);
    EXPECT_EQ(network.dimensions[0].rate, Rate(100'500'000'000));
    EXPECT_EQ(network.dimensions[0].bandwidth_gbps, 100.5);
    EXPECT_EQ(network.dimensions[0].latency, Time::ps(1));
    EXPECT_EQ(network.dimensions[1].latency_ns, 12.5);
    EXPECT_EQ(network.dimensions[1].kind, DimensionKind::Switch);
    EXPECT_EQ(network.graph.nodes(), 12U);
    EXPECT_EQ(network.routing_name(), "dimension-order");
}

// The same text is the same network and the same mistake, but for the name of the file.
TEST_F(NetworkFile, ReadsTextsAsItReadsFiles) {
    const NetworkDescription file = mesh("packet: {routing: shortest-path, mtu: 1KiB}\n");
    const NetworkDescription text =
        parse_network(mesh_network + "packet: {routing: shortest-path, mtu: 1KiB}\n", "text");
    EXPECT_EQ(text.name, file.name);
    EXPECT_EQ(text.graph.links(), file.graph.links());
    EXPECT_EQ(text.routing_name(), "shortest-path");
    EXPECT_EQ(text.packet.mtu, Bytes(1024));
    EXPECT_THAT(
        test::message_of<InputError>(
            [&] { return parse_network("topology: [Rign]", "my network"); }),
        AllOf(HasSubstr("my network"), HasSubstr("line 1"), HasSubstr("Did you mean Ring")));
    EXPECT_THAT(test::message_of<InputError>(
                    [&] { return parse_network("topology: [Ring", "my network"); }),
                HasSubstr("my network"));
}

// The GB of the astra-sim dialects has 2^30 bytes: 128.5714 x 2^30 = 138 052 489 568.0...; units
// that are written out mean what they say.
TEST_F(NetworkFile, CountsInTheGigaBytesOfTheDialect) {
    const NetworkDescription binary = read(ring_with("bandwidth", "[128.5714]"), GigaByte::Binary);
    EXPECT_EQ(binary.dimensions[0].rate, Rate(std::llround(128.5714 * 1073741824.0)));
    EXPECT_EQ(binary.dimensions[0].bandwidth_gbps, 128.5714);
    EXPECT_EQ(read(ring_with("bandwidth", "[400Gbps]"), GigaByte::Binary).dimensions[0].rate,
              Rate(50'000'000'000));
    EXPECT_EQ(
        read(ring_with("bandwidth", "1 GiB/s"), GigaByte::Binary).dimensions[0].bandwidth_gbps,
        1.0);
}

TEST_F(NetworkFile, ReadsScalarsAndUnits) {
    const NetworkDescription network =
        read("topology: Ring\nnpus_count: 8\nbandwidth: 400Gbps\nlatency: 2us\n");
    EXPECT_EQ(network.dimensions[0].rate, Rate(50'000'000'000));
    EXPECT_EQ(network.dimensions[0].bandwidth_gbps, 50);
    EXPECT_EQ(network.dimensions[0].latency, Time::ns(2000));
    EXPECT_EQ(network.dimensions[0].latency_ns, 2000);
}

// A square number is a square, a cubic one a cube; a nested list gives every dimension its own.
TEST_F(NetworkFile, ReadsMeshesAndTori) {
    const std::string rest = "bandwidth: [50]\nlatency: [500]\n";
    EXPECT_EQ(mesh("").graph.links(), 2U * (3 * 2 + 4));
    EXPECT_EQ(read("topology: [Mesh2D]\nnpus_count: [16]\n" + rest).graph.links(), 48U);
    EXPECT_EQ(read("topology: Torus2D\nnpus_count: 16\n" + rest).graph.links(), 64U);
    EXPECT_EQ(read("topology: [Torus3D]\nnpus_count: [27]\n" + rest).dimensions[2].size, 3);
    EXPECT_EQ(read("topology: [Torus3D]\nnpus_count: [[4, 3, 2]]\n" + rest).dimensions[1].size, 3);
    const NetworkDescription unequal = read(
        "topology: [Mesh2D, Switch]\nnpus_count: [[4, 3], 2]\nbandwidth: [[50, 25], 10]\n"
        "latency: [500, 1us]\n");
    EXPECT_EQ(unequal.name, "Mesh2D x Switch");
    EXPECT_EQ(unequal.dimensions[1].rate, Rate(25'000'000'000));
    EXPECT_EQ(unequal.dimensions[2].rate, Rate(10'000'000'000));
    EXPECT_EQ(unequal.graph.npus(), 24U);
}

TEST_F(NetworkFile, RefusesWhatIsNotThere) {
    EXPECT_THAT(test::message_of<InputError>(
                    [] { return read_network("/no/network.yml", GigaByte::Decimal); }),
                HasSubstr("/no/network.yml: found no such file"));
    EXPECT_THAT(test::message_of<InputError>(
                    [&] { return read_network(folder_.path().string(), GigaByte::Decimal); }),
                HasSubstr("found a folder"));
    EXPECT_THAT(refusal(""), HasSubstr("found nothing; expected keys with values"));
    EXPECT_THAT(refusal("[1, 2]\n"), HasSubstr("found a list of 2; expected keys with values"));
    EXPECT_THAT(refusal("topology: [Ring]\n"), HasSubstr("expected the key 'npus_count'"));
    EXPECT_THAT(refusal("npus_count: [8]\n"), HasSubstr("expected the key 'topology'"));
    EXPECT_THAT(refusal(ring_network + "---\n" + ring_network),
                HasSubstr("found a second document"));
}

TEST_F(NetworkFile, RefusesWhatIsNotYamlWithLineAndColumn) {
    EXPECT_THAT(refusal("topology: [Ring]\nnpus_count: [8\nbandwidth: [50]\n"),
                AllOf(HasSubstr("network.yml: line 3, column"), HasSubstr("expected YAML")));
}

TEST_F(NetworkFile, NamesTheUnknownTopology) {
    EXPECT_THAT(refusal(ring_with("topology", "[Rign]")),
                AllOf(HasSubstr("network.yml: line 1, topology[0]: found 'Rign'"),
                      HasSubstr("one of Ring, FullyConnected, Switch, Mesh1D, Mesh2D, Torus2D, "
                                "Torus3D"),
                      HasSubstr("Did you mean Ring?")));
    EXPECT_THAT(refusal(ring_with("topology", "[]")), HasSubstr("found an empty list"));
    EXPECT_THAT(refusal(ring_with("topology", "[[Ring]]")), HasSubstr("found a list of 1"));
}

TEST_F(NetworkFile, NamesUnknownKeys) {
    EXPECT_THAT(mesh_refusal("plcement: snake\n"),
                AllOf(HasSubstr("line 5, plcement: found the unknown key 'plcement'"),
                      HasSubstr("Did you mean placement?")));
    EXPECT_THAT(packet_refusal("mtus: 4096"),
                AllOf(HasSubstr("packet.mtus"), HasSubstr("Did you mean mtu?")));
    EXPECT_THAT(mesh_refusal("latency: [20]\n"), HasSubstr("'latency' a second time"));
}

TEST_F(NetworkFile, OnlyWarnsOfUnknownKeysWhenTolerant) {
    const std::string file =
        write("network.yml", ring_network + "colour: red\npacket: {speed: 3}\n");
    std::vector<std::string> warnings;
    static_cast<void>(read_network(file, GigaByte::Binary, true, &warnings));
    ASSERT_EQ(warnings.size(), 2U);
    EXPECT_THAT(warnings[0], HasSubstr("line 5, colour: the unknown key 'colour'"));
    EXPECT_THAT(warnings[1], HasSubstr("packet.speed"));
    EXPECT_NO_THROW(static_cast<void>(read_network(file, GigaByte::Binary, true)));
}

TEST_F(NetworkFile, RefusesListsOfUnequalLength) {
    EXPECT_THAT(refusal(ring_with("npus_count", "[4, 4]")),
                HasSubstr("line 2, npus_count: found 2 values; expected 1"));
    EXPECT_THAT(refusal(ring_with("bandwidth", "[4, 4]")), HasSubstr("line 3, bandwidth"));
    EXPECT_THAT(refusal(ring_with("latency", "[]")), HasSubstr("line 4, latency: found 0 values"));
    EXPECT_THAT(refusal("topology: [Ring, Ring]\nnpus_count: [2, 2]\nbandwidth: 5\nlatency: 1\n"),
                HasSubstr("bandwidth: found 1 values; expected 2"));
    EXPECT_THAT(refusal(ring_with("bandwidth", "[[4, 4]]")), HasSubstr("bandwidth[0]"));
}

TEST_F(NetworkFile, RefusesSizesThatAreNone) {
    for (const char* size : {"0", "-4", "2.5", "eight", "{}", "nan", "inf", "1e30", "[]", "~"}) {
        EXPECT_THAT(refusal(ring_with("npus_count", std::string("[") + size + "]")),
                    HasSubstr("line 2, npus_count[0]"))
            << size;
    }
    const std::string rest = "bandwidth: [50]\nlatency: [500]\n";
    EXPECT_THAT(refusal("topology: [Mesh2D]\nnpus_count: [12]\n" + rest),
                AllOf(HasSubstr("'12'; expected a square number"), HasSubstr("[[4, 3]]")));
    EXPECT_THAT(refusal("topology: [Torus3D]\nnpus_count: [9]\n" + rest),
                HasSubstr("a cubic number"));
    EXPECT_THAT(refusal("topology: [Mesh2D]\nnpus_count: [[4, 4, 4]]\n" + rest),
                HasSubstr("a list of 3; expected 2 sizes for Mesh2D"));
}

// At most 2^21 NPUs, 2^22 nodes and 2^25 links; nothing is built before that is checked.
TEST_F(NetworkFile, RefusesNetworksThatAreTooLarge) {
    EXPECT_THAT(refusal("topology: [Ring, Ring]\nnpus_count: [2048, 1025]\nbandwidth: [1, 1]\n"
                        "latency: [1, 1]\n"),
                HasSubstr("more than 2097152 NPUs"));
    EXPECT_THAT(refusal("topology: [Ring, Ring, Ring, Ring]\nnpus_count: [2097152, 2097152, "
                        "2097152, 2097152]\nbandwidth: [1, 1, 1, 1]\nlatency: [1, 1, 1, 1]\n"),
                HasSubstr("more than 2097152 NPUs"));
    EXPECT_THAT(refusal("topology: [FullyConnected]\nnpus_count: [100000]\nbandwidth: [1]\n"
                        "latency: [1]\n"),
                AllOf(HasSubstr("links or more; expected at most 33554432"), HasSubstr("Switch")));
    EXPECT_THAT(refusal("topology: [Switch, Switch, Switch, Ring]\nnpus_count: [2, 2, 2, 262144]\n"
                        "bandwidth: [1, 1, 1, 1]\nlatency: [1, 1, 1, 1]\n"),
                HasSubstr("NPUs and switches; expected at most 4194304"));
}

TEST_F(NetworkFile, RefusesBandwidthsAndLatenciesThatAreNone) {
    for (const char* value : {"0", "-1", "fast", "nan", "inf", "1e12", "1e-12", "5 parsecs", "~"}) {
        EXPECT_THAT(refusal(ring_with("bandwidth", std::string("[") + value + "]")),
                    HasSubstr("line 3, bandwidth[0]"))
            << value;
    }
    for (const char* value : {"-1", "slow", "nan", "inf", "1e13", "2000s", "5 GB", "{}"}) {
        EXPECT_THAT(refusal(ring_with("latency", std::string("[") + value + "]")),
                    HasSubstr("line 4, latency[0]"))
            << value;
    }
    EXPECT_EQ(read(ring_with("latency", "[0]")).dimensions[0].latency, Time());
}

// Dimension order on a ring of 8 needs two virtual channels, and rerouting around a link a third.
TEST_F(NetworkFile, CountsTheVirtualChannelOfReroutes) {
    const std::string down = "faults: [{link: [0, 1], at: 1us, bandwidth_factor: 0}]\n";
    const std::string ring = "topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [5]\n";
    for (const bool faults_first : {true, false}) {
        const auto with = [&](const std::string& channels) {
            const std::string packet = "packet: {virtual_channels: " + channels + "}\n";
            return ring + (faults_first ? down + packet : packet + down);
        };
        EXPECT_THAT(refusal(with("2")),
                    AllOf(HasSubstr(faults_first ? "line 6, packet.virtual_channels: found '2'"
                                                 : "line 5, packet.virtual_channels: found '2'"),
                          HasSubstr("at least 3"), HasSubstr("one of them for rerouting")));
        EXPECT_EQ(read(with("3")).virtual_channels(), 3);
        EXPECT_EQ(read(with("auto")).virtual_channels(), 3);
    }
}

// 1000 TB/s are a million GB/s, and less than a million of 2^30 B/s.
TEST_F(NetworkFile, RefusesBandwidthsThatNoLinkHas) {
    EXPECT_EQ(read(ring_with("bandwidth", "[1e6]")).dimensions[0].rate,
              Rate(1'000'000'000'000'000));
    EXPECT_EQ(read(ring_with("bandwidth", "[1000TB/s]")).dimensions[0].rate,
              Rate(1'000'000'000'000'000));
    for (const char* value :
         {"1000001", "1e9", "1e300", "1001TB/s", "8000000.1Gbps", "1152921504606846976B/s"}) {
        EXPECT_THAT(refusal(ring_with("bandwidth", std::string("[") + value + "]")),
                    AllOf(HasSubstr("line 3, bandwidth[0]: found '" + std::string(value) + "'"),
                          HasSubstr("at most 1000 TB/s"), HasSubstr("in GB/s; for bytes")))
            << value;
    }
}

TEST_F(NetworkFile, ReadsThePacketSection) {
    const NetworkDescription network = with_packet(
        "mtu: 1KiB, header: 32, buffer: 2MB, virtual_channels: 4, routing: xy, classes: 1, "
        "switching: store-and-forward, flow_control: credit, arbitration: round-robin, seed: 7, "
        "transport: {kind: none}, congestion_control: none, error_rate: 0");
    EXPECT_EQ(network.packet.mtu, Bytes(1024));
    EXPECT_EQ(network.packet.header, Bytes(32));
    EXPECT_EQ(network.packet.buffer, Bytes(2'000'000));
    EXPECT_EQ(network.buffer_of(LinkId(0)), Bytes(2'000'000));
    EXPECT_EQ(network.virtual_channels(), 4);
    const NetworkDescription usual = with_packet("routing: auto, buffer: auto, transport: none");
    EXPECT_EQ(usual.packet.mtu, Bytes(4096));
    EXPECT_EQ(usual.packet.header, Bytes(64));
    EXPECT_EQ(usual.virtual_channels(), 1);
    EXPECT_EQ(mesh("packet: {virtual_channels: auto}\n").virtual_channels(), 1);
}

// max(256 KiB, 2 x latency x rate + 4 (mtu + header)): 2 x 500 ns x 50 GB/s are 50 kB, 2 x 10 us
// x 50 GB/s 1 MB, and 4 x 4160 B come on top.
TEST_F(NetworkFile, SizesAutomaticBuffers) {
    EXPECT_EQ(mesh("").buffer_of(LinkId(0)), Bytes(262144));
    EXPECT_EQ(read(ring_with("latency", "[10us]")).buffer_of(LinkId(0)), Bytes(1'016'640));
}

TEST_F(NetworkFile, RefusesPacketParametersThatCannotWork) {
    EXPECT_THAT(packet_refusal("mtu: 0"), HasSubstr("packet.mtu: found '0'"));
    EXPECT_THAT(packet_refusal("mtu: 2GiB"), HasSubstr("packet.mtu"));
    EXPECT_THAT(packet_refusal("header: -1"), HasSubstr("packet.header"));
    EXPECT_THAT(packet_refusal("header: []"), HasSubstr("packet.header: found a list of 0"));
    EXPECT_THAT(packet_refusal("buffer: 4159"),
                HasSubstr("'4159'; expected room for one packet at least, 4160 B (mtu + header)"));
    EXPECT_EQ(with_packet("buffer: 4160").packet.buffer, Bytes(4160));
    EXPECT_THAT(packet_refusal("virtual_channels: 0"), HasSubstr("packet.virtual_channels"));
    EXPECT_THAT(packet_refusal("virtual_channels: 33"),
                AllOf(HasSubstr("line "), HasSubstr("packet.virtual_channels: found '33'"),
                      HasSubstr("from 1 to 32")));
    EXPECT_EQ(with_packet("virtual_channels: 32").virtual_channels(), 32);
    EXPECT_THAT(packet_refusal("virtual_channels: 5, classes: 7"),
                HasSubstr("packet.classes: found 7 classes of 5 virtual channels; expected at most "
                          "32 channels in all"));
    EXPECT_THAT(packet_refusal("mtu: 1GiB"),
                HasSubstr("packet.mtu: found an mtu of 1073741824 B and a header of 64 B; expected "
                          "at most 1073741824 B together"));
    EXPECT_THAT(packet_refusal("mtu: 1GiB, header: 1"), HasSubstr("packet.header: found an mtu"));
    EXPECT_EQ(with_packet("mtu: 1GiB, header: 0").packet.mtu, Bytes(std::int64_t{1} << 30));
    EXPECT_THAT(test::message_of<InputError>(
                    [&] { return with_packet("virtual_channels: 1", ring_network); }),
                HasSubstr("found '1'; expected at least 2, which the routing on Ring needs"));
    EXPECT_THAT(packet_refusal("seed: x"), HasSubstr("packet.seed"));
    EXPECT_THAT(packet_refusal("classes: x"), HasSubstr("packet.classes: found 'x'"));
    EXPECT_THAT(mesh_refusal("packet: 3\n"), HasSubstr("packet: found '3'"));
}

TEST_F(NetworkFile, RefusesRoutingsOfOtherNetworks) {
    for (const char* word : {"ecmp", "up-down", "minimal", "spray", "ugal"}) {
        EXPECT_THAT(packet_refusal(std::string("routing: ") + word),
                    AllOf(HasSubstr(std::string("packet.routing: found '") + word + "' on Mesh2D"),
                          HasSubstr("for networks without dimensions")));
    }
}

TEST_F(NetworkFile, ReadsHowPacketsPassThroughNodes) {
    const PacketParameters defaults = with_packet("mtu: 4096").packet;
    EXPECT_EQ(defaults.switching, Switching::StoreAndForward);
    EXPECT_EQ(defaults.arbitration, Arbitration::RoundRobin);
    EXPECT_EQ(defaults.error_rate, 0);
    EXPECT_FALSE(defaults.queue_histogram);
    const PacketParameters packet =
        with_packet("switching: cut-through, arbitration: oldest, queue_histogram: true").packet;
    EXPECT_EQ(packet.switching, Switching::CutThrough);
    EXPECT_EQ(packet.arbitration, Arbitration::Oldest);
    EXPECT_TRUE(packet.queue_histogram);
    EXPECT_EQ(defaults.injection, Rate());
    EXPECT_EQ(with_packet("injection: 10GB/s").packet.injection, Rate(10'000'000'000));
    EXPECT_EQ(with_packet("injection: 400Gbps").packet.injection, Rate(50'000'000'000));
    EXPECT_EQ(with_packet("injection: 25").packet.injection, Rate(25'000'000'000));
    EXPECT_THAT(packet_refusal("injection: 0"), HasSubstr("packet.injection"));
    EXPECT_THAT(packet_refusal("injection: fast"), HasSubstr("packet.injection"));
    EXPECT_EQ(with_packet("error_rate: 1e-6, seed: 7").packet.error_rate, 1e-6);
    EXPECT_EQ(with_packet("error_rate: 1e-6, seed: 7").packet.seed, 7u);
    EXPECT_THAT(packet_refusal("error_rate: 1"), HasSubstr("packet.error_rate: found '1'"));
    EXPECT_THAT(packet_refusal("error_rate: -0.1"), HasSubstr("packet.error_rate"));
    EXPECT_THAT(packet_refusal("switching: cut-through, error_rate: 0.1"),
                HasSubstr("'0.1' with switching: cut-through; expected store-and-forward"));
    EXPECT_THAT(packet_refusal("queue_histogram: 3"), HasSubstr("packet.queue_histogram"));
    EXPECT_THAT(packet_refusal("switching: store-and-foward"),
                HasSubstr("Did you mean store-and-forward?"));
}

TEST_F(NetworkFile, WarnsOfWhatHasNoEffectOnNetworksWithCredits) {
    for (const std::string entry : {"ecn: {kmin: 100KiB}", "pfc: {alpha: 2}"}) {
        std::vector<std::string> warnings;
        const std::string file = write("network.yml", ring_network + "packet: {" + entry + "}\n");
        static_cast<void>(read_network(file, GigaByte::Decimal, false, &warnings));
        EXPECT_THAT(warnings,
                    testing::ElementsAre(HasSubstr("has no effect with flow_control: credit")));
    }
}

TEST_F(NetworkFile, ChecksWhetherTheRoutingSuitsTheNetwork) {
    EXPECT_EQ(with_packet("routing: shortest-path").routing_name(), "shortest-path");
    EXPECT_EQ(nodes_of(with_packet("routing: shortest-path"), 0, 6),
              (std::vector<int>{0, 1, 2, 6}));
    EXPECT_EQ(with_packet("routing: dimension-order", ring_network).virtual_channels(), 2);
    EXPECT_THAT(
        test::message_of<InputError>([&] { return with_packet("routing: xy", ring_network); }),
        HasSubstr("'xy' on Ring; expected a mesh. Use dimension-order"));
    EXPECT_THAT(test::message_of<InputError>(
                    [&] { return with_packet("routing: shortest-path", ring_network); }),
                AllOf(HasSubstr("npu0 -> npu1 -> npu2"), HasSubstr("-> npu7 -> npu0"),
                      HasSubstr("Use dimension-order")));
    EXPECT_THAT(test::message_of<InputError>([&] {
                    return with_packet("routing: shortest-path",
                                       ring_with("npus_count", "[20000]"));
                }),
                HasSubstr("at most 8192"));
}

TEST_F(NetworkFile, ReadsPlacements) {
    const auto npus = [](const NetworkDescription& network) {
        std::vector<int> numbers;
        for (const NodeId npu : network.npu_of_rank) {
            numbers.push_back(npu.value());
        }
        return numbers;
    };
    EXPECT_EQ(npus(mesh("placement: linear\n")), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(npus(mesh("placement: snake\n")), (std::vector<int>{0, 1, 2, 3, 7, 6, 5, 4}));
    const std::vector<int> mixed{7, 1, 5, 3, 4, 2, 6, 0};
    EXPECT_EQ(npus(mesh("placement: [7, 1, 5, 3, 4, 2, 6, 0]\n")), mixed);
    write("places.txt", "# rank order\n[7, 1,\n5 3]\t4 2\r\n6,0 # the last\n");
    EXPECT_EQ(npus(mesh("placement: places.txt\n")), mixed);
}

TEST_F(NetworkFile, RefusesPlacementsThatAreNoPermutation) {
    EXPECT_THAT(mesh_refusal("placement: [0, 1]\n"),
                HasSubstr("found 2 entries; expected each of the NPUs 0 to 7 once"));
    EXPECT_THAT(mesh_refusal("placement: [0, 1, 2, 3, 4, 5, 6, 6]\n"),
                HasSubstr("line 5, placement[7]: found NPU 6 a second time"));
    EXPECT_THAT(mesh_refusal("placement: [0, 1, 2, 3, 4, 5, 6, 8]\n"),
                HasSubstr("found '8'; expected the number of an NPU, a whole number from 0 to 7"));
    for (const char* wrong : {"-1", "1.5", "x", "1e300", "nan"}) {
        EXPECT_THAT(mesh_refusal(std::string("placement: [0, 1, 2, 3, 4, 5, 6, ") + wrong + "]\n"),
                    HasSubstr("placement[7]"))
            << wrong;
    }
    EXPECT_THAT(mesh_refusal("placement: snak\n"), HasSubstr("Did you mean snake?"));
    EXPECT_THAT(mesh_refusal("placement: {}\n"), HasSubstr("placement: found a map"));
    write("short.txt", "0 1 2");
    EXPECT_THAT(mesh_refusal("placement: short.txt\n"),
                HasSubstr("short.txt: found 3 entries; expected each of the NPUs 0 to 7 once"));
    write("wrong.txt", "0 1 two");
    EXPECT_THAT(mesh_refusal("placement: wrong.txt\n"),
                HasSubstr("wrong.txt: rank 2: found 'two'"));
    write("range.txt", "0 1 8");
    EXPECT_THAT(mesh_refusal("placement: range.txt\n"),
                HasSubstr("range.txt: rank 2: found NPU 8, which does not exist"));
    write("twice.txt", "0 1 1");
    EXPECT_THAT(mesh_refusal("placement: twice.txt\n"), HasSubstr("NPU 1 a second time"));
}

// Every network of the reference data is read in the dialect that it was made for.
TEST(ReferenceNetworks, AreRead) {
    const std::filesystem::path folder = std::filesystem::path(NPUNET_SHARED_DIR) / "data/system";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().filename() == "network.yml") {
            ++files;
            EXPECT_GE(read_network(entry.path().string(), GigaByte::Binary).graph.npus(), 2U);
        }
    }
    EXPECT_GE(files, 91U);
}

}  // namespace
}  // namespace npunet::topology
