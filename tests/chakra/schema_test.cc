#include "chakra/trace/schema.h"

#include <gtest/gtest.h>

namespace npunet::chakra {
namespace {

// Names and schemas are one to one.
TEST(Schema, NamesLeadBack) {
    for (const Schema schema : all_schemas) {
        EXPECT_EQ(schema_from(name_of(schema)), schema);
        EXPECT_EQ(schema_from(std::string("v").append(name_of(schema))), schema);
        EXPECT_NE(schema_names().find(name_of(schema)), std::string::npos);
    }
    EXPECT_EQ(schema_names(), "0.0.1, 0.0.2, 0.0.3a, 0.0.3c, 0.0.3d, 0.0.4-pre, 0.0.4");
}

TEST(Schema, OtherNamesOfTheSameBytes) {
    EXPECT_EQ(schema_from("1.0.0"), Schema::V0_0_4);
    EXPECT_EQ(schema_from("v0.0.3"), Schema::V0_0_3d);
    EXPECT_EQ(schema_from("0.0.3b"), Schema::V0_0_3a);
    for (const char* none : {"", "v", "0.0.5", "0.0.4 ", "vv0.0.4", "1.0.2-chakra.0.0.4"}) {
        EXPECT_EQ(schema_from(none), std::nullopt) << none;
    }
}

TEST(Schema, MetadataCameWith0_0_3c) {
    EXPECT_FALSE(has_metadata_frame(Schema::V0_0_1));
    EXPECT_FALSE(has_metadata_frame(Schema::V0_0_2));
    EXPECT_FALSE(has_metadata_frame(Schema::V0_0_3a));
    EXPECT_TRUE(has_metadata_frame(Schema::V0_0_3c));
    EXPECT_TRUE(has_metadata_frame(Schema::V0_0_3d));
    EXPECT_TRUE(has_metadata_frame(Schema::V0_0_4pre));
    EXPECT_TRUE(has_metadata_frame(Schema::V0_0_4));
}

}  // namespace
}  // namespace npunet::chakra
