#include "study/jobs_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/errors.h"
#include "chakra/files/trace_writer.h"
#include "study/jobs.h"
#include "tests/support/machines.h"
#include "tests/support/refusals.h"
#include "tests/support/runs.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/workloads.h"

namespace npunet::study {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class JobsFileTest : public testing::Test {
protected:
    void SetUp() override {
        std::filesystem::create_directories(folder_ / "traces");
        for (std::int32_t rank = 0; rank < 2; ++rank) {
            chakra::write_trace(
                folder_ / ("traces/w." + std::to_string(rank) + ".et"),
                std::vector{test::collective_node(1, chakra::CollectiveType::AllReduce, 4096)});
        }
    }

    [[nodiscard]] std::string file(const std::string& text) const {
        return folder_.write("jobs.yml", text).string();
    }
    [[nodiscard]] JobsFile read(const std::string& text) const {
        return read_jobs_file(file(text));
    }
    /// What the error says of a file that cannot be read.
    [[nodiscard]] std::string refusal(const std::string& text) const {
        return test::message_of<InputError>([&] { (void)read(text); });
    }
    /// What the error says of a file that does not fit a ring of four.
    [[nodiscard]] std::string misfit(const std::string& text) const {
        return test::message_of<InputError>([&] { (void)load_jobs(read(text), ring()); });
    }
    static Machine ring() {
        Machine machine;
        const test::TestMachine four = test::ring_machine(4, Rate(50'000'000'000), Time::ns(500));
        machine.dialect = four.dialect;
        machine.network = four.network;
        machine.system = four.system;
        return machine;
    }

    test::TemporaryFolder folder_;
};

// Paths are those of the file's folder, NPUs numbers and spans in the order of the ranks.
TEST_F(JobsFileTest, ReadsJobs) {
    const JobsFile jobs = read(
        "- name: a\n  workload: traces/w\n  ranks: [3, 0-2, 9]\n"
        "- {name: b-2, workload: /far/w, comm_group: groups.json, ranks: 12, start: 1.5us}\n");
    ASSERT_EQ(jobs.jobs.size(), 2U);
    EXPECT_EQ(jobs.dialect, "npunet");
    const JobEntry& a = jobs.jobs[0];
    EXPECT_EQ(a.name, "a");
    EXPECT_EQ(a.workload, (folder_ / "traces/w").string());
    EXPECT_EQ(a.comm_group, "");
    EXPECT_THAT(a.npus, ElementsAre(NodeId(3), NodeId(0), NodeId(1), NodeId(2), NodeId(9)));
    EXPECT_EQ(a.start, Time());
    const JobEntry& b = jobs.jobs[1];
    EXPECT_EQ(b.workload, "/far/w");
    EXPECT_EQ(b.comm_group, (folder_ / "groups.json").string());
    EXPECT_THAT(b.npus, ElementsAre(NodeId(12)));
    EXPECT_EQ(b.start, Time::ns(1500));
}

TEST_F(JobsFileTest, JobsHaveOneDialect) {
    const std::string a = "- {name: a, workload: w, ranks: [0]}\n";
    const std::string astra = "- {name: b, workload: w, ranks: [1], dialect: astra-sim}\n";
    EXPECT_EQ(read_jobs_file(file(a), "astra-sim").dialect, "astra-sim");
    EXPECT_EQ(read_jobs_file(file(a + astra), "astra-sim").dialect, "astra-sim");
    EXPECT_EQ(read(astra).dialect, "astra-sim");
    EXPECT_THAT(refusal(a + astra),
                AllOf(HasSubstr("jobs.yml"), HasSubstr("line 2"),
                      HasSubstr("dialect astra-sim of job 'b' beside npunet of job 'a'")));
    EXPECT_THAT(refusal("- {name: a, workload: w, ranks: [0], dialect: astrasim}\n"),
                AllOf(HasSubstr("line 1"), HasSubstr("Did you mean astra-sim?")));
}

// Each mistake with its line, and what is wrong.
TEST_F(JobsFileTest, SaysWhatIsWrongAndWhere) {
    const std::string a = "- {name: a, workload: w, ranks: [0, 1]}\n";
    const struct {
        std::string text;
        std::vector<std::string> says;
    } cases[] = {
        {"", {"nothing", "a list"}},
        {"[]\n", {"an empty list", "at least one job"}},
        {"name: a\n", {"a map", "a list"}},
        {"- a\n", {"line 1", "[0]"}},
        {"- {workload: w, ranks: [0]}\n", {"[0].name", "nothing"}},
        {"- {name: a, ranks: [0]}\n", {"[0].workload", "nothing"}},
        {"- {name: a, workload: w}\n", {"[0].ranks", "nothing"}},
        {"- {name: a, workload: w, rank: [0]}\n", {"line 1", "rank", "ranks"}},
        {"- {name: a, workload: '', ranks: [0]}\n", {"line 1", "the prefix of traces"}},
        {a + "- {name: a, workload: w, ranks: [2]}\n", {"line 2", "'a' a second time"}},
        {"- {name: .., workload: w, ranks: [2]}\n", {"line 1", "'..'", "a name for a folder"}},
        {"- {name: x/y, workload: w, ranks: [2]}\n", {"line 1", "'x/y'", "a name for a folder"}},
        {"- {name: '', workload: w, ranks: [2]}\n", {"line 1", "''", "a name for a folder"}},
        {"- {name: 'a b', workload: w, ranks: [2]}\n", {"line 1", "a name for a folder"}},
        {"- {name: -a, workload: w, ranks: [2]}\n", {"line 1", "a name for a folder"}},
        {"- {name: " + std::string(101, 'a') + ", workload: w, ranks: [2]}\n", {"at most 100"}},
        {a + "- {name: b, workload: w, ranks: [2, 1]}\n",
         {"line 2, [1].ranks[1]", "NPU 1, which job 'a' has", "Give job 'b' others"}},
        {"- {name: a, workload: w, ranks: [0-3, 2]}\n", {"[0].ranks[1]", "NPU 2 a second time"}},
        {"- {name: a, workload: w, ranks: []}\n", {"line 1", "an empty list", "NPUs of the job"}},
        {"- {name: a, workload: w, ranks: [-1]}\n", {"'-1'", "the number of an NPU"}},
        {"- {name: a, workload: w, ranks: [3-1]}\n", {"'3-1'", "the first and the last"}},
        {"- {name: a, workload: w, ranks: [0-99999999]}\n", {"'0-99999999'"}},
        {"- {name: a, workload: w, ranks: [0x1]}\n", {"'0x1'", "the number of an NPU"}},
        {"- {name: a, workload: w, ranks: [[0]]}\n", {"a list of 1", "the number of an NPU"}},
        {"- {name: a, workload: w, ranks: [0], start: -5ns}\n", {"line 1", "start", "'-5ns'"}},
        {"- {name: a, workload: w, ranks: [0], start: 5}\n", {"line 1", "start", "'5'"}},
        {"- {name: a, workload: w, ranks: [0], start: 1e9s}\n", {"start", "2^62"}},
        {"- {name: a, workload: w, ranks: [0]\n", {"line", "column"}},
    };
    for (const auto& [text, says] : cases) {
        const std::string message = refusal(text);
        EXPECT_THAT(message, HasSubstr("jobs.yml")) << text;
        for (const std::string& part : says) {
            EXPECT_THAT(message, HasSubstr(part)) << text;
        }
    }
}

// What only the machine and the traces tell.
TEST_F(JobsFileTest, JobsFitTheirMachineAndTraces) {
    EXPECT_EQ(load_jobs(read("- {name: a, workload: traces/w, ranks: [3, 0]}\n"), ring()).size(),
              1U);
    EXPECT_THAT(
        misfit("- {name: a, workload: traces/w, ranks: [0, 4]}\n"),
        AllOf(HasSubstr("jobs.yml"), HasSubstr("line 1"), HasSubstr("NPU 4"), HasSubstr("0 to 3")));
    for (const char* ranks : {"[0]", "[0, 1, 2]"}) {
        EXPECT_THAT(misfit("- {name: a, workload: traces/w, ranks: " + std::string(ranks) + "}\n"),
                    AllOf(HasSubstr("jobs.yml"), HasSubstr("line 1, [0].ranks"),
                          HasSubstr("2, one for each trace")));
    }
    EXPECT_THAT(misfit("- {name: a, workload: traces/v, ranks: [0, 1]}\n"),
                HasSubstr((folder_ / "traces/v").string()));
}

}  // namespace
}  // namespace npunet::study
