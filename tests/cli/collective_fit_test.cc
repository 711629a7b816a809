// npunet collective fit: logs of nccl-tests, rows in CSV, errors.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>

#include "program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {
namespace {

using testing::HasSubstr;

/// As all_gather_perf prints it: 12 us and 300 GB/s.
std::string log_of(const std::string& heading) {
    std::string text =
        "# nThread 1 nGpus 4 minBytes 1024 maxBytes 268435456 step: 4(factor)\n"
        "#\n" +
        heading +
        "#  Rank  0 Group  0 Pid   1 on host device  0 [0x1b] GPU\n"
        "#  Rank  1 Group  0 Pid   1 on host device  1 [0x1c] GPU\n"
        "#  Rank  2 Group  0 Pid   1 on host device  2 [0x1d] GPU\n"
        "#  Rank  3 Group  0 Pid   1 on host device  3 [0x1e] GPU\n"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n";
    for (std::int64_t bytes = 1024; bytes <= 256 << 20; bytes *= 4) {
        text += fmt::format("{:12} {:12} float none -1 {:.2f} 0.1 0.1 0\n", bytes, bytes / 4,
                            12 + static_cast<double>(bytes) * 0.75 / 300e3);
    }
    return text + "# Out of bounds values : 0 OK\n";
}

TEST(CollectiveFit, MakesAProfileOfALog) {
    const test::TemporaryFolder folder;
    const std::string log =
        folder.write("log.txt", log_of("# Collective test starting: all_gather_perf\n")).string();
    const std::string profile = (folder.path() / "mine.json").string();
    const Outcome fitted =
        run("collective fit " + log + " --gpu h100-pcie --architecture hopper --output " + profile);
    ASSERT_EQ(fitted.code, 0) << fitted.log;
    EXPECT_THAT(fitted.out, HasSubstr("Ring"));
    EXPECT_THAT(fitted.log, HasSubstr("10 rows"));
    EXPECT_THAT(fitted.log, HasSubstr("no row depends on"));
    const std::string rows = folder
                                 .write("rows.csv",
                                        "gpu,gpus,bytes,quantity,value,unit\n"
                                        "h100,4,268435456,all_gather_time,683.1,us\n")
                                 .string();
    const Outcome shown = run("validate collectives " + rows + " --collectives " + profile);
    EXPECT_EQ(shown.code, 0) << shown.log;
    EXPECT_THAT(shown.out, HasSubstr("the profile has no GPU 'h100'"));
}

TEST(CollectiveFit, AsksForWhatALogDoesNotSay) {
    const test::TemporaryFolder folder;
    const std::string log = folder.write("log.txt", log_of("")).string();
    const std::string options =
        " --gpu h100 --architecture hopper --output " + (folder.path() / "mine.json").string();
    const Outcome untold = run("collective fit " + log + options);
    EXPECT_EQ(untold.code, 2);
    EXPECT_THAT(untold.log, HasSubstr("--type"));
    EXPECT_EQ(run("collective fit " + log + options + " --type all_gather --quiet").code, 0);
    const Outcome few = run("collective fit " + log + options + " --type all_gather --gpus 4 " +
                            "--gpus-per-node 3");
    EXPECT_EQ(few.code, 2);
    EXPECT_THAT(few.log, HasSubstr("--npus-per-node"));
    const std::string other = folder.write("other.csv", "value,quantity\n1,x\n").string();
    EXPECT_EQ(run("collective fit " + other + options).code, 2);
}

TEST(CollectiveFit, TheNetworkIsRequiredOtherwise) {
    const Outcome outcome = run("collective --type all_reduce");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.log, HasSubstr("--network"));
}

}  // namespace
}  // namespace npunet::cli
