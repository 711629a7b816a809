// docs/inputs.md against the readers, and configs/ against everybody.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/flows/size_distribution.h"
#include "engine/collective_library/library_profile.h"
#include "engine/device/device_profile.h"
#include "engine/device/stack_profile.h"
#include "engine/machine/dialect.h"
#include "engine/machine/system_config.h"
#include "generators/text/text_workload.h"
#include "generators/transformer/model_file.h"
#include "page.h"
#include "study/jobs_file.h"
#include "study/sweep/design_space.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"
#include "topology/network/network_description.h"
#include "topology/yaml/machine.h"
#include "topology/yaml/network_reader.h"

namespace npunet::docs_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ContainerEq;

/// What a reader expects in place of a key that does not exist: "one of a, b, c".
template <class Read>
std::set<std::string> known_keys(const std::string& text, const Read& read) {
    const test::TemporaryFolder folder;
    const std::string expected =
        test::problem_of([&] { read(folder.write("file", text).string()); }).expected;
    EXPECT_EQ(expected.substr(0, 7), "one of ") << text;
    std::set<std::string> keys;
    const std::regex word("[A-Za-z_-]+");
    const std::string list = expected.substr(std::min(expected.size(), std::size_t{6}));
    for (std::sregex_iterator match(list.begin(), list.end(), word), end; match != end; ++match) {
        keys.insert(match->str());
    }
    return keys;
}

void read_network_file(const std::string& path) {
    static_cast<void>(topology::read_network(path, topology::GigaByte::Decimal));
}

void read_model(const std::string& path) {
    static_cast<void>(generators::read_model_file(path));
}

TEST(Inputs, KeysOfNetworkYmlAreExactlyThoseOfTheReader) {
    const Page page = read_page("docs/inputs.md");
    const std::string network =
        "topology: [Ring]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [500]\n";
    std::set<std::string> keys = first_cells(section_of(page, "network.yml"));
    for (const char* dimension : {"Ring", "Mesh1D", "FullyConnected", "Switch"}) {
        EXPECT_EQ(keys.erase(dimension), 1U) << "a row of the table of dimensions";
    }
    EXPECT_THAT(keys, ContainerEq(known_keys(network + "zzzzzz: 1\n", read_network_file)));
    EXPECT_THAT(first_cells(section_of(page, "The section packet")),
                ContainerEq(known_keys(network + "packet: {zzzzzz: 1}\n", read_network_file)));
    std::set<std::string> faults =
        known_keys(network + "faults: [{link: [0, 1], zzzzzz: 1}]\n", read_network_file);
    faults.merge(known_keys(network + "faults: [{npu: 1, zzzzzz: 1}]\n", read_network_file));
    EXPECT_THAT(first_cells(section_of(page, "The section faults")), ContainerEq(faults));
}

TEST(Inputs, KeysOfNetworksOnTheirOwnAreExactlyThoseOfTheReader) {
    const Page page = read_page("docs/inputs.md");
    for (const std::string& name :
         std::vector<std::string>{"FatTree", "Dragonfly", "Rail", "Custom"}) {
        EXPECT_THAT(first_cells(section_of(page, "The section " + name)),
                    ContainerEq(known_keys(name + ": {zzzzzz: 1}\n", read_network_file)))
            << name;
    }
}

TEST(Inputs, KeysOfModelFilesAreExactlyThoseOfTheReader) {
    EXPECT_THAT(first_cells(section_of(read_page("docs/inputs.md"), "Model files")),
                ContainerEq(known_keys("zzzzzz: 1\n", read_model)));
}

TEST(Inputs, KeysOfJobsYmlAreExactlyThoseOfTheReader) {
    const auto read = [](const std::string& path) {
        static_cast<void>(study::read_jobs_file(path));
    };
    EXPECT_THAT(first_cells(section_of(read_page("docs/inputs.md"), "jobs.yml")),
                ContainerEq(known_keys("- {name: a, workload: w, ranks: [0], zzzzzz: 1}\n", read)));
}

TEST(Inputs, KeysOfSweepYmlAreExactlyThoseOfTheReader) {
    const auto read = [](const std::string& path) {
        static_cast<void>(study::read_design_space(path));
    };
    const Page page = read_page("docs/inputs.md");
    EXPECT_THAT(first_cells(section_of(page, "sweep.yml")),
                ContainerEq(known_keys("zzzzzz: 1\n", read)));
    const std::string workload = "workload: {model: gpt2-small, batch: 1";
    EXPECT_THAT(first_cells(section_of(page, "The workload of a sweep")),
                ContainerEq(known_keys(workload + ", zzzzzz: 1}\n", read)));
    EXPECT_THAT(first_cells(section_of(page, "The plan of a sweep")),
                ContainerEq(known_keys(workload + "}\nplan: {zzzzzz: 1}\n", read)));
}

TEST(Inputs, KeysOfStageSweepsAreExactlyThoseOfTheReader) {
    const auto read = [](const std::string& path) {
        static_cast<void>(study::read_design_space(path));
    };
    const std::string workload = "workload: {dialect: stage";
    std::set<std::string> keys = known_keys(workload + ", zzzzzz: 1}\n", read);
    keys.merge(known_keys(workload + "}\nplan: {zzzzzz: 1}\n", read));
    EXPECT_THAT(
        first_cells(section_of(read_page("docs/inputs.md"), "The stage workload of a sweep")),
        ContainerEq(keys));
}

// The reader of system.json does not list its keys in messages: its two tables stand in its source.
TEST(Inputs, KeysOfSystemJsonAreExactlyThoseOfTheReader) {
    const std::string text = test::bytes_of(NPUNET_SOURCE_DIR "/engine/machine/system_config.cc");
    std::set<std::string> keys;
    for (const char* table : {"ignored_keys{", "system_keys{"}) {
        const std::size_t begin = text.find(table);
        ASSERT_NE(begin, std::string::npos) << table << " has moved";
        const std::string list = text.substr(begin, text.find("};", begin) - begin);
        const std::regex word("\"([^\"]+)\"");
        for (std::sregex_iterator match(list.begin(), list.end(), word), end; match != end;
             ++match) {
            keys.insert((*match)[1]);
        }
    }
    EXPECT_THAT(first_cells(section_of(read_page("docs/inputs.md"), "system.json")),
                ContainerEq(keys));
}

// "Without a file every default above holds", and an empty file is no different.
TEST(Inputs, DefaultsOfSystemJsonHoldWithoutAFile) {
    const test::TemporaryFolder folder;
    const std::string file = folder.write("system.json", "{}").string();
    std::vector<std::string> warnings;
    const engine::SystemConfig read =
        engine::read_system_config(file, engine::Dialect::named("npunet"), warnings);
    const engine::SystemConfig none =
        engine::default_system_config(engine::Dialect::named("npunet"));
    for (const engine::SystemConfig& config : {read, none}) {
        EXPECT_EQ(config.endpoint_delay, Time());
        EXPECT_EQ(config.active_chunks_per_dimension, 0);
        EXPECT_EQ(config.preferred_dataset_splits, 0);
        EXPECT_EQ(config.optimization, engine::CollectiveOptimization::LocalBandwidthAware);
        EXPECT_TRUE(config.implementations(engine::CollectiveKind::AllReduce).empty());
        EXPECT_EQ(config.max_concurrent_comms, 0);
        EXPECT_FALSE(config.roofline);
        EXPECT_FALSE(config.track_memory);
    }
}

// Networks and models have tests of their own (topology, generators); here every shipped file of
// any kind is read, so that none can be forgotten.
TEST(Inputs, EveryShippedFileIsRead) {
    const fs::path configs = fs::path(NPUNET_SOURCE_DIR) / "configs";
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(configs)) {
        if (!entry.is_regular_file()) {
            continue;
        }
        ++files;
        const std::string kind = entry.path().parent_path().filename().string();
        const std::string path = entry.path().string();
        SCOPED_TRACE(path);
        if (kind == "networks") {
            EXPECT_NO_THROW(read_network_file(path));
        } else if (kind == "models") {
            EXPECT_NO_THROW(read_model(path));
        } else if (kind == "text") {
            EXPECT_NO_THROW(static_cast<void>(generators::read_text_workload(path)));
        } else if (kind == "machines") {
            // Read at counts that fit in study/ready_machines_test.cc.
            EXPECT_THAT(topology::known_machines(),
                        ::testing::Contains(entry.path().stem().string()));
        } else if (kind == "systems") {
            std::vector<std::string> warnings;
            EXPECT_NO_THROW(static_cast<void>(
                engine::read_system_config(path, engine::Dialect::named("npunet"), warnings)));
            EXPECT_TRUE(warnings.empty());
        } else if (kind == "collectives") {
            EXPECT_NO_THROW(static_cast<void>(engine::read_library_profile(path)));
        } else if (kind == "devices") {
            EXPECT_NO_THROW(static_cast<void>(engine::read_device_profile(path)));
        } else if (kind == "flows") {
            EXPECT_GT(load_sizes(path, path).mean(), 0);
        } else if (kind == "stacks") {
            EXPECT_NO_THROW(static_cast<void>(engine::read_stack_profile(path)));
        } else {
            ADD_FAILURE() << "no purpose is documented";
        }
    }
    EXPECT_GE(files, 17U);
}

// 312 TFLOPS of bf16 without sparsity and 2039 GB/s: NVIDIA's data sheet of the A100 80 GB SXM.
TEST(Inputs, A100HasTheRatesOfItsDataSheet) {
    std::vector<std::string> warnings;
    const engine::SystemConfig system = engine::read_system_config(
        NPUNET_SOURCE_DIR "/configs/systems/a100.json", engine::Dialect::named("npunet"), warnings);
    EXPECT_TRUE(system.roofline);
    EXPECT_EQ(system.compute.peak_tflops, 312);
    EXPECT_EQ(system.compute.memory_bandwidth, 2039);
}

}  // namespace
}  // namespace npunet::docs_test
