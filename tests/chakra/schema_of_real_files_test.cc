// The schemas of the recorded traces, against what is known of them.

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "chakra/schemas/older_nodes.h"
#include "chakra/schemas/schema_detection.h"
#include "test_files.h"
#include "tests/support/shared_data.h"

namespace npunet::chakra::schema_of_real_files_test {
namespace {

using Views = std::vector<std::string_view>;

std::string unpacked(const std::filesystem::path& path) {
    std::string bytes;
    gzFile file = gzopen(path.c_str(), "rb");
    std::array<char, 65536> part{};
    for (int got = 0; (got = gzread(file, part.data(), part.size())) > 0;) {
        bytes.append(part.data(), static_cast<std::size_t>(got));
    }
    gzclose(file);
    return bytes;
}

/// The whole frames at the beginning of a file, at most `limit`.
Views frames_of(std::string_view bytes, std::size_t limit) {
    Views frames;
    while (!bytes.empty() && frames.size() < limit) {
        std::uint64_t length = 0;
        std::size_t used = 0;
        for (bool more = true; more && used < bytes.size(); ++used) {
            const auto byte = static_cast<unsigned char>(bytes[used]);
            length |= std::uint64_t{byte & 0x7FU} << (7 * used);
            more = (byte & 0x80U) != 0;
        }
        if (length > bytes.size() - used) {
            break;
        }
        frames.push_back(bytes.substr(used, length));
        bytes.remove_prefix(used + length);
    }
    return frames;
}

class SchemaOfRealFiles : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::path(NPUNET_SHARED_DIR) / "data/chakra";
        NPUNET_SKIP_WITHOUT_SHARED_DATA();
        expected_ = nlohmann::json::parse(bytes_of(folder_ / "expected.json"));
    }

    std::filesystem::path folder_;
    nlohmann::json expected_;
};

// Every file is of the schema that is known of it, whether 64 frames are looked at or 3.
TEST_F(SchemaOfRealFiles, IsAsKnown) {
    std::map<std::string, int> files;
    for (const auto& [name, file] : expected_.items()) {
        const std::string bytes = unpacked(folder_ / name);
        for (const std::size_t limit : {64, 3}) {
            const Views frames = frames_of(bytes, limit);
            const Detection found = detect_schema(frames, frames.size() < limit);
            SCOPED_TRACE(name + ": " + found.reason);
            EXPECT_EQ(name_of(found.schema), file.at("version").get<std::string>());
            EXPECT_EQ(found.metadata_frame, file.at("has_metadata").get<bool>());
            EXPECT_TRUE(found.fits);
            EXPECT_FALSE(found.reason.empty());
            const Detection assumed = assume_schema(found.schema, frames);
            EXPECT_TRUE(assumed.fits);
            EXPECT_EQ(assumed.metadata_frame, found.metadata_frame);
        }
        ++files[file.at("version")];
    }
    EXPECT_EQ(files["0.0.1"], 65);
    EXPECT_GT(files["0.0.4"], 300);
}

// Reading a node of 0.0.1 and writing it again changes no byte and loses nothing.
TEST_F(SchemaOfRealFiles, OldestNodesSurviveARoundTrip) {
    std::size_t nodes = 0;
    for (const auto& [name, file] : expected_.items()) {
        if (file.at("version") != "0.0.1") {
            continue;
        }
        SCOPED_TRACE(name);
        const std::string bytes = unpacked(folder_ / name);
        for (const std::string_view original : frames_of(bytes, bytes.size())) {
            Node node;
            std::string error;
            std::string copy;
            Losses losses;
            ASSERT_TRUE(decode_older_node(Schema::V0_0_1, original, node, error)) << error;
            ASSERT_TRUE(encode_node_0_0_1(node, copy, losses, error)) << error;
            EXPECT_EQ(copy, original);
            EXPECT_TRUE(losses.empty());
            ++nodes;
        }
    }
    EXPECT_GT(nodes, 64U * 100U);
}

}  // namespace
}  // namespace npunet::chakra::schema_of_real_files_test
