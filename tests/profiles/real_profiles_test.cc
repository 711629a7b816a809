// Profiles of public repositories against what an independent reader (Python's json) counted in
// them: events by category, time on GPUs, collectives and their arguments, streams.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "profiles/profile_reader.h"
#include "tar_file.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace npunet::profiles {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path data = fs::path(NPUNET_SHARED_DIR) / "data/pytorch";

/// The record of a file: its key is "<repository>/<folder>_<name>" where the file is called
/// "<folder>__<name>", or "<repository>/<archive>::<member>".
const Json* record_of(const Json& expected, std::string name) {
    for (std::size_t at = name.find("__"); at != std::string::npos; at = name.find("__")) {
        name.erase(at, 1);
    }
    for (const auto& [key, record] : expected.items()) {
        if (key.size() > name.size() && key.ends_with("/" + name)) {
            return &record;
        }
    }
    return nullptr;
}

std::map<std::string, std::uint64_t> counts_of(const EventTable& trace) {
    std::map<std::string, std::uint64_t> counts;
    for (const CategoryCount& one : trace.counts) {
        counts[std::string(trace.strings[one.category])] = one.events;
    }
    return counts;
}

bool is_nccl(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower.find("nccl") != std::string::npos;
}

void check(const EventTable& trace, const Json& expected) {
    EXPECT_FALSE(trace.damage.any());
    EXPECT_EQ(trace.bytes, expected["bytes"].get<std::uint64_t>());
    EXPECT_EQ(trace.events, expected["events"].get<std::uint64_t>());
    EXPECT_EQ(trace.schema_version, expected["schemaVersion"].is_number()
                                        ? expected["schemaVersion"].get<std::int64_t>()
                                        : 0);
    EXPECT_EQ(counts_of(trace), (expected["cats"].get<std::map<std::string, std::uint64_t>>()));
    std::int64_t gpu_ns = 0;
    std::int64_t nccl_ns = 0;
    std::uint64_t nccl_kernels = 0;
    std::set<std::string> streams;
    for (EventId event = 0; event < trace.size(); ++event) {
        if (is_gpu_work(trace.category[event])) {
            gpu_ns += trace.duration_ns[event];
            streams.insert(std::to_string(trace.track_of(event).stream));
            if (trace.category[event] == EventCategory::Kernel && is_nccl(trace.name_of(event))) {
                nccl_ns += trace.duration_ns[event];
                ++nccl_kernels;
            }
        }
    }
    EXPECT_NEAR(static_cast<double>(gpu_ns) / 1e3, expected["gpu_dur_us"].get<double>(), 1e-3);
    EXPECT_NEAR(static_cast<double>(nccl_ns) / 1e3, expected["nccl_dur_us"].get<double>(), 1e-3);
    EXPECT_EQ(nccl_kernels, expected["nccl_kernels"].get<std::uint64_t>());
    EXPECT_EQ(streams, expected["streams"].get<std::set<std::string>>());
}

Json expectations() {
    std::ifstream stream(data / "expected.json");
    return Json::parse(stream);
}

TEST(RealProfiles, EveryFileHasTheExpectedNumbers) {
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    const Json expected = expectations();
    std::size_t compared = 0;
    for (const auto& entry : fs::directory_iterator(data / "kineto")) {
        const std::string name = entry.path().filename().string();
        SCOPED_TRACE(name);
        if (name.ends_with(".tar.gz") || name.ends_with("_et.json.gz")) {
            continue;
        }
        const EventTable trace = read_profile(entry.path());
        EXPECT_FALSE(trace.damage.any());
        EXPECT_GT(trace.size(), 0U);
        const Json* record = record_of(expected, name);
        if (record != nullptr && (*record)["kind"] == "kineto") {
            check(trace, *record);
            ++compared;
        }
    }
    EXPECT_EQ(compared, 11U);
}

TEST(RealProfiles, EveryRankOfDlrmHasTheExpectedNumbers) {
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    const Json expected = expectations();
    const test::TemporaryFolder folder;
    std::set<std::int32_t> ranks;
    for (const auto& [name, contents] : files_of_tar(data / "kineto/dlrm_kineto.tar.gz")) {
        SCOPED_TRACE(name);
        const EventTable trace = read_profile(folder.write(name, contents));
        check(trace, expected["param_et_replay/dlrm_kineto.tar.gz::" + name]);
        ASSERT_TRUE(trace.rank.has_value());
        ranks.insert(*trace.rank);
        EXPECT_EQ(trace.world_size, 8);
        EXPECT_EQ(rank_in_name(fs::path(name).filename().string()), trace.rank);
    }
    EXPECT_EQ(ranks, (std::set<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(RealProfiles, CollectivesHaveTheirArguments) {
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    const EventTable trace = read_profile(data / "kineto/nccl_parser_config__nccl_data.json.gz");
    EXPECT_EQ(trace.base_time_ns, 1711964646000000000);
    ASSERT_EQ(trace.groups.size(), 1U);
    EXPECT_EQ(trace.groups[0].ranks, (std::vector<std::int32_t>{0, 1}));
    std::size_t kernels = 0;
    for (const CollectiveArgs& args : trace.collectives) {
        if (trace.category[args.event] == EventCategory::Kernel) {
            EXPECT_EQ(args.group_size, 2);
            EXPECT_EQ(ranks_of(trace.strings[args.group_ranks]), (std::vector<std::int32_t>{0, 1}));
            EXPECT_TRUE(element_bytes(trace.strings[args.dtype]).has_value());
            ++kernels;
        }
    }
    EXPECT_EQ(kernels, 21U);
}

TEST(RealProfiles, SynchronizationSaysWhatItWaitsFor) {
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    const EventTable trace = read_profile(
        data / "kineto/critical_path__cuda_event_sync_multi_stream__event_sync_trace.json.gz");
    ASSERT_EQ(trace.syncs.size(), 5U);
    const auto waits = std::find_if(trace.syncs.begin(), trace.syncs.end(), [&](const auto& sync) {
        return trace.name_of(sync.event) == "Stream Wait Event";
    });
    ASSERT_NE(waits, trace.syncs.end());
    EXPECT_EQ(waits->stream, 24);
    EXPECT_EQ(waits->wait_on_stream, 20);
    EXPECT_EQ(waits->wait_on_event, 19);
    EXPECT_EQ(waits->wait_on_record_correlation, 1385);
}

}  // namespace
}  // namespace npunet::profiles
