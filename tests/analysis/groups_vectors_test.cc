// Files of parallel groups as the reference read them. Where its reader went wrong (an error
// section makes it take the replicas for groups of data parallelism), ours does not.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "profiles/parallel_groups_reader.h"
#include "tests/support/shared_data.h"

namespace npunet::analysis {
namespace {

using Json = nlohmann::json;
using profiles::ParallelGroupsFile;
using profiles::RankLists;

Json json_of(const std::optional<RankLists>& lists) {
    Json json = Json::array();
    for (const auto& list : lists.value_or(RankLists{})) {
        Json ranks = Json::array();
        for (const Rank rank : list) {
            ranks.push_back(rank.value());
        }
        json.push_back(ranks);
    }
    return json;
}

Json json_of(const std::optional<std::int64_t>& number) {
    return number ? Json(*number) : Json();
}

Json replicas_of(const Json& config) {
    Json lists = Json::array();
    for (const auto& group : config["Full Model Rank Groups"]) {
        lists.push_back(group["ranks"]);
    }
    return lists;
}

TEST(GroupsVectors, AreReadAsTheReferenceReadsThem) {
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    std::ifstream stream(NPUNET_SHARED_DIR "/data/profiler/groups_parser_vectors.json");
    const Json vectors = Json::parse(stream);
    ASSERT_EQ(vectors.size(), 4U);
    for (const auto& [name, vector] : vectors.items()) {
        SCOPED_TRACE(name);
        std::istringstream text(vector["text"].get<std::string>());
        const ParallelGroupsFile file = profiles::read_parallel_groups(text, name);
        const Json& config = vector["config"];
        EXPECT_EQ(json_of(file.tp), config["TP"]);
        EXPECT_EQ(json_of(file.pp), config["PP"]);
        EXPECT_EQ(json_of(file.dp), config["DP"]);
        EXPECT_EQ(json_of(file.ep), config["EP"]);
        EXPECT_EQ(json_of(file.cp), config["CP"]);
        EXPECT_EQ(json_of(file.world), config["World Size"]);
        EXPECT_EQ(json_of(file.tensor), config["TP Groups"]);
        EXPECT_EQ(json_of(file.pipeline), config["PP Groups"]);
        EXPECT_EQ(json_of(file.expert), config["EP Groups"]);
        EXPECT_EQ(json_of(file.replicas), replicas_of(config));
        if (name != "with_error_section") {
            EXPECT_EQ(json_of(file.data), config["DP Groups"]);
        } else {
            EXPECT_NE(json_of(file.data), config["DP Groups"]);
            EXPECT_EQ(file.failures.size(), 1U);
        }
    }
}

}  // namespace
}  // namespace npunet::analysis
