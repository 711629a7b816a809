// Text workloads against files of the Chakra project's converter, byte for byte.

#include <set>

#include "generators/workload_files.h"
#include "tests/generators/text/texts.h"
#include "tests/support/counted_cases.h"
#include "tests/support/shared_data.h"

namespace npunet::generators {
namespace {

namespace fs = std::filesystem;

// Two ranks and two passes of seven inputs: metadata, ids, dependencies, attributes and their
// order.
TEST_F(TextTest, WritesTheFilesOfTheConverterByteForByte) {
    const fs::path data = fs::path(NPUNET_SHARED_DIR) / "data/chakra";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(data / "golden/text")) {
        names.insert(entry.path().stem().stem().string());
    }
    EXPECT_GE(names.size(), 7U);
    for (const std::string& name : names) {
        const TextWorkload workload =
            read_text_workload((data / "text_workloads" / (name + ".txt")).string());
        write_workload(convert(workload, {2, 2}), {folder_.path(), name, "groups.json"});
        for (const char* rank : {".0.et", ".1.et"}) {
            EXPECT_TRUE(test::bytes_of(folder_ / (name + rank)) ==
                        test::bytes_of(data / "golden/text" / (name + rank)))
                << name << rank;
        }
    }
    test::count_cases(2 * names.size());
}

}  // namespace
}  // namespace npunet::generators
