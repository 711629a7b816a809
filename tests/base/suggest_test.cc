#include "base/suggest.h"

#include <gtest/gtest.h>

namespace npunet {
namespace {

const std::vector<std::string> known{"Ring", "Switch", "FullyConnected", "Mesh2D", "Mesh1D"};

// Distances: Rign -> Ring 2 substitutions, at most half of 4 letters.
TEST(Nearest, FindsTheLeastEditDistance) {
    EXPECT_EQ(nearest("Rign", known), "Ring");
    EXPECT_EQ(nearest("FullConnected", known), "FullyConnected");
    EXPECT_EQ(nearest("Swich", known), "Switch");
}

TEST(Nearest, IgnoresCase) {
    EXPECT_EQ(nearest("RING", known), "Ring");
    EXPECT_EQ(nearest("mesh2d", known), "Mesh2D");
}

TEST(Nearest, TakesTheFirstOfEquals) {
    EXPECT_EQ(nearest("Mesh3D", known), "Mesh2D");
}

// More than half of the letters would have to change.
TEST(Nearest, IsEmptyWhenNothingIsNear) {
    EXPECT_EQ(nearest("Dragonfly", known), "");
    EXPECT_EQ(nearest("", known), "");
    EXPECT_EQ(nearest("Ring", {}), "");
}

// One letter may be wrong even in short words.
TEST(Nearest, AllowsOneMistakeInShortWords) {
    EXPECT_EQ(nearest("b", {"a"}), "a");
}

// A file of one long line, taken for the name of a key.
TEST(Nearest, LongTextIsNearToNothing) {
    std::string line;
    line.resize(100'000'000, 'a');
    EXPECT_EQ(nearest(line, {"a", "aa", "aaa"}), "");
    EXPECT_EQ(nearest("", {"abc", "a"}), "a");
}

TEST(DidYouMean, AsksForTheNearestOrSaysNothing) {
    EXPECT_EQ(did_you_mean("Rign", known), "Did you mean Ring?");
    EXPECT_EQ(did_you_mean("Rign", known, "'"), "Did you mean 'Ring'?");
    EXPECT_EQ(did_you_mean("Dragonfly", known, "'"), "");
}

}  // namespace
}  // namespace npunet
