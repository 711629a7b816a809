// report.html in the folders of simulate and compare.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/bad_input.h"

namespace npunet::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ReportPage : public BadInput {
protected:
    [[nodiscard]] std::string content(const std::string& name) const {
        return test::bytes_of(folder_ / name);
    }
};

// What decides the results is named; where they go to, and how they are shown, is not.
TEST_F(ReportPage, NamesItsInputs) {
    all_reduce_traces(2);
    ASSERT_EQ(
        simulate("ring2.yml", {"--fidelity", "congestion-aware", "--no-fold", "--quiet"}).code, 0);
    const std::string page = content("out/report.html");
    for (const char* named : {"--workload", "--network", "--fidelity", "--no-fold"}) {
        EXPECT_THAT(page, HasSubstr(named));
    }
    EXPECT_THAT(page, HasSubstr(path("ring2.yml")));
    EXPECT_THAT(page, Not(HasSubstr("--output-dir")));
    EXPECT_THAT(page, Not(HasSubstr("--quiet")));
}

// The same command gives the same page in another folder, and over an older one.
TEST_F(ReportPage, DependsOnTheInputAlone) {
    all_reduce_traces(2);
    ASSERT_EQ(simulate("ring2.yml").code, 0);
    const std::string page = content("out/report.html");
    ASSERT_FALSE(page.empty());
    ASSERT_EQ(simulate("ring2.yml", {"--json"}).code, 0);
    EXPECT_EQ(content("out/report.html"), page);
    ASSERT_EQ(run({"simulate", "--workload", path("w"), "--network", path("ring2.yml"),
                   "--output-dir", path("elsewhere")})
                  .code,
              0);
    EXPECT_EQ(content("elsewhere/report.html"), page);
}

// Whatever files and nodes are called.
TEST_F(ReportPage, EscapesNamesOfFilesAndNodes) {
    const std::string name = "<img src=x onerror=alert(1)>";
    write(name + ".yml",
          "Custom:\n"
          "    nodes:\n"
          "        - {name: \"</script><b>\", kind: npu}\n"
          "        - {name: \"\\\"'&amp;\", kind: npu}\n"
          "    links:\n"
          "        - {from: \"</script><b>\", to: \"\\\"'&amp;\", bandwidth: 50, latency: 500}\n");
    all_reduce_traces(2);
    const Outcome outcome = simulate(name + ".yml");
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    const std::string page = content("out/report.html");
    EXPECT_THAT(page, Not(HasSubstr("<img")));
    EXPECT_THAT(page, Not(HasSubstr("<b>")));
    EXPECT_THAT(page, HasSubstr("&lt;/script&gt;&lt;b&gt;"));
    EXPECT_THAT(page, HasSubstr("&quot;&#39;&amp;amp;"));
}

// A folder of that name stands in the way: the machine's fault, and no other file half-written.
TEST_F(ReportPage, ThatCannotBeWrittenIsTheMachinesFault) {
    all_reduce_traces(2);
    std::filesystem::create_directories(folder_ / "out/report.html/inside");
    EXPECT_EQ(simulate("ring2.yml").code, 4);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out/results.json"));
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "out")) {
        EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("tmp")));
    }
}

TEST_F(ReportPage, OfAComparisonReachesThoseOfTheFidelities) {
    all_reduce_traces(2);
    const Outcome outcome =
        run({"compare", "--workload", path("w"), "--network", path("ring2.yml"), "--fidelities",
             "analytical,congestion-aware", "--output-dir", path("out")});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    const std::string page = content("out/report.html");
    for (const std::string fidelity : {"analytical", "congestion-aware"}) {
        EXPECT_THAT(page, HasSubstr("href=\"" + fidelity + "/report.html\""));
        EXPECT_THAT(content("out/" + fidelity + "/report.html"),
                    HasSubstr("Simulation (" + fidelity));
    }
}

}  // namespace
}  // namespace npunet::cli
