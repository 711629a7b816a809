#include "analysis/link_classes.h"

#include <gtest/gtest.h>

namespace npunet::analysis::link_classes_test {
namespace {

engine::LinkResult link(std::uint32_t link_class, std::int64_t busy, std::int64_t wire) {
    engine::LinkResult result;
    result.link_class = link_class;
    result.busy = Time::ns(busy);
    result.wire = Bytes(wire);
    result.payload = Bytes(wire - wire / 10);
    result.utilization_percent = static_cast<double>(busy);
    return result;
}

/// Class 0: 10, 30, 0; class 1: 30, 50, 30.
engine::Results six_links() {
    engine::Results results;
    results.link_classes = {"NIC", "leaf-spine", "unused"};
    results.links = {link(0, 10, 100), link(1, 30, 100), link(0, 30, 100),
                     link(1, 50, 500), link(1, 30, 100), link(0, 0, 0)};
    results.links[3].max_queue = Bytes(7);
    results.links[1].max_queue = Bytes(5);
    results.links[4].max_queue = Bytes(5);
    results.links[1].pauses = results.links[4].pauses = 2;
    results.links[2].marked = 3;
    results.links[3].drops = 4;
    results.links[0].notifications = 6;
    return results;
}

TEST(LinkClasses, SumTheirLinks) {
    const auto classes = use_by_class(six_links());
    ASSERT_EQ(classes.size(), 3U);
    EXPECT_EQ(classes[0].name, "NIC");
    EXPECT_EQ(classes[0].links, 3U);
    EXPECT_DOUBLE_EQ(classes[0].mean_percent, 40.0 / 3);
    EXPECT_EQ(classes[0].max_percent, 30);
    EXPECT_EQ(classes[0].wire, Bytes(200));
    EXPECT_EQ(classes[0].payload, Bytes(180));
    EXPECT_EQ(classes[0].marked, 3U);
    EXPECT_EQ(classes[0].notifications, 6U);
    EXPECT_EQ(classes[1].max_queue, Bytes(7));
    EXPECT_EQ(classes[1].pauses, 4U);
    EXPECT_EQ(classes[1].drops, 4U);
    EXPECT_EQ(classes[2].links, 0U);
    EXPECT_EQ(classes[2].mean_percent, 0);
}

TEST(LinkClasses, SumToAllLinks) {
    const LinkClassUse all = use_of_all(six_links());
    EXPECT_EQ(all.links, 6U);
    EXPECT_DOUBLE_EQ(all.mean_percent, 25);
    EXPECT_EQ(all.max_percent, 50);
    EXPECT_EQ(all.wire, Bytes(900));
    EXPECT_EQ(all.pauses + all.marked + all.drops + all.notifications, 17U);
}

TEST(LinkClasses, TheBusiestLinkIsFirst) {
    const engine::Results results = six_links();
    EXPECT_EQ(busiest_links(results), (std::vector<const engine::LinkResult*>{
                                          &results.links[3], &results.links[1], &results.links[2],
                                          &results.links[4], &results.links[0]}));
}

}  // namespace
}  // namespace npunet::analysis::link_classes_test
