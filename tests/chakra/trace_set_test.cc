#include "chakra/trace/trace_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_files.h"

namespace npunet::chakra {
namespace {

using ::testing::HasSubstr;

/// While it lives, no user may read the path, and the test is not root.
class WithoutRights {
public:
    explicit WithoutRights(std::filesystem::path path)
        : path_(std::move(path)), user_(::geteuid()) {
        std::filesystem::permissions(path_, std::filesystem::perms::none);
        done_ = user_ != 0 || ::seteuid(65534) == 0;
    }
    ~WithoutRights() {
        [[maybe_unused]] const int back = ::seteuid(user_);
        std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
    }
    WithoutRights(const WithoutRights&) = delete;
    WithoutRights& operator=(const WithoutRights&) = delete;
    [[nodiscard]] bool done() const { return done_; }

private:
    std::filesystem::path path_;
    uid_t user_;
    bool done_ = false;
};

class TraceSetTest : public ::testing::Test {
protected:
    std::string prefix(std::string_view name = "w") const { return (folder_ / name).string(); }

    void make_ranks(int first, int last) const {
        for (int rank = first; rank <= last; ++rank) {
            folder_.write("w." + std::to_string(rank) + ".et", "");
        }
    }

    test::TemporaryFolder folder_;
};

TEST_F(TraceSetTest, CountsTheRanks) {
    make_ranks(0, 11);
    const TraceSet found = find_traces(prefix());
    EXPECT_EQ(found.ranks, 12);
    EXPECT_EQ(found.path(Rank{10}), folder_ / "w.10.et");
}

TEST_F(TraceSetTest, OtherFilesDoNotCount) {
    make_ranks(0, 1);
    for (const char* other : {"w.et", "w.2.et.tmp", "w.02.et", "w.x.et", "w2.2.et", "ww.2.et",
                              "w.-1.et", "w..et", "w.json", "w.2.txt", "w.2", "w.99999999999.et"}) {
        folder_.write(other, "");
    }
    EXPECT_EQ(find_traces(prefix()).ranks, 2);
}

TEST_F(TraceSetTest, APrefixMayHaveDots) {
    folder_.write("gpt.v1.0.et", "");
    folder_.write("gpt.v1.1.et", "");
    EXPECT_EQ(find_traces(prefix("gpt.v1")).ranks, 2);
}

TEST_F(TraceSetTest, NamesTheMissingRank) {
    make_ranks(0, 6);
    make_ranks(8, 8);
    const auto found = problem_of([&] { (void)find_traces(prefix()); });
    EXPECT_EQ(found.found, "8 traces up to rank 8, but no " + (folder_ / "w.7.et").string());
}

TEST_F(TraceSetTest, RankZeroMayBeTheMissingOne) {
    make_ranks(1, 4);
    EXPECT_THAT(problem_of([&] { (void)find_traces(prefix()); }).found, HasSubstr("w.0.et"));
}

// Which of two sets is meant is unknown; files without a rank belong to none.
TEST_F(TraceSetTest, OneEndingForAllTraces) {
    make_ranks(0, 1);
    folder_.write("w.json", "");
    folder_.write("comm_group.json", "");
    EXPECT_EQ(find_traces(prefix()).extension, ".et");
    folder_.write("w.1.json", "");
    folder_.write("w.0.json", "");
    const auto found = problem_of([&] { (void)find_traces(prefix()); });
    EXPECT_EQ(found.found,
              (folder_ / "w.0.et").string() + ", and also " + (folder_ / "w.0.json").string());
    EXPECT_EQ(found.remedy, "Move one set to another folder");
    for (const char* ending : {".et.gz", ".json.gz", ".eg"}) {
        const std::string other = "v" + std::string(ending);
        folder_.write(other + ".0.et", "");
        folder_.write(other + ".3" + ending, "");
        EXPECT_THAT(problem_of([&] { (void)find_traces(prefix(other)); }).found,
                    HasSubstr((folder_ / (other + ".3" + ending)).string()));
    }
}

// Root reads everything: the test goes on as the user `nobody`.
TEST_F(TraceSetTest, AFolderThatCannotBeListedIsTheMachinesFault) {
    make_ranks(0, 1);
    const WithoutRights nobody(folder_.path());
    if (!nobody.done()) {
        GTEST_SKIP() << "no other user";
    }
    try {
        (void)find_traces(prefix());
        FAIL();
    } catch (const MachineError& error) {
        EXPECT_THAT(error.what(), HasSubstr("cannot list"));
    }
}

TEST_F(TraceSetTest, NoneAtAll) {
    const auto found = problem_of([&] { (void)find_traces(prefix()); });
    EXPECT_EQ(found.file, prefix());
    EXPECT_EQ(found.found, "no traces");
    EXPECT_EQ(found.expected, "files " + prefix() + ".<rank>.et with ranks from 0");
    EXPECT_THAT(problem_of([&] { (void)find_traces(prefix("no/such/folder/w")); }).found,
                HasSubstr("no traces"));
}

TEST_F(TraceSetTest, ATraceIsNoPrefix) {
    make_ranks(0, 1);
    const auto found = problem_of([&] { (void)find_traces(prefix("w.1.et")); });
    EXPECT_EQ(found.remedy, "This is one trace; give the prefix of all ranks: " + prefix());
    folder_.write("single.et", "");
    EXPECT_THAT(problem_of([&] { (void)find_traces(prefix("single.et")); }).remedy,
                HasSubstr("name it NAME.0.et"));
}

TEST_F(TraceSetTest, TellsThePrefixThatIsThere) {
    make_ranks(0, 1);
    EXPECT_EQ(problem_of([&] { (void)find_traces(folder_.path().string()); }).remedy,
              "There is w.0.et; its prefix is " + prefix());
    EXPECT_EQ(problem_of([&] { (void)find_traces(prefix("v")); }).remedy,
              "There is w.0.et; its prefix is " + prefix());
}

TEST_F(TraceSetTest, OneTraceForEveryNpu) {
    EXPECT_NO_THROW(check_rank_count({"w", 16}, 16));
    EXPECT_EQ(problem_of([] { check_rank_count({"w", 15}, 16); }).found, "15 traces for 16 NPUs");
    EXPECT_EQ(problem_of([] { check_rank_count({"w", 1}, 4); }).found, "1 trace for 4 NPUs");
}

}  // namespace
}  // namespace npunet::chakra
