// A hostfile is a list of (address, slots), one node a line, in the order of the file.
#include "planner/hostfile.h"

#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::planner {
namespace {

class Hostfile : public ::testing::Test {
protected:
    test::TemporaryFolder folder_;
};

TEST_F(Hostfile, NodesInTheOrderOfTheFile) {
    const auto file = folder_.write("hosts", "b slots=4\na slots=8\nb slots=4\n");
    for (const HostfileRules rules : {HostfileRules::Npunet, HostfileRules::Metis}) {
        const auto hosts = read_hostfile(file, rules);
        ASSERT_EQ(hosts.size(), 3U);
        EXPECT_EQ(hosts[0].address, "b");
        EXPECT_EQ(hosts[1].address, "a");
        EXPECT_EQ(hosts[1].slots, 8);
        EXPECT_EQ(hosts[2].line, 3);
    }
}

// Of "slots=16" Metis reads "1".
TEST_F(Hostfile, MetisReadsOneDigit) {
    const auto file = folder_.write("hosts", "a slots=16");
    EXPECT_EQ(read_hostfile(file, HostfileRules::Npunet).front().slots, 16);
    EXPECT_EQ(read_hostfile(file, HostfileRules::Metis).front().slots, 1);
}

TEST_F(Hostfile, BlanksAndCommentsAreOurs) {
    const auto file = folder_.write("hosts", "# nodes\n\n  a \t slots=4 \r\n");
    const auto hosts = read_hostfile(file, HostfileRules::Npunet);
    ASSERT_EQ(hosts.size(), 1U);
    EXPECT_EQ(hosts[0].address, "a");
    EXPECT_EQ(hosts[0].line, 3);
}

TEST_F(Hostfile, MetisTakesNeitherBlankLinesNorTwoBlanks) {
    for (const char* text :
         {"a slots=4\n\n", "\na slots=4\n", "a  slots=4\n", "# x\na slots=4\n"}) {
        const auto file = folder_.write("hosts", text);
        EXPECT_NE(test::problem_of([&] {
                      return read_hostfile(file, HostfileRules::Metis);
                  }).place.find("line"),
                  std::string::npos)
            << text;
    }
}

TEST_F(Hostfile, BadLinesAreNamed) {
    for (const char* line : {"a", "a slots", "a slots=", "a slots=x", "a slots=0", "a slots=-1",
                             "slots=4", "a slot=4"}) {
        const auto file = folder_.write("hosts", std::string("z slots=1\n") + line + "\n");
        for (const HostfileRules rules : {HostfileRules::Npunet, HostfileRules::Metis}) {
            const InputProblem problem =
                test::problem_of([&] { return read_hostfile(file, rules); });
            EXPECT_EQ(problem.file, file.string()) << line;
            EXPECT_EQ(problem.place, "line 2") << line;
        }
    }
}

TEST_F(Hostfile, LimitsOfNodesAndDevices) {
    const auto read = [&](std::string_view text) {
        const auto file = folder_.write("hosts", text);
        return read_hostfile(file, HostfileRules::Npunet);
    };
    EXPECT_EQ(read("a slots=4096\n").front().slots, 4096);
    EXPECT_EQ(test::problem_of([&] { return read("a slots=4097\n"); }).place, "line 1");
    EXPECT_EQ(test::problem_of([&] { return read("a slots=99999999999999999999\n"); }).place,
              "line 1");
    EXPECT_EQ(test::problem_of([&] { return read("a slots=4.5\n"); }).place, "line 1");
    std::string many;
    for (int node = 0; node < 16; ++node) {
        many += "a slots=4096\n";
    }
    EXPECT_EQ(read(many).size(), 16U);
    EXPECT_EQ(test::problem_of([&] { return read(many + "a slots=1\n"); }).place, "line 17");
}

TEST_F(Hostfile, NoFileAndNoHost) {
    const auto found = [](const std::filesystem::path& file) {
        return test::problem_of([&] { return read_hostfile(file, HostfileRules::Npunet); }).found;
    };
    EXPECT_EQ(found(folder_ / "none"), "no such file");
    EXPECT_EQ(found(folder_.path()), "a folder");
    EXPECT_EQ(found(folder_.write("empty", "")), "no host");
    EXPECT_EQ(found(folder_.write("blank", "\n# nothing\n")), "no host");
}

}  // namespace
}  // namespace npunet::planner
