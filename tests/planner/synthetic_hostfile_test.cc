// N devices of each type at K slots a node are N / K lines a type, and what is written reads back
// as what was asked for.
#include "planner/synthetic_hostfile.h"

#include <gmock/gmock.h>

#include "planner/hostfile.h"
#include "tests/support/refusals.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace npunet::planner {
namespace {

using ::testing::HasSubstr;

ClusterRequest devices_of_each(std::int64_t devices) {
    ClusterRequest request;
    request.types = {"V100", "A100"};
    request.devices = devices;
    return request;
}

class SyntheticHostfile : public ::testing::Test {
protected:
    test::TemporaryFolder folder_;
};

TEST_F(SyntheticHostfile, FourDevicesANode) {
    EXPECT_EQ(hostfile_text(synthetic_cluster(devices_of_each(8))),
              "0.0.0.1 slots=4\n0.0.0.1 slots=4\n0.0.0.4 slots=4\n0.0.0.4 slots=4\n");
}

TEST_F(SyntheticHostfile, ReadsBack) {
    ClusterRequest request;
    request.types = {"H100", "T4", "B200"};
    request.nodes = {1, 2, 1};
    request.slots = {8, 4, 16};
    request.memory_gib = {80, 15, 192.5};
    request.intra_bandwidth = {450};
    request.inter_bandwidth = {50, 10, 100};
    const auto groups = synthetic_cluster(request);
    const auto hosts =
        read_hostfile(folder_.write("hostfile", hostfile_text(groups)), HostfileRules::Npunet);
    const auto entries = read_cluster_file(
        folder_.write("clusterfile.json", cluster_file_text(groups)), ClusterFileRules::Npunet);
    ASSERT_EQ(hosts.size(), 4U);
    ASSERT_EQ(entries.size(), 3U);
    const std::vector<std::size_t> entry_of_host{0, 1, 1, 2};
    const std::vector<std::int64_t> slots{8, 4, 4, 16};
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        EXPECT_EQ(hosts[i].address, entries[entry_of_host[i]].address);
        EXPECT_EQ(hosts[i].slots, slots[i]);
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
        EXPECT_EQ(entries[i].instance_type, request.types[i]);
        EXPECT_EQ(entries[i].memory_gib, request.memory_gib[i]);
        EXPECT_EQ(entries[i].intra_bandwidth, 450);
        EXPECT_EQ(entries[i].inter_bandwidth, request.inter_bandwidth[i]);
    }
}

// Every case of the shared folder is so many nodes of V100 and A100, with one cluster file.
TEST_F(SyntheticHostfile, IsThatOfEveryRecordedCase) {
    const std::filesystem::path cases = std::filesystem::path(NPUNET_SHARED_DIR) / "data/planner";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    std::size_t compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(cases)) {
        const auto hosts = read_hostfile(entry.path() / "hostfile", HostfileRules::Metis);
        ClusterRequest request;
        request.slots = {4};
        for (const Host& host : hosts) {
            const std::string type = host.address == "0.0.0.1" ? "V100" : "A100";
            if (request.types.empty() || request.types.back() != type) {
                request.types.push_back(type);
                request.nodes.push_back(0);
            }
            ++request.nodes.back();
        }
        const auto groups = synthetic_cluster(request);
        std::string recorded;
        for (const Host& host : hosts) {
            recorded += host.address + " slots=4\n";
        }
        EXPECT_EQ(hostfile_text(groups), recorded) << entry.path();
        const auto known =
            read_cluster_file(entry.path() / "clusterfile.json", ClusterFileRules::Metis);
        for (const ClusterEntry& fact : known) {
            const auto ours = known_cluster_entry(fact.instance_type);
            ASSERT_TRUE(ours) << fact.instance_type;
            EXPECT_EQ(ours->address, fact.address);
            EXPECT_EQ(ours->memory_gib, fact.memory_gib);
            EXPECT_EQ(ours->intra_bandwidth, fact.intra_bandwidth);
            EXPECT_EQ(ours->inter_bandwidth, fact.inter_bandwidth);
        }
        ++compared;
    }
    EXPECT_GE(compared, 12U);
}

TEST_F(SyntheticHostfile, DevicesAreWholeNodes) {
    const InputProblem problem =
        test::problem_of([] { return synthetic_cluster(devices_of_each(18)); });
    EXPECT_THAT(problem.expected, HasSubstr("a multiple of 4"));
    EXPECT_EQ(problem.remedy, "16 or 20 would do");
    EXPECT_EQ(test::problem_of([] { return synthetic_cluster(devices_of_each(3)); }).remedy,
              "4 would do");
}

TEST_F(SyntheticHostfile, RefusesWhatCannotBe) {
    const auto refused = [](auto change) {
        ClusterRequest request = devices_of_each(8);
        change(request);
        return test::problem_of([&] { return synthetic_cluster(request); });
    };
    EXPECT_EQ(refused([](ClusterRequest& r) { r.slots = {4, 4, 4}; }).file, "--slots");
    EXPECT_EQ(refused([](ClusterRequest& r) { r.memory_gib = {1, 2, 3}; }).file, "--memory");
    EXPECT_EQ(refused([](ClusterRequest& r) { r.types = {"V100", "V100"}; }).file, "--types");
    EXPECT_EQ(refused([](ClusterRequest& r) { r.nodes = {1}; }).found, "beside --nodes");
    EXPECT_EQ(refused([](ClusterRequest& r) { r.devices.reset(); }).found, "no value");
    EXPECT_EQ(refused([](ClusterRequest& r) { r.devices = 65536; }).expected,
              "at most 65536 in all");
    ClusterRequest unknown = devices_of_each(8);
    unknown.types = {"H100"};
    EXPECT_EQ(test::problem_of([&] { return cluster_file_text(synthetic_cluster(unknown)); }).file,
              "--inter-bandwidth");
}

}  // namespace
}  // namespace npunet::planner
