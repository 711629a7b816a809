// Text workloads against files of the Chakra project's converter, byte for byte.

#include <set>

#include "generators/workload_files.h"
#include "tests/generators/text/texts.h"

namespace npunet::generators {
namespace {

namespace fs = std::filesystem;

// Two ranks and two passes of seven inputs: metadata, ids, dependencies, attributes and their
// order.
TEST_F(TextTest, WritesTheFilesOfTheConverterByteForByte) {
    const fs::path data = fs::path(NPUNET_SHARED_DIR) / "data/chakra";
    if (!fs::exists(data / "golden/text")) {
        GTEST_SKIP() << "the shared data folder is absent: " << NPUNET_SHARED_DIR;
    }
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(data / "golden/text")) {
        names.insert(entry.path().stem().stem().string());
    }
    EXPECT_GE(names.size(), 7U);
    for (const std::string& name : names) {
        const TextWorkload workload =
            read_text_workload((data / "text_workloads" / (name + ".txt")).string());
        write_workload(convert(workload, {2, 2}), {folder_, name, "groups.json"});
        for (const char* rank : {".0.et", ".1.et"}) {
            EXPECT_TRUE(chakra::bytes_of(in_folder(name + rank)) ==
                        chakra::bytes_of(data / "golden/text" / (name + rank)))
                << name << rank;
        }
    }
}

}  // namespace
}  // namespace npunet::generators
