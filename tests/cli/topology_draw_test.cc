// npunet topology --draw: a picture of the network.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "tests/cli/bad_input.h"

namespace npunet::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class TopologyDraw : public BadInput {
protected:
    [[nodiscard]] Outcome draw(const std::string& network, const std::string& picture,
                               const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments{"topology", path(network), "--draw", path(picture)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
    [[nodiscard]] std::size_t paths_of(const std::string& picture) const {
        const std::string svg = test::bytes_of(folder_ / picture);
        const std::regex path("<path");
        return static_cast<std::size_t>(
            std::distance(std::sregex_iterator(svg.begin(), svg.end(), path), {}));
    }
};

// A 4 x 4 mesh has 48 links of one kind and 16 NPUs. A route of three links is drawn over them and
// stands in the legend.
TEST_F(TopologyDraw, DrawsNodesLinksAndARoute) {
    ASSERT_EQ(draw("mesh.yml", "mesh.svg").code, 0);
    const std::size_t plain = paths_of("mesh.svg");
    EXPECT_GE(plain, 48U + 16U);
    const Outcome outcome = draw("mesh.yml", "route.svg", {"--route", "1", "7"});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_EQ(outcome.out, "1 -> 2 -> 3 -> 7\n");
    EXPECT_GE(paths_of("route.svg"), plain + 3);
    ASSERT_EQ(draw("mesh.yml", "mesh.png").code, 0);
    EXPECT_THAT(test::bytes_of(folder_ / "mesh.png"), StartsWith("\x89PNG"));
}

TEST_F(TopologyDraw, TheSameNetworkGivesTheSameBytes) {
    ASSERT_EQ(draw("mesh.yml", "a.svg").code, 0);
    ASSERT_EQ(draw("mesh.yml", "b.svg").code, 0);
    EXPECT_EQ(test::bytes_of(folder_ / "a.svg"), test::bytes_of(folder_ / "b.svg"));
}

TEST_F(TopologyDraw, RefusesWhatIsNoPicture) {
    const Outcome name = draw("mesh.yml", "mesh.jpeg");
    EXPECT_EQ(name.code, 2);
    EXPECT_THAT(name.log, HasSubstr(".svg or .png"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "mesh.jpeg"));

    write("full.yml",
          "topology: [FullyConnected]\nnpus_count: [512]\nbandwidth: [50]\nlatency: [500]\n");
    const Outcome large = draw("full.yml", "full.svg");
    EXPECT_EQ(large.code, 2);
    EXPECT_THAT(large.log, HasSubstr("261632 links"));

    const Outcome nowhere = draw("mesh.yml", "mesh.yml/mesh.svg");
    EXPECT_EQ(nowhere.code, 4) << nowhere.log;
}

}  // namespace
}  // namespace npunet::cli
