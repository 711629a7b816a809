// The stage dialect against files of STAGE itself: the same bytes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "chakra/trace_reader.h"
#include "generators/stage/stage_workload.h"
#include "generators/workload_files.h"
#include "tests/support/stage_cases.h"

namespace npunet::generators {
namespace {

namespace fs = std::filesystem;

class Folder {
public:
    Folder() : path_(fs::temp_directory_path() / "npunet_stage_test") { fs::remove_all(path_); }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

std::string bytes_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

/// The first node in which two traces differ, for the message.
std::string first_difference(const fs::path& expected, const fs::path& found) {
    chakra::TraceReader a(expected);
    chakra::TraceReader b(found);
    chakra::Node left;
    chakra::Node right;
    for (;;) {
        const bool more = a.next(left);
        if (more != b.next(right)) {
            return "one of them ends after " + left.name;
        }
        if (!more) {
            return "no node differs";
        }
        if (!(left == right)) {
            return left.name + ", here " + right.name;
        }
    }
}

void expect_equal_files(const fs::path& recorded, const fs::path& written) {
    EXPECT_EQ(bytes_of(recorded / "w.json"), bytes_of(written / "w.json"));
    std::size_t ranks = 0;
    for (;; ++ranks) {
        const std::string name = "w." + std::to_string(ranks) + ".et";
        if (!fs::exists(recorded / name)) {
            break;
        }
        EXPECT_TRUE(bytes_of(recorded / name) == bytes_of(written / name))
            << name << ": " << first_difference(recorded / name, written / name);
    }
    for (std::size_t rank = 0;
         ranks > 0 && fs::exists(written / ("w." + std::to_string(rank) + ".et")); ++rank) {
        EXPECT_LT(rank, ranks);
    }
}

// Groups of all recorded cases, traces of those whose traces were kept.
TEST(Stage, WritesTheFilesOfStageByteForByte) {
    const std::vector<fs::path> cases = test::stage_cases(NPUNET_SHARED_DIR);
    if (cases.empty()) {
        GTEST_SKIP() << "the shared data folder is absent: " << NPUNET_SHARED_DIR;
    }
    std::size_t compared = 0;
    for (const fs::path& recorded : cases) {
        if (!fs::exists(recorded / "w.json")) {
            continue;
        }
        SCOPED_TRACE(recorded.filename().string());
        const Folder folder;
        write_workload(generate(*test::stage_arguments(recorded)),
                       {folder.path(), "w.%d.et", "w.json"});
        expect_equal_files(recorded, folder.path());
        ++compared;
    }
    EXPECT_GE(compared, 21U);
}

}  // namespace
}  // namespace npunet::generators
