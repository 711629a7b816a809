// The published table: 10, 20, 20 and 40 layers on 16+16 to 128+128 devices. The steps do not
// depend on the order of the types, the costs do, and for the same order both strategies find the
// same best plan.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "planner/metis/search.h"
#include "published_cluster.h"
#include "tests/support/shared_data.h"

namespace npunet::planner::metis::published_test {
namespace {

class Published : public ::testing::Test {
protected:
    void SetUp() override { NPUNET_SKIP_WITHOUT_SHARED_DATA(); }
};

const std::vector<std::string> a_first{"A100", "V100"};
const std::vector<std::string> v_first{"V100", "A100"};

struct Row {
    std::int64_t layers;
    std::int64_t devices;
    std::uint64_t metis_steps;
    std::uint64_t headroom_steps;
    const char* a_first_cost;
    const char* v_first_cost;
};

void expect_row(const Row& row) {
    const Inputs inputs = published_inputs(row.layers, row.devices);
    for (const Strategy strategy : {Strategy::Metis, Strategy::Headroom}) {
        for (const auto& order : {a_first, v_first}) {
            Arguments arguments = published_arguments(row.layers, strategy);
            arguments.device_order = order;
            const SearchResult result = search(inputs, arguments);
            EXPECT_EQ(result.steps(),
                      strategy == Strategy::Metis ? row.metis_steps : row.headroom_steps);
            EXPECT_EQ(fmt::format("{:.4f}", result.cost(result.best(1).front())),
                      order == a_first ? row.a_first_cost : row.v_first_cost);
        }
    }
}

TEST_F(Published, TenLayersOnThirtyTwoDevices) {
    expect_row({10, 16, 612, 562, "1793.6010", "1898.3743"});
}

TEST_F(Published, TwentyLayersOnSixtyFourDevices) {
    expect_row({20, 32, 58078, 41208, "2078.5573", "2005.7786"});
}

TEST_F(Published, TwentyLayersOnAHundredAndTwentyEightDevices) {
    expect_row({20, 64, 3734, 3482, "1101.6535", "1098.3463"});
}

TEST_F(Published, FortyLayersOnTwoHundredAndFiftySixDevices) {
    expect_row({40, 128, 1714619, 1553492, "1120.2241", "1154.7238"});
}

// The profiles of the shared rows were made by the original's generator from the same samples.
TEST_F(Published, ProfilesAreThoseOfTheSharedRows) {
    const auto folder = std::filesystem::path(NPUNET_SHARED_DIR) / "data/planner/row2/profile";
    const ProfileSet expected = read_profiles(folder);
    const ProfileSet made = stretched_profiles(20, 128);
    ASSERT_EQ(made.all().size(), expected.all().size());
    for (std::size_t i = 0; i < made.all().size(); ++i) {
        const LayerProfile& profile = made.all()[i];
        const LayerProfile& original = expected.all()[i];
        ASSERT_EQ(profile.file_name, original.file_name);
        EXPECT_EQ(profile.layer_ms, original.layer_ms) << profile.file_name;
        EXPECT_EQ(profile.forward_backward_ms, original.forward_backward_ms) << profile.file_name;
        EXPECT_EQ(profile.optimizer_ms, original.optimizer_ms) << profile.file_name;
        EXPECT_EQ(profile.batch_generator_ms, original.batch_generator_ms) << profile.file_name;
        EXPECT_EQ(profile.layer_memory_mib, original.layer_memory_mib) << profile.file_name;
        EXPECT_EQ(profile.parameter_bytes, original.parameter_bytes) << profile.file_name;
    }
}

}  // namespace
}  // namespace npunet::planner::metis::published_test
