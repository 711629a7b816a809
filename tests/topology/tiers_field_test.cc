// Tiers of Custom networks as the file gives them.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "own_networks.h"
#include "tests/support/temporary_folder.h"

namespace npunet::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string four =
    "Custom:\n"
    "  nodes: [{name: a, kind: npu}, {name: b, kind: npu}, {name: c, kind: npu},\n"
    "          {name: d, kind: npu}, {name: s, kind: switch}]\n"
    "  links: [{from: a, to: s, bandwidth: 5, latency: 5}, {from: b, to: s, bandwidth: 5, latency: "
    "5},\n"
    "          {from: c, to: s, bandwidth: 5, latency: 5}, {from: d, to: s, bandwidth: 5, latency: "
    "5}]\n";

std::vector<std::string> tier_names(const std::vector<Tier>& tiers) {
    std::vector<std::string> names;
    for (const Tier& tier : tiers) {
        names.push_back(tier.name);
    }
    return names;
}

std::vector<Tier> tiers_given(const std::string& tiers) {
    return network_from(four + "  tiers: " + tiers + "\n").tiers;
}

TEST(TiersField, IsRead) {
    EXPECT_THAT(tier_names(network_from(four).tiers), ElementsAre("Switch"));
    EXPECT_THAT(tiers_given("[]"), IsEmpty());
    const std::vector<Tier> regular = tiers_given("[{name: server, size: 2}]");
    ASSERT_THAT(tier_names(regular), ElementsAre("server", "all"));
    EXPECT_THAT(regular[0].block_of_npu, ElementsAre(0, 0, 1, 1));
    EXPECT_THAT(regular[1].block_of_npu, ElementsAre(0, 0, 0, 0));
    // Numbered by the lowest NPU, unequal, and the last one named.
    const std::vector<Tier> lists = tiers_given(
        "[{name: pair, blocks: [[d, b], [c], [a]]}, {name: more, blocks: [[c, b, d], [a]]}, "
        "{name: site, size: 4}]");
    ASSERT_THAT(tier_names(lists), ElementsAre("pair", "more", "site"));
    EXPECT_THAT(lists[0].block_of_npu, ElementsAre(0, 1, 2, 1));
    EXPECT_THAT(lists[1].block_of_npu, ElementsAre(0, 1, 1, 1));
    EXPECT_THAT(tiers_given("[{name: server, size: 3}]")[0].block_of_npu, ElementsAre(0, 0, 0, 1));
}

TEST(TiersField, IsReadBesideAFileOfLinks) {
    const test::TemporaryFolder folder;
    const std::string file =
        folder.write("links.txt", "npu a b c\nswitch s\na s 5 5\nb s 5 5\nc s 5 5\n").string();
    const NetworkDescription network = network_from(
        "Custom: {file: " + file + ", tiers: [{name: server, blocks: [[a, c], [b]]}]}\n");
    EXPECT_THAT(network.tiers.front().block_of_npu, ElementsAre(0, 1, 0));
}

TEST(TiersField, RefusesWhatIsWrong) {
    EXPECT_EQ(refusal_of(four + "  tiers: [{name: server, blocks: [[a, b], [c]]}]\n"),
              "line 6, Custom.tiers[0].blocks: found no block with d; expected each NPU in one "
              "block of the tier. Add it; a block may have a single NPU");
    EXPECT_EQ(refusal_of(four + "  tiers: [{name: pair, blocks: [[a, d], [b, c]]}, {name: half, "
                                "size: 2}]\n"),
              "line 6, Custom.tiers[1]: found b and c in different blocks, which share a block of "
              "the tier pair before; expected blocks made of whole blocks of the tier before. List "
              "the tiers from the inside to the outside");
    std::string seventeen;
    for (int i = 0; i < 17; ++i) {
        seventeen += fmt::format("{}{{name: t{}, size: 1}}", i == 0 ? "" : ", ", i);
    }
    for (const auto& [tiers, part] : std::vector<std::pair<std::string, std::string>>{
             {"", "Custom.tiers: found nothing; expected a list of tiers"},
             {"server", "Custom.tiers: found 'server'; expected a list of tiers"},
             {"{name: server, size: 2}", "Custom.tiers: found a map; expected a list of tiers"},
             {"[server]", "Custom.tiers[0]"},
             {"[{size: 2}]", "expected the key 'name'"},
             {"[{name: '', size: 2}]", "tiers[0].name: found an empty name"},
             {"[{name: x, size: 1}, {name: x, size: 2}]", "tiers[1].name: found 'x' a second time"},
             {"[{name: x}]", "tiers[0]: found neither size nor blocks"},
             {"[{name: x, size: 2, blocks: []}]", "found blocks in addition to size"},
             {"[{name: x, size: 2, colour: red}]", "unknown key 'colour'"},
             {"[{name: x, size: 0}]", "tiers[0].size: found '0'"},
             {"[{name: x, size: 5}]", "tiers[0].size: found '5'"},
             {"[{name: x, size: two}]", "tiers[0].size: found 'two'"},
             {"[{name: x, blocks: a}]", "tiers[0].blocks: found 'a'; expected a list of blocks"},
             {"[{name: x, blocks: []}]", "tiers[0].blocks: found no block with a"},
             {"[{name: x, blocks: [a, b, c, d]}]",
              "tiers[0].blocks[0]: found 'a'; expected a list"},
             {"[{name: x, blocks: [[a, b, c, d], []]}]", "tiers[0].blocks[1]: found an empty list"},
             {"[{name: x, blocks: [[a, b], [c, c, d]]}]",
              "tiers[0].blocks[1][1]: found 'c' a second time; expected each NPU once"},
             {"[{name: x, blocks: [[a, b], [c, e]]}]", "found the unknown NPU 'e'"},
             {"[{name: x, blocks: [[a, b], [c, s]]}]", "found the switch 's'"},
             {"[{name: all, size: 2}]", "found the name 'all' for blocks of fewer NPUs"},
             {"[{name: x, size: 2}, {name: y, size: 3}]",
              "tiers[1]: found c and d in different blocks"},
             {"[" + seventeen + "]", "tiers[16]: found one tier more; expected at most 16"}}) {
        EXPECT_THAT(refusal_of(four + "  tiers: " + tiers + "\n"), HasSubstr(part)) << tiers;
    }
}

}  // namespace
}  // namespace npunet::topology
