// How fast ns-3's schedulers are with a fabric: an all-reduce on an 8 x 8 torus by the Chakra
// workload, while 1000 timers of ns-3, as protocols have them, go off every 2 us. Prints the time
// of each scheduler in terms of MapScheduler's, medians of alternating runs.
//
//     scheduler_benchmark [REPETITIONS]

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"

namespace {

/// The trace of one NPU: an all-reduce of 4 MiB.
std::vector<npunet::chakra::Node> all_reduce() {
    namespace chakra = npunet::chakra;
    chakra::Node sum;
    sum.id = 1;
    sum.name = "all_reduce";
    sum.type = chakra::NodeType::CommCollective;
    sum.attributes = {{"comm_type", static_cast<std::int64_t>(chakra::CollectiveType::AllReduce)},
                      {"comm_size", std::int64_t{4} << 20}};
    return {sum};
}

double seconds_with(const std::string& scheduler) {
    ns3::GlobalValue::Bind("SchedulerType", ns3::StringValue(scheduler));
    ns3::NodeContainer npus;
    npus.Create(64);
    ns3::NpuFabricHelper helper;
    helper.SetTopology("Torus2D", {8, 8});
    helper.Install(npus);
    ns3::NpuChakraHelper chakra;
    const auto work = chakra.Install(helper.GetFabric(), [](npunet::Rank) { return all_reduce(); });
    int left = 64;
    work->TraceConnectWithoutContext(
        "OperationEnd",
        ns3::Callback<void, std::uint32_t, std::uint64_t, const std::string&, ns3::Time>(
            [&](std::uint32_t, std::uint64_t, const std::string&, ns3::Time) { --left; }));
    std::function<void()> timer = [&] {
        if (left > 0) {
            ns3::Simulator::Schedule(ns3::MicroSeconds(2), [&] { timer(); });
        }
    };
    for (int i = 0; i < 1000; ++i) {
        ns3::Simulator::Schedule(ns3::PicoSeconds(1999 * i), [&] { timer(); });
    }
    const auto start = std::chrono::steady_clock::now();
    ns3::Simulator::Run();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    static_cast<void>(work->GetResults());
    ns3::Simulator::Destroy();
    return elapsed.count();
}

}  // namespace

int main(int argc, char** argv) {
    ns3::NpuFabricHelper::UsePicoseconds();
    const int repetitions = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
    const std::vector<std::string> schedulers{"ns3::MapScheduler", "ns3::PriorityQueueScheduler",
                                              "ns3::HeapScheduler"};
    std::map<std::string, std::vector<double>> times;
    for (int i = 0; i < repetitions; ++i) {
        for (const std::string& scheduler : schedulers) {
            times[scheduler].push_back(seconds_with(scheduler));
        }
    }
    const auto median = [&](const std::string& scheduler) {
        std::vector<double>& list = times[scheduler];
        std::sort(list.begin(), list.end());
        return list[list.size() / 2];
    };
    for (const std::string& scheduler : schedulers) {
        std::cout << scheduler << " " << median(scheduler) / median(schedulers.front()) << "\n";
    }
    return 0;
}
