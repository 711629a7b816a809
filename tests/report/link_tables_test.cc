#include "report/results/link_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/sample_results.h"

namespace npunet::report::link_tables_test {
namespace {

using testing::HasSubstr;
using testing::Not;

// Three links of two classes: 6400 and 12800 bytes on NICs, nothing on the third.
TEST(LinkTables, HaveEachClassAndTheBusiestLinks) {
    EXPECT_EQ(
        link_tables(sample_results()),
        "links by class  count  mean utilization  maximum      bytes  on the wire  max queue  "
        "CNPs\n"
        "------------------------------------------------------------------------------------"
        "-----\n"
        "NIC                 2             35.0%    50.0%  18.75 KiB    19.04 KiB  4.062 KiB  "
        "  10\n"
        "leaf-spine          1              0.0%     0.0%        0 B          0 B  4.062 KiB  "
        "   5\n"
        "all                 3             23.3%    50.0%  18.75 KiB    19.04 KiB  4.062 KiB  "
        "  15\n"
        "\n"
        "most loaded links      bytes  on the wire  utilization  max queue  CNPs\n"
        "-----------------------------------------------------------------------\n"
        "npu1 -> npu2       12.50 KiB    12.70 KiB        50.0%  4.062 KiB     5\n"
        "npu0 -> npu1       6.250 KiB    6.348 KiB        20.0%  4.062 KiB     5\n");
}

engine::LinkResult link(const char* from, std::int64_t busy, std::uint64_t pauses = 0) {
    engine::LinkResult result;
    result.from = from;
    result.to = "switch";
    result.busy = Time::ns(busy);
    result.utilization_percent = static_cast<double>(busy) / 100;
    result.payload = result.wire = Bytes(4096);
    result.pauses = pauses;
    return result;
}

// Utilizations of 30.01 and 30.02 % look the same; pauses tell rows apart, and so do classes.
TEST(LinkTables, LinksThatLookTheSameAreOneRow) {
    engine::Results results;
    results.link_classes = {"NIC", "leaf-spine"};
    results.links = {link("a", 3001), link("b", 3002), link("c", 3001, 4), link("d", 3002),
                     link("e", 3002)};
    results.links[4].link_class = 1;
    const std::string text = link_tables(results);
    EXPECT_THAT(text, HasSubstr("\nb -> switch, 3 links like this  4 KiB"));
    EXPECT_THAT(text, HasSubstr("\nc -> switch "));
    EXPECT_THAT(text, HasSubstr("\ne -> switch "));
    EXPECT_THAT(text, HasSubstr("  pauses\n"));
    EXPECT_THAT(text, Not(HasSubstr("CNPs")));
    // Beyond the last row, links that look like one of the rows still count.
    const std::string one = link_tables(results, 1);
    EXPECT_THAT(one, HasSubstr("b -> switch, 3 links like this"));
    EXPECT_THAT(one, Not(HasSubstr("c -> switch")));
}

TEST(LinkTables, OfNoLinksAreEmpty) {
    EXPECT_THAT(link_tables(engine::Results()), testing::StartsWith("most loaded links"));
}

}  // namespace
}  // namespace npunet::report::link_tables_test
