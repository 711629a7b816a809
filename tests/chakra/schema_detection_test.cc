#include "chakra/schemas/schema_detection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "chakra/schemas/older_nodes.h"
#include "older_messages.h"
#include "test_files.h"

namespace npunet::chakra {
namespace {

using ::testing::HasSubstr;
using Views = std::vector<std::string_view>;

Detection detect(const std::vector<std::string>& frames) {
    return detect_schema(Views(frames.begin(), frames.end()), true);
}

class MadeTraces : public ::testing::TestWithParam<Schema> {
protected:
    std::mt19937_64 random_{17};

    MadeTrace made(const MadeTraceOptions& options) {
        return made_trace(GetParam(), options, random_);
    }

    /// What a trace of the schema is called without its metadata frame.
    [[nodiscard]] Schema without_metadata() const {
        return GetParam() == Schema::V0_0_3c     ? Schema::V0_0_3a
               : GetParam() == Schema::V0_0_4pre ? Schema::V0_0_4
                                                 : GetParam();
    }
};

// With attributes of all kinds and names that tell, nothing is in doubt.
TEST_P(MadeTraces, AreOfTheirSchema) {
    for (int round = 0; round < 300; ++round) {
        MadeTraceOptions options;
        options.nodes = 1 + round % 12;
        const MadeTrace trace = made(options);
        const Detection found = detect_schema(trace.views(), true);
        EXPECT_EQ(found.schema, GetParam()) << found.reason;
        EXPECT_EQ(found.metadata_frame, trace.metadata_frame);
        EXPECT_TRUE(found.fits);
        EXPECT_FALSE(found.ambiguous) << found.reason;
    }
}

TEST_P(MadeTraces, AreOfTheirSchemaWithoutMetadata) {
    for (int round = 0; round < 300; ++round) {
        MadeTraceOptions options;
        options.metadata = false;
        const Detection found = detect_schema(made(options).views(), true);
        EXPECT_EQ(found.schema, without_metadata()) << found.reason;
        EXPECT_FALSE(found.metadata_frame);
        EXPECT_FALSE(found.ambiguous) << found.reason;
    }
}

// Attributes alone tell all schemas apart, fields alone tell 0.0.1.
TEST_P(MadeTraces, AreOfTheirSchemaWithoutNames) {
    for (int round = 0; round < 300; ++round) {
        MadeTraceOptions options;
        options.telling_names = false;
        const MadeTrace trace = made(options);
        const Detection found = detect_schema(trace.views(), true);
        EXPECT_EQ(found.schema, GetParam()) << found.reason;
        EXPECT_EQ(found.metadata_frame, trace.metadata_frame);
    }
}

/// The schemas whose nodes with id, name, type and dependencies only have the same bytes and types.
std::vector<Schema> alike(Schema schema) {
    switch (schema) {
        case Schema::V0_0_1:
        case Schema::V0_0_2:
            return {Schema::V0_0_1, Schema::V0_0_2};
        case Schema::V0_0_3a:
        case Schema::V0_0_3c:
        case Schema::V0_0_3d:
            return {Schema::V0_0_3a, Schema::V0_0_3c, Schema::V0_0_3d};
        default:
            return {Schema::V0_0_4};
    }
}

// Names alone tell the numbers of the types, packed dependencies tell 0.0.4; that is all there is.
TEST_P(MadeTraces, WithoutAttributesAreToldByNames) {
    for (int round = 0; round < 300; ++round) {
        MadeTraceOptions options;
        options.attributes = false;
        options.metadata = false;
        const Detection found = detect_schema(made(options).views(), true);
        const auto allowed = alike(GetParam());
        EXPECT_TRUE(std::count(allowed.begin(), allowed.end(), found.schema) == 1)
            << name_of(found.schema) << ": " << found.reason;
    }
}

// Without names, attributes and metadata there is no telling the numbers of types: what is found
// reads the frames, and whoever asks is told that it is a guess.
TEST_P(MadeTraces, WithoutAnythingAreAGuess) {
    for (int round = 0; round < 300; ++round) {
        MadeTraceOptions options;
        options.attributes = false;
        options.metadata = false;
        options.telling_names = false;
        options.nodes = 1;
        const MadeTrace trace = made(options);
        const Detection found = detect_schema(trace.views(), true);
        EXPECT_TRUE(found.fits);
        if (trace.nodes.front().type != NodeType::CommCollective) {
            EXPECT_TRUE(found.ambiguous) << found.reason;
        }
    }
}

class OlderTraces : public MadeTraces {};

// Nodes of 0.0.4-pre are those of 0.0.4, which are read elsewhere.
TEST_P(OlderTraces, AreReadAsTheyAreMeant) {
    for (int round = 0; round < 300; ++round) {
        MadeTraceOptions options;
        options.telling_names = round % 2 == 0;
        const MadeTrace trace = made(options);
        std::string error;
        std::vector<Attribute> metadata;
        if (trace.metadata_frame) {
            ASSERT_TRUE(decode_older_metadata(GetParam(), trace.frames[0], metadata, error));
        }
        EXPECT_EQ(metadata, trace.metadata);
        for (std::size_t i = 0; i < trace.nodes.size() && GetParam() <= Schema::V0_0_3d; ++i) {
            Node node;
            const auto& frame = trace.frames[i + (trace.metadata_frame ? 1 : 0)];
            ASSERT_TRUE(decode_older_node(GetParam(), frame, node, error)) << error;
            EXPECT_EQ(node, trace.nodes[i]);
        }
    }
}

// Whatever happens to the bytes: they are read, or refused with an explanation.
TEST_P(MadeTraces, SurviveMutations) {
    constexpr int rounds = 4000;
    int unfit = 0;
    MadeTraceOptions options;
    options.nodes = 2;
    MadeTrace trace = made(options);
    for (int round = 0; round < rounds; ++round) {
        if (round % 100 == 0) {
            trace = made(options);
        }
        MadeTrace mutated = trace;
        std::string& bytes = mutated.frames[random_() % mutated.frames.size()];
        for (std::size_t changes = 1 + random_() % 3; changes > 0 && !bytes.empty(); --changes) {
            const std::size_t at = random_() % bytes.size();
            switch (random_() % 4) {
                case 0:
                    bytes[at] = static_cast<char>(random_());
                    break;
                case 1:
                    bytes.insert(at, 1, static_cast<char>(random_()));
                    break;
                case 2:
                    bytes.erase(at, 1 + random_() % 4);
                    break;
                default:
                    bytes.resize(at);
            }
        }
        const Detection found = detect_schema(mutated.views(), round % 2 == 0);
        ASSERT_FALSE(found.reason.empty());
        unfit += found.fits ? 0 : 1;
        ASSERT_TRUE(found.fits || found.frame < mutated.frames.size());
        for (const Schema schema : all_schemas) {
            (void)assume_schema(schema, mutated.views());
            for (const auto& frame : mutated.frames) {
                Node node;
                std::vector<Attribute> metadata;
                std::string error;
                if (schema <= Schema::V0_0_3d && !decode_older_node(schema, frame, node, error)) {
                    ASSERT_FALSE(error.empty());
                }
                if (has_metadata_frame(schema) && schema < Schema::V0_0_4 &&
                    !decode_older_metadata(schema, frame, metadata, error)) {
                    ASSERT_FALSE(error.empty());
                }
            }
        }
    }
    EXPECT_GT(unfit, rounds / 20);
    EXPECT_LT(unfit, rounds);
}

std::string test_name(const ::testing::TestParamInfo<Schema>& tested) {
    std::string name = std::string("V").append(name_of(tested.param));
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '.' || c == '-'; }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(AllSchemas, MadeTraces, ::testing::ValuesIn(all_schemas), test_name);
INSTANTIATE_TEST_SUITE_P(AllButTheLast, OlderTraces,
                         ::testing::ValuesIn(all_schemas.begin(), all_schemas.end() - 1),
                         test_name);

// A file of two nodes that any schema with flat numbers reads: only the name says that 3 is COMP.
TEST(SchemaDetection, NamesDecideWhatBytesDoNot) {
    const auto node = [](std::uint64_t id, const std::string& name) {
        return field(1, id) + field(2, name) + field(3, 3) + (id > 0 ? field(4, 0) : "") +
               field(7, 5);
    };
    const Detection named = detect({node(0, "COMP_NODE"), node(1, "COMP_NODE")});
    EXPECT_EQ(named.schema, Schema::V0_0_1);
    EXPECT_FALSE(named.metadata_frame);
    EXPECT_THAT(named.reason, HasSubstr("COMP_NODE would be a MEM_STORE_NODE"));
    const Detection current = detect({node(5, "MEM_STORE_NODE")});
    EXPECT_EQ(current.schema, Schema::V0_0_4);
}

// 0.0.3a has INT where 0.0.3d has UINT: with nothing but integers, both read the bytes, and what a
// producer would not give an unsigned number decides; or, for want of that, the later schema.
TEST(SchemaDetection, IntegersAloneAreOf0_0_3aOr0_0_3d) {
    const auto node = [](const std::string& name, std::uint64_t value) {
        return field(1, 1) + field(2, "COMM_COLL_NODE") + field(3, 7) +
               field(11, field(1, name) + field(2, 2) + field(6, value));
    };
    EXPECT_EQ(detect({node("comm_type", 2)}).schema, Schema::V0_0_3a);
    EXPECT_EQ(detect({node("offset", ~0ULL)}).schema, Schema::V0_0_3a);
    const Detection open = detect({node("offset", 2)});
    EXPECT_EQ(open.schema, Schema::V0_0_3d);
    EXPECT_TRUE(open.ambiguous);
}

// A whole file that depends on nodes that it does not have is read with the wrong schema: field 5
// is a place in memory in 0.0.1.
TEST(SchemaDetection, AbsentDependenciesSpeakAgainst0_0_4) {
    const auto node = [](std::uint64_t id) {
        return field(1, id) + field(2, "x") + field(3, 4) + field(5, 1);
    };
    const std::vector<std::string> without_1{node(10), node(11), node(12)};
    EXPECT_EQ(detect(without_1).schema, Schema::V0_0_1);
    const std::vector<std::string> with_1{
        field(1, 1) + field(2, "x") + field(3, 4),
        field(1, 2) + field(2, "x") + field(3, 4) + field(5, std::string("\x01"))};
    EXPECT_EQ(detect(with_1).schema, Schema::V0_0_4);
}

TEST(SchemaDetection, SaysWhichFieldTold) {
    const Detection found = detect({field(1, 1) + field(2, "a") + field(3, 3),
                                    field(1, 2) + field(2, "b") + field(3, 6) + field(18, 1024)});
    EXPECT_EQ(found.schema, Schema::V0_0_1);
    EXPECT_EQ(found.reason, "field 18 is a number in frame 1: only 0.0.1 has that");
}

TEST(SchemaDetection, EmptyFilesAndFrames) {
    const Detection nothing = detect({});
    EXPECT_EQ(nothing.schema, Schema::V0_0_4);
    EXPECT_TRUE(nothing.metadata_frame);
    const Detection only_metadata = detect({""});
    EXPECT_EQ(only_metadata.schema, Schema::V0_0_4);
    EXPECT_TRUE(only_metadata.metadata_frame);
    // A node without anything is one of 0.0.4 only: the others require an id.
    const std::string compute = field(2, "x") + field(3, 4) + field(7, 1);
    for (const auto& frames :
         std::vector<std::vector<std::string>>{{"", compute}, {compute, ""}, {"", ""}}) {
        const Detection found = detect(frames);
        EXPECT_EQ(found.schema, Schema::V0_0_4);
        EXPECT_TRUE(found.fits);
        EXPECT_EQ(found.metadata_frame, frames[0].empty());
        EXPECT_FALSE(found.ambiguous);
    }
}

// A name may be an attribute, byte for byte: the type tells that it is a node.
TEST(SchemaDetection, NodeWhoseNameIsAnAttribute) {
    const std::string attribute = field(1, "comm_size") + field(9, 1024);
    EXPECT_TRUE(detect({field(2, attribute)}).metadata_frame);
    EXPECT_FALSE(detect({field(2, attribute) + field(3, 4)}).metadata_frame);
}

// Numbers that older schemas used may come back in a later one: what is otherwise a node of 0.0.4
// stays one. Control characters in the version are odd and no more.
TEST(SchemaDetection, LaterFieldsWithNumbersOfThePast) {
    const std::string node =
        field(1, 3) + field(2, "x") + field(3, 4) + field(5, "\x01") + field(7, 5);
    for (const std::string& more : {field(11, 1), field(11, "later"), field(20, 7)}) {
        const Detection found = detect({field(1, "0.0.4"), node + more});
        EXPECT_TRUE(found.fits) << found.reason;
        EXPECT_EQ(found.schema, Schema::V0_0_4);
        EXPECT_TRUE(found.metadata_frame);
    }
    EXPECT_EQ(detect({field(1, "0.0.4") + field(3, 1), node}).schema, Schema::V0_0_4);
    EXPECT_TRUE(detect({field(1, "0.0.4\n"), node}).metadata_frame);
    const Detection old =
        detect({field(1, "0.0.4"), field(1, 3) + field(2, "x") + field(3, 3) + field(12, 5)});
    EXPECT_FALSE(old.fits);
}

TEST(SchemaDetection, FieldsOfAFutureSchemaAreNone) {
    const Detection found = detect({field(1, "0.0.4"), field(1, 3) + field(3, 4) + field(40, "x")});
    EXPECT_EQ(found.schema, Schema::V0_0_4);
    EXPECT_TRUE(found.fits);
    // Strides of tensors, and a third part of the metadata.
    const Detection within =
        detect({field(1, "1.0.0") + field(21, "x"),
                field(1, 3) + field(3, 4) + field(8, field(2, "[[4]]") + field(4, "[[1]]"))});
    EXPECT_EQ(within.schema, Schema::V0_0_4);
    EXPECT_TRUE(within.fits);
    EXPECT_TRUE(within.metadata_frame);
}

// What no schema reads is explained by the schema that reads the most of it.
TEST(SchemaDetection, NothingFits) {
    const std::string compute = field(1, 1) + field(2, "x") + field(3, 4) + field(7, 1);
    const Detection old = detect({field(1, "0.0.4"), compute + field(12, 5)});
    EXPECT_FALSE(old.fits);
    EXPECT_EQ(old.frame, 1U);
    EXPECT_EQ(old.reason, "field 12 is a number");
    const Detection text = detect({"is is not a trace at all"});
    EXPECT_FALSE(text.fits);
    EXPECT_EQ(text.frame, 0U);
}

// The type of a node is for whoever reads the node to judge: the rest tells the schema.
TEST(SchemaDetection, UnknownTypesAreLeftToTheReader) {
    const std::string compute = field(1, 1) + field(2, "x") + field(3, 4) + field(7, 1);
    const Detection type = detect({field(1, "0.0.4"), compute, field(1, 2) + field(3, 9)});
    EXPECT_TRUE(type.fits);
    EXPECT_EQ(type.schema, Schema::V0_0_4);
    const Detection first = detect({field(1, 2) + field(3, 9)});
    EXPECT_TRUE(first.fits);
    EXPECT_EQ(first.schema, Schema::V0_0_4);
    EXPECT_FALSE(first.metadata_frame);
}

TEST(SchemaDetection, AssumedSchemaNeedsOnlyTheFirstFrame) {
    const std::string compute = field(1, 1) + field(2, "COMP_NODE") + field(3, 3);
    for (const Schema schema : all_schemas) {
        const Detection found = assume_schema(schema, {compute});
        EXPECT_EQ(found.schema, schema);
        EXPECT_FALSE(found.metadata_frame) << name_of(schema);
        EXPECT_TRUE(found.fits);
        EXPECT_EQ(assume_schema(schema, {""}).metadata_frame, has_metadata_frame(schema));
    }
}

}  // namespace
}  // namespace npunet::chakra
