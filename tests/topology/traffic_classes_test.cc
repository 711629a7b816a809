// The traffic classes of a network.yml, and the texts of the attributes.

#include "topology/parameters/traffic_classes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/refusals.h"
#include "topology/yaml/network_reader.h"

namespace npunet::topology {
namespace {

using ::testing::HasSubstr;

NetworkDescription with_packet(const std::string& entries) {
    return parse_network(
        "topology: [Mesh2D]\nnpus_count: [9]\nbandwidth: [50]\nlatency: [500]\npacket: {" +
            entries + "}\n",
        "net.yml");
}

std::string packet_refusal(const std::string& entries) {
    return test::message_of<InputError>([&] { return with_packet(entries); });
}

TEST(TrafficClasses, AreReadFromNetworkYml) {
    const TrafficClasses usual = with_packet("mtu: 4096").packet.classes;
    EXPECT_EQ(usual.count, 1);
    EXPECT_TRUE(usual.weights.empty());
    EXPECT_EQ(usual.of(Communication::AllToAll), 0);
    const NetworkDescription network = with_packet(
        "classes: 3, class_arbitration: [3, 1, 100], class_of: {all_to_all: 1, send_recv: 2}, "
        "virtual_channels: 10");
    const TrafficClasses& classes = network.packet.classes;
    EXPECT_EQ(classes.count, 3);
    EXPECT_EQ(classes.weights, (std::vector<std::uint8_t>{3, 1, 100}));
    EXPECT_EQ(classes.of(Communication::AllToAll), 1);
    EXPECT_EQ(classes.of(Communication::SendReceive), 2);
    EXPECT_EQ(classes.of(Communication::AllReduce), 0);
    EXPECT_EQ(network.virtual_channels(), 10);
    EXPECT_TRUE(
        with_packet("classes: 2, class_arbitration: strict").packet.classes.weights.empty());
}

TEST(TrafficClasses, AreRefusedWhereTheyCannotWork) {
    EXPECT_THAT(packet_refusal("classes: 0"), HasSubstr("packet.classes: found '0'"));
    EXPECT_THAT(packet_refusal("classes: 9"), HasSubstr("a whole number from 1 to 8"));
    EXPECT_THAT(packet_refusal("classes: 4, virtual_channels: 9"),
                HasSubstr("found 4 classes of 9 virtual channels; expected at most 32 channels"));
    EXPECT_THAT(packet_refusal("classes: 2, class_arbitration: [1]"),
                HasSubstr("packet.class_arbitration: found a list of 1; expected strict, or a list "
                          "of 2 whole weights"));
    EXPECT_THAT(packet_refusal("classes: 2, class_arbitration: [1, 0]"),
                HasSubstr("packet.class_arbitration[1]: found '0'"));
    EXPECT_THAT(packet_refusal("classes: 2, class_arbitration: [1, 101]"),
                HasSubstr("a weight, a whole number from 1 to 100"));
    EXPECT_THAT(packet_refusal("classes: 2, class_arbitration: fair"), HasSubstr("found 'fair'"));
    EXPECT_THAT(packet_refusal("classes: 2, class_arbitration: {}"), HasSubstr("found a map"));
    EXPECT_THAT(packet_refusal("class_of: {all_to_all: 1}"),
                HasSubstr("packet.class_of.all_to_all: found '1'"));
    EXPECT_THAT(packet_refusal("classes: 2, class_of: {all_to_some: 1}"),
                HasSubstr("Did you mean all_to_all?"));
    EXPECT_THAT(packet_refusal("classes: 2, class_of: 1"), HasSubstr("packet.class_of"));
}

// The texts of attributes, there and back.
TEST(TrafficClasses, AreWrittenAsTexts) {
    TrafficClasses classes;
    classes.count = 2;
    EXPECT_EQ(arbitration_text(classes), "strict");
    EXPECT_EQ(class_of_text(classes), "");
    read_arbitration_text(" 3  1", "here", classes);
    read_class_of_text("all_to_all 1 send_recv 0 barrier 1", "here", classes);
    EXPECT_EQ(classes.weights, (std::vector<std::uint8_t>{3, 1}));
    EXPECT_EQ(arbitration_text(classes), "3 1");
    EXPECT_EQ(class_of_text(classes), "all_to_all 1 barrier 1");
    read_arbitration_text("strict", "here", classes);
    EXPECT_TRUE(classes.weights.empty());
    for (const char* text : {"", "3", "3 1 1", "3 0", "3 101", "3 x", "strict 1", "3 1x"}) {
        EXPECT_THAT(
            test::message_of<InputError>([&] { read_arbitration_text(text, "here", classes); }),
            HasSubstr(std::string("here: found '") + text + "'"));
    }
    for (const char* text : {"all_to_all", "all_to_all 2", "all 1", "1 all_to_all"}) {
        EXPECT_THAT(
            test::message_of<InputError>([&] { read_class_of_text(text, "here", classes); }),
            HasSubstr(std::string("here: found '") + text + "'"));
    }
}

}  // namespace
}  // namespace npunet::topology
