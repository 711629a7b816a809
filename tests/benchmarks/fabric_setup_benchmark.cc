// How long it takes to set up a network in an ns-3 scenario, and how much memory: read its
// network.yml, build NpuFabric with a device on every node, a channel for every cable and the
// packet machine.
//
//     fabric_setup_benchmark [NETWORK]        (default: a fat tree of 1024 NPUs)
//
// Prints JSON: seconds of processor time, and the most memory that the program has held.
#include <sys/resource.h>

#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "ns3/network-module.h"
#include "ns3/npunet-module.h"
#include "tests/support/temporary_folder.h"
#include "topology/yaml/network_reader.h"

namespace {

/// A full tree of three levels: 16 x 8 x 8 NPUs.
constexpr const char* fat_tree_1024 =
    "FatTree: {levels: 3, radix: 16, npus: 1024, bandwidth: 50, latency: 500}\n";

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// In MB; Linux counts in KiB.
double peak_memory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
    ns3::NpuFabricHelper::UsePicoseconds();
    const npunet::test::TemporaryFolder folder;
    const std::string path =
        argc > 1 ? argv[1] : folder.write("network.yml", fat_tree_1024).string();
    const double start = processor_seconds();
    const auto network = npunet::topology::read_network(path, npunet::topology::GigaByte::Decimal);
    const double read = processor_seconds();
    ns3::NodeContainer npus;
    npus.Create(static_cast<std::uint32_t>(network.graph.npus()));
    ns3::NpuFabricHelper helper;
    helper.SetNetwork(network);
    helper.Install(npus);
    const double built = processor_seconds();
    const double megabytes = peak_memory();
    std::cout << nlohmann::json{{"npus", network.graph.npus()},   {"nodes", network.graph.nodes()},
                                {"links", network.graph.links()}, {"read_s", read - start},
                                {"build_s", built - read},        {"peak_rss_mb", megabytes}}
                     .dump(2)
              << "\n";
    helper = ns3::NpuFabricHelper();
    ns3::Simulator::Destroy();
    return 0;
}
