#include "study/collective_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

#include "base/errors.h"
#include "base/units.h"
#include "engine/collective/stream_place.h"
#include "engine/results/message_recorder.h"
#include "engine/simulation/simulation.h"
#include "study/fidelity_network.h"
#include "study/one_collective.h"

namespace npunet::study {

namespace {

report::CollectiveStep step_of(const engine::RecordedMessage& message,
                               const std::vector<Rank>& rank_of_npu) {
    report::CollectiveStep step;
    const auto place = static_cast<std::uint32_t>(message.order >> 32);
    step.sender = rank_of_npu[message.flow.source.index()];
    step.receiver = rank_of_npu[message.flow.destination.index()];
    step.chunk = engine::stream_of(place);
    step.phase = engine::phase_of(place);
    step.exchange = static_cast<std::uint32_t>(message.order);
    step.bytes = message.bytes;
    step.start = message.first_byte_left;
    step.end = message.end;
    return step;
}

}  // namespace

report::CollectiveSteps collective_steps(const Machine& machine,
                                         const CollectiveTimesRequest& request, Fidelity fidelity) {
    const AlgorithmToTime& algorithm = request.algorithms.front();
    const Bytes size = request.sizes.back();
    if (algorithm.library != nullptr) {
        throw InputError({"--timeline", "", algorithm.name,
                          "an algorithm whose messages have chunks and phases: auto, ring, ...",
                          "--algorithm ring"});
    }
    check_fidelity(machine, fidelity);
    OneCollective collective(machine, request);
    collective.use(algorithm);
    if (!collective.applies(algorithm, size)) {
        throw InputError({"--timeline", "", format_bytes(size),
                          fmt::format("a size and members that '{}' is for", algorithm.name), ""});
    }
    const engine::Workload workload = collective.workload(size);
    const topology::NetworkDescription& network = collective.machine().network;
    std::vector<Rank> rank_of_npu(network.graph.npus());
    for (std::size_t rank = 0; rank < network.npu_of_rank.size(); ++rank) {
        rank_of_npu[network.npu_of_rank[rank].index()] = Rank(rank);
    }
    report::CollectiveSteps result;
    engine::EventQueue queue(collective.machine().dialect.event_order);
    const std::unique_ptr<engine::Network> messages =
        make_network(collective.machine(), fidelity, queue, {});
    engine::MessageRecorder recorder(*messages, queue, network.packet.classes,
                                     [&](const engine::RecordedMessage& message) {
                                         result.steps.push_back(step_of(message, rank_of_npu));
                                     });
    engine::Simulation simulation(workload, network, collective.machine().system,
                                  collective.machine().dialect, queue, recorder);
    const report::CollectiveTime time = collective.time_of(simulation.run());
    recorder.finish();
    std::sort(result.steps.begin(), result.steps.end(),
              [](const report::CollectiveStep& a, const report::CollectiveStep& b) {
                  return std::tie(a.sender, a.start, a.chunk, a.phase, a.exchange) <
                         std::tie(b.sender, b.start, b.chunk, b.phase, b.exchange);
              });
    result.length = time.time;
    result.title = fmt::format("{} of {} by {} ranks", engine::name_of(request.kind),
                               format_bytes(time.size), collective.members());
    result.subtitle = fmt::format("{} on {}, {}, {}", time.algorithm, network.name,
                                  name_of(fidelity), format_time(time.time));
    return result;
}

}  // namespace npunet::study
