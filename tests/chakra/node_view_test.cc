// Whatever the bytes: NodeView, helped by canonical_node(), takes those that Protobuf takes, and
// says the same about them.

#include "chakra/wire/node_view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "chakra/files/frame_input.h"
#include "mutation.h"
#include "protobuf_node.h"
#include "random_messages.h"
#include "test_files.h"
#include "tests/support/shared_data.h"

namespace npunet::chakra {
namespace {

std::string hex(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return text;
}

bool refused_by_protobuf(const std::string& frame) {
    return !ChakraProtoMsg::Node().ParseFromString(frame);
}

TEST(NodeViewOracle, FramesOfRealTraces) {
    const auto folder = std::filesystem::path(NPUNET_SHARED_DIR) / "data/chakra";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    // Older schemas too: to Protobuf they are messages, or none, as any others.
    std::size_t frames = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".et" && entry.path().extension() != ".eg") {
            continue;
        }
        FrameInput input(entry.path());
        try {
            while (input.next()) {
                ++frames;
                ASSERT_EQ(difference_to_protobuf(input.frame()), "")
                    << entry.path() << ' ' << input.place();
            }
        } catch (const InputError&) {  // one of them is truncated
        }
    }
    EXPECT_GT(frames, 50'000U);
}

TEST(NodeViewOracle, MessagesThatProtobufWrites) {
    RandomMessages random(1);
    for (int round = 0; round < 10'000; ++round) {
        const std::string frame = random.node().SerializeAsString();
        ASSERT_EQ(difference_to_protobuf(frame), "") << hex(frame);
        ASSERT_TRUE(NodeView().parse(frame)) << hex(frame);
    }
}

TEST(NodeViewOracle, MessagesThatProtobufTakes) {
    RandomMessages random(2);
    int refused = 0;
    for (int round = 0; round < 30'000; ++round) {
        const std::string frame = random.odd_node();
        ASSERT_EQ(difference_to_protobuf(frame), "") << hex(frame);
        refused += refused_by_protobuf(frame) ? 1 : 0;
    }
    EXPECT_LT(refused, 20'000);
}

TEST(NodeViewOracle, DamagedMessages) {
    RandomMessages random(3);
    int refused = 0;
    constexpr int rounds = 150'000;
    std::string whole;
    for (int round = 0; round < rounds; ++round) {
        if (round % 10 == 0) {
            whole = round % 20 == 0 ? random.node().SerializeAsString() : random.odd_node();
        }
        const std::string frame = mutated(whole, random.engine());
        ASSERT_EQ(difference_to_protobuf(frame), "") << hex(frame);
        refused += refused_by_protobuf(frame) ? 1 : 0;
    }
    EXPECT_GT(refused, rounds / 10);
    EXPECT_LT(refused, rounds * 9 / 10);
}

// Every message is cut off everywhere.
TEST(NodeViewOracle, TruncatedMessages) {
    RandomMessages random(4);
    for (int round = 0; round < 100; ++round) {
        const std::string frame = random.odd_node();
        for (std::size_t length = 0; length <= frame.size(); ++length) {
            ASSERT_EQ(difference_to_protobuf(frame.substr(0, length)), "")
                << hex(frame.substr(0, length));
        }
    }
}

// The view keeps 16 attributes decoded; whatever their number, all are there, and found.
TEST(NodeViewOracle, ManyAttributes) {
    RandomMessages random(5);
    for (int count = 0; count < 60; ++count) {
        ChakraProtoMsg::Node message;
        for (int i = 0; i < count; ++i) {
            *message.add_attr() = random.attribute();
            message.mutable_attr(i)->set_name(fmt::format("a{}", i));
        }
        message.set_id(7);
        const std::string frame = message.SerializeAsString();
        ASSERT_EQ(difference_to_protobuf(frame), "");
        // With other fields between and behind them.
        ASSERT_EQ(difference_to_protobuf(frame + field(4, 3) + field(50, "x") + frame), "");
        NodeView view;
        ASSERT_TRUE(view.parse(frame));
        EXPECT_FALSE(view.find(fmt::format("a{}", count)).has_value());
    }
}

/// `content` in so many groups of a field that no message has.
std::string in_groups(int depth, std::string content) {
    for (int i = 0; i < depth; ++i) {
        content = varint(40U << 3U | 3U) + content + varint(40U << 3U | 4U);
    }
    return content;
}

// Protobuf follows a hundred messages and groups into each other, wherever they stand.
TEST(NodeViewOracle, DeepGroups) {
    int taken = 0;
    for (int depth = 90; depth <= 110; ++depth) {
        const std::string groups = in_groups(depth, field(1, 5));
        for (const std::string& frame :
             {groups, field(8, groups), field(9, field(3, "x") + groups), field(10, groups),
              field(10, field(9, 3) + groups), field(10, field(10, groups)),
              field(10, field(30, field(1, "x") + groups))}) {
            EXPECT_EQ(difference_to_protobuf(frame), "") << depth << ": " << hex(frame);
            taken += refused_by_protobuf(frame) ? 0 : 1;
        }
    }
    EXPECT_GT(taken, 50);
    EXPECT_LT(taken, 100);
}

// Tags of up to five bytes and numbers of up to ten, of which bits beyond the type are dropped.
TEST(NodeViewOracle, OverlongNumbers) {
    for (std::size_t length = 1; length <= 12; ++length) {
        for (const char last : {'\x00', '\x01', '\x02', '\x0F', '\x10', '\x7F'}) {
            std::string number(length - 1, '\x88');
            number += last;
            for (const std::string& frame :
                 {number + "\x05", std::string("\x08") + number, std::string("\x28") + number,
                  field(5, number), field(3, 4) + std::string("\x38") + number,
                  std::string("\x12") + number + std::string(200, 'x'),
                  field(10, std::string("\x0A") + number + std::string(200, 'x')),
                  field(10, field(1, "n") + std::string("\xD8\x01") + number),
                  field(10, field(1, "n") + field(28, field(1, number))),
                  field(10, field(1, "n") + std::string("\x78") + number),
                  field(10, field(1, "n") + field(16, field(1, number)))}) {
                EXPECT_EQ(difference_to_protobuf(frame), "") << hex(frame);
            }
        }
    }
}

// Fields 0 and wire types 6 and 7 do not exist; a group has to end with its own number.
TEST(NodeViewOracle, TagsThatAreNone) {
    for (unsigned number : {0U, 1U, 5U, 10U, 12U, (1U << 29U) - 1U}) {
        for (unsigned type = 0; type < 8; ++type) {
            const std::string tag = varint(std::uint64_t{number} << 3U | type);
            for (const std::string& rest :
                 {std::string(), std::string("\0", 1), std::string(8, '\0'), std::string("\x01x"),
                  varint(std::uint64_t{number} << 3U | 4U),
                  varint(std::uint64_t{number + 1} << 3U | 4U)}) {
                EXPECT_EQ(difference_to_protobuf(tag + rest), "") << hex(tag + rest);
                EXPECT_EQ(difference_to_protobuf(field(10, tag + rest)), "") << hex(tag + rest);
            }
        }
    }
}

// A frame that is not a node leaves nothing of it in the view that is used again.
TEST(NodeViewOracle, ViewIsUsedAgain) {
    RandomMessages random(6);
    NodeView view;
    for (int round = 0; round < 2'000; ++round) {
        const std::string damaged = mutated(random.odd_node(), random.engine());
        (void)view.parse(damaged);
        const ChakraProtoMsg::Node message = random.node();
        const std::string frame = message.SerializeAsString();
        ASSERT_TRUE(view.parse(frame));
        ASSERT_EQ(difference(message, view), "") << hex(damaged) << " before " << hex(frame);
        ASSERT_TRUE(view.parse_dependencies(frame));
        ASSERT_EQ(view.attributes().next(), false);
    }
}

}  // namespace
}  // namespace npunet::chakra
