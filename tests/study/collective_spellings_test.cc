// The same hardware in two spellings: what is chosen takes equally long.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "study/collective_times.h"
#include "tests/support/custom_text.h"
#include "tests/support/temporary_folder.h"

namespace npunet::study::collective_spellings_test {
namespace {

using engine::CollectiveKind;

constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce, CollectiveKind::AllGather,
                                    CollectiveKind::ReduceScatter, CollectiveKind::AllToAll};

constexpr const char* rail =
    "Rail: {servers: 8, npus_per_server: 4, scale_up: {kind: switch, bandwidth: 450, latency: "
    "500}, scale_out: {levels: 2, radix: 16, bandwidth: 50, latency: 1000}}\n";
constexpr const char* switches =
    "topology: [Switch, Switch]\nnpus_count: [4, 8]\nbandwidth: [450, 50]\n"
    "latency: [500, 1000]\n";

/// Spelled as themselves and as Custom.
constexpr const char* networks[] = {
    rail,
    switches,
    "Rail: {servers: 4, npus_per_server: 4, scale_up: {kind: fully-connected, bandwidth: 150, "
    "latency: 200}, scale_out: {levels: 2, radix: 8, bandwidth: 50, latency: 500}}\n",
    "FatTree: {levels: 2, radix: 8, npus: 32, bandwidth: 50, latency: 500}\n",
    "FatTree: {levels: 3, radix: 4, npus: 16, bandwidth: 50, latency: 500}\n",
    "FatTree: {levels: 2, radix: 12, npus: 32, oversubscription: 2, bandwidth: 50, latency: 500}\n",
    "Dragonfly: {a: 4, p: 2, h: 2, groups: 4, bandwidth: 50, latency: 500}\n",
    "Dragonfly: {a: 4, p: 2, h: 1, groups: 5, bandwidth: 50, latency: 500}\n",
    "topology: [Ring, Ring]\nnpus_count: [4, 4]\nbandwidth: [50, 50]\nlatency: [500, 500]\n",
    "topology: [Ring]\nnpus_count: [6]\nbandwidth: [50]\nlatency: [500]\n",
    "topology: [Ring, Switch]\nnpus_count: [6, 3]\nbandwidth: [100, 25]\nlatency: [300, 700]\n",
    "topology: [FullyConnected]\nnpus_count: [16]\nbandwidth: [25]\nlatency: [500]\n",
    "topology: [FullyConnected, Switch]\nnpus_count: [4, 4]\nbandwidth: [150, 50]\n"
    "latency: [200, 500]\n"};

Machine machine_of(const std::string& text) {
    const test::TemporaryFolder folder;
    return load_machine(folder.write("network.yml", text).string(), "", "npunet");
}

/// The largest difference over the sizes, as a factor from 1.
double difference(const Machine& a, const Machine& b, CollectiveKind kind,
                  const std::vector<Bytes>& sizes, Fidelity fidelity) {
    CollectiveTimesRequest request;
    request.kind = kind;
    request.sizes = sizes;
    request.algorithms = {AlgorithmToTime::by_cost()};
    const report::CollectiveSeries one = collective_times(a, request, fidelity, {}).series.front();
    const report::CollectiveSeries other =
        collective_times(b, request, fidelity, {}).series.front();
    double most = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto x = static_cast<double>(one.times[i].time.ps());
        const auto y = static_cast<double>(other.times[i].time.ps());
        most = std::max({most, x / y, y / x});
    }
    return most;
}

void expect_alike(const std::string& a, const std::string& b) {
    const Machine one = machine_of(a);
    const Machine other = machine_of(b);
    for (const CollectiveKind kind : kinds) {
        SCOPED_TRACE(std::string(engine::name_of(kind)) + " on " + a);
        EXPECT_LE(difference(one, other, kind,
                             {Bytes(1 << 10), Bytes(1 << 16), Bytes(1 << 22), Bytes(1 << 30)},
                             Fidelity::Analytical),
                  1.02);
        EXPECT_LE(difference(one, other, kind, {Bytes(1 << 10), Bytes(1 << 16), Bytes(1 << 22)},
                             Fidelity::Packet),
                  1.05);
    }
}

TEST(CollectiveSpellings, RailsAndAProductOfSwitches) {
    expect_alike(rail, switches);
}

TEST(CollectiveSpellings, EveryNetworkAndItsGraph) {
    for (const char* network : networks) {
        const std::string text(network);
        expect_alike(text, test::custom_text(machine_of(text).network.graph));
    }
}

// Large messages meet between groups, so that which of several links a route takes decides.
TEST(CollectiveSpellings, LargeCollectivesOnDragonflies) {
    const std::string text(
        "Dragonfly: {a: 4, p: 2, h: 2, groups: 4, bandwidth: 50, latency: 500}\n");
    const Machine one = machine_of(text);
    const Machine other = machine_of(test::custom_text(one.network.graph));
    for (const CollectiveKind kind : kinds) {
        EXPECT_LE(difference(one, other, kind, {Bytes(1 << 24)}, Fidelity::Packet), 1.001)
            << engine::name_of(kind);
    }
}

// 2 x 7/8 x 1 GiB over 8 x 50 GB/s takes 4.70 ms, the bound. In packets there are headers, 64 bytes
// to 4096; chunks under way at a time do not hold each other up.
TEST(CollectiveSpellings, KeepEveryNicBusy) {
    CollectiveTimesRequest request;
    request.algorithms = {AlgorithmToTime::by_cost()};
    for (const char* text :
         {"Rail: {servers: 8, npus_per_server: 8, scale_up: {kind: switch, bandwidth: 450, "
          "latency: 500}, scale_out: {levels: 2, radix: 16, bandwidth: 50, latency: 1000}}\n",
          "topology: [Switch, Switch]\nnpus_count: [8, 8]\nbandwidth: [450, 50]\n"
          "latency: [500, 1000]\n"}) {
        const Machine machine = machine_of(text);
        const auto time = [&](Bytes size, Fidelity fidelity) {
            request.sizes = {size};
            return collective_times(machine, request, fidelity, {})
                .series.front()
                .times.front()
                .time;
        };
        EXPECT_LE(time(Bytes(1 << 30), Fidelity::Analytical), Time::ns(6'080'000)) << text;
        const Bytes less(1 << 28);
        EXPECT_LE(static_cast<double>(time(less, Fidelity::Packet).ps()),
                  1.03 * static_cast<double>(time(less, Fidelity::Analytical).ps()))
            << text;
    }
}

}  // namespace
}  // namespace npunet::study::collective_spellings_test
