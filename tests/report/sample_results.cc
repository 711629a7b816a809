#include "tests/report/sample_results.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace npunet::report {

namespace {

engine::NpuResult npu(std::int32_t rank, std::int32_t npu_class, Time finish, Time idle) {
    engine::NpuResult result;
    result.rank = Rank(rank);
    result.npu_class = npu_class;
    result.finish = finish;
    result.compute = Time::ns(600);
    result.communication = Time::ns(300);
    result.exposed_memory = Time::ns(0);
    result.idle = idle;
    result.exposed_communication = finish - result.compute - idle;
    auto dimensions = std::make_shared<engine::DimensionTimes>();
    (*dimensions)[engine::Parallelism::Data] = {
        Time::ns(250), result.exposed_communication - Time::ns(50), Time::ns(20)};
    (*dimensions)[engine::Parallelism::Tensor] = {Time::ns(50), Time::ns(50)};
    result.dimensions = std::move(dimensions);
    result.memory_capacity = Bytes(std::int64_t{1} << 32);
    result.peak_memory = Bytes(std::int64_t{1} << 30);
    result.peak.at = Time::ns(250);
    result.peak.largest = {{"weights", Bytes(std::int64_t{1} << 29)}, {"input", Bytes(1 << 20)}};
    result.peak.others = 3;
    result.peak.others_bytes =
        result.peak_memory - Bytes(std::int64_t{1} << 29) - Bytes(std::int64_t{1} << 20);
    result.compute_bound_percent = 83.794;
    result.compute_utilization_percent = 85.661;
    result.memory_utilization_percent = 28.401;
    result.operation_intensity = 3523.082;
    return result;
}

engine::CollectiveResult collective(std::int64_t id, const char* type, Time first, Time last,
                                    Time end) {
    engine::CollectiveResult result;
    result.id = id;
    result.name = "grad, layer " + std::to_string(id);
    result.type = type;
    result.group = {Rank(0), Rank(1)};
    result.algorithm = "ring";
    result.bytes = Bytes(1000);
    result.first_start = first;
    result.last_start = last;
    result.end = end;
    result.bandwidth_gbps = 1000.0 * 1000.0 / static_cast<double>((end - last).ps());
    result.least = Time::ns(200);
    result.bandwidth_bound_gbps = 5;
    return result;
}

engine::LinkResult link(const char* from, const char* to, std::int64_t payload, Time busy,
                        Time finish) {
    engine::LinkResult result;
    result.from = from;
    result.to = to;
    result.payload = Bytes(payload);
    result.wire = Bytes(payload + payload / 64);
    result.busy = busy;
    result.utilization_percent =
        100.0 * static_cast<double>(busy.ps()) / static_cast<double>(finish.ps());
    result.max_queue = Bytes(4160);
    result.packets = 17;
    result.retransmissions = 2;
    result.credit_stall = Time::ns(3);
    result.classes_wire = {Bytes(payload), Bytes(payload / 64)};
    result.queue_times = {Time(), Time::ps(1500)};
    result.notifications = 5;
    result.link_class = from == std::string("npu2") ? 1 : 0;
    return result;
}

}  // namespace

engine::StepRates sample_rates() {
    return {15083.5, 3.6825, 421.3, 42.6, 43.0, 989, "bf16 of h100-sxm5-80gb"};
}

engine::FlowResults sample_flows() {
    engine::FlowResults flows;
    flows.classes = 2;
    for (std::int32_t npu = 0; npu < 12; ++npu) {
        engine::FlowResult flow;
        flow.flow = {NodeId(npu), NodeId(npu == 0 ? 1 : 0), static_cast<std::uint8_t>(npu % 2)};
        flow.messages = 1;
        flow.bytes = Bytes(1 << 20);
        flow.first_start = Time::ps(500);
        const Time took = Time::ns(npu == 2 ? 300 : 200);
        flow.last_end = flow.first_start + took;
        flow.completion = {took, took, took, took, took, took};
        const double slowdown = 1 + 0.25 * (npu == 3 ? 2 : npu);
        flow.slowdown = {slowdown, slowdown, slowdown, slowdown};
        flow.counts = {257, 1, 2, 3, 4};
        flows.flows.push_back(flow);
        flows.names.push_back(npu == 11 ? "npu,11" : fmt::format("npu{}", npu));
        flows.all.counts.add(flow.counts);
    }
    flows.all.messages = 12;
    flows.all.bytes = Bytes(12 << 20);
    flows.all.first_start = Time::ps(500);
    flows.all.last_end = Time::ps(300'500);
    flows.all.completion = {Time::ns(2500), Time::ns(200), Time::ps(208'333),
                            Time::ns(200),  Time::ns(300), Time::ns(300)};
    flows.all.slowdown = {2.5, 2.25, 3.75, 3.75};
    return flows;
}

engine::Results sample_results() {
    using engine::OperationKind;
    engine::Results results;
    results.fidelity = "packet";
    results.dialect = "npunet";
    results.finish = Time::ps(1'000'250);
    results.npus = {npu(0, 0, Time::ps(1'000'250), Time::ps(100'250)),
                    npu(1, 0, Time::ns(900), Time::ns(100)), npu(2, 1, Time::ns(800), Time::ns(50)),
                    npu(3, 1, Time::ns(800), Time::ns(50))};
    results.collectives = {
        collective(0, "all_reduce", Time::ns(100), Time::ns(120), Time::ps(400'500)),
        collective(1, "all_to_all", Time::ns(500), Time::ns(500), Time::ns(900))};
    results.links = {link("npu0", "npu1", 6400, Time::ns(200), results.finish),
                     link("npu1", "npu2", 12800, Time::ns(500), results.finish),
                     link("npu2", "npu0", 0, Time::ns(0), results.finish)};
    results.link_classes = {"NIC", "leaf-spine"};
    results.carriers = {{engine::Parallelism::Tensor, "scale-up", {"all_gather"}},
                        {engine::Parallelism::Data, "NIC", {"all_reduce", "all_gather"}}};
    const auto last = std::make_shared<engine::DimensionTimes>(*results.npus[0].dimensions);
    engine::HoldUps& hold_ups = last->hold_ups.emplace();
    hold_ups.exposed.compute = Time::ns(20);
    hold_ups.exposed.carried_by(engine::Parallelism::Tensor) = Time::ns(50);
    hold_ups.exposed.carried_by(engine::Parallelism::Data) = Time::ns(230);
    hold_ups.idle.compute = Time::ps(60'250);
    hold_ups.idle.carried_by(engine::Parallelism::Data) = Time::ns(40);
    results.npus[0].dimensions = last;
    results.operations = {
        {Rank(0), OperationKind::Compute, 1, "matmul", Time::ns(0), Time::ps(100'250)},
        {Rank(0), OperationKind::Collective, 2, "grad 0", Time::ns(100), Time::ps(400'500)},
        {Rank(0), OperationKind::Compute, 3, "matmul", Time::ps(100'250), Time::ns(500)},
        {Rank(0), OperationKind::Collective, 4, "grad 1", Time::ns(200), Time::ns(300)},
        {Rank(2), OperationKind::Receive, 9, "recv", Time::ns(7), Time::ns(7)}};
    results.events = 1234;
    results.packet_hops = 99;
    results.wall_seconds = 0.25;
    return results;
}

engine::Resolved sample_resolved() {
    engine::Resolved resolved;
    resolved.collectives = {{"all_reduce", {"ring", "direct4"}}, {"barrier", {"dissemination"}}};
    resolved.packet.emplace();
    engine::ResolvedPacket& packet = *resolved.packet;
    packet.routing = "ecmp";
    packet.flow_control = "pfc";
    packet.transport = "go-back-n";
    packet.congestion_control = "dcqcn";
    packet.resume_below = Bytes(8320);
    packet.pmax = 0.2;
    for (const std::int64_t factor : {1, 2}) {
        engine::widen(packet.buffer, Bytes(factor * 1000));
        engine::widen(packet.headroom, Bytes(factor * 100));
        engine::widen(packet.queue_limit, Bytes(factor * 500));
        engine::widen(packet.kmin, Bytes(factor * 20));
        engine::widen(packet.kmax, Bytes(factor * 80));
        engine::widen(packet.pairs.window, Bytes(factor * 64));
        engine::widen(packet.pairs.timeout, Time::ps(factor * 500'500));
    }
    return resolved;
}

engine::Results sample_analytical() {
    engine::Results results = sample_results();
    results.fidelity = "analytical";
    results.finish = Time::ns(800);
    results.npus = {npu(0, 0, Time::ns(800), Time::ns(50)), npu(1, 0, Time::ns(800), Time::ns(50)),
                    npu(2, 1, Time::ns(750), Time::ns(20)), npu(3, 1, Time::ns(780), Time::ns(20))};
    results.collectives = {
        collective(0, "all_reduce", Time::ns(100), Time::ns(100), Time::ns(300)),
        collective(1, "all_to_all", Time::ns(500), Time::ns(500), Time::ns(700))};
    for (engine::LinkResult& link : results.links) {
        link.wire = link.payload;
        link.max_queue = Bytes(0);
    }
    results.packet_hops = 0;
    return results;
}

engine::JobsResults sample_jobs() {
    engine::Results own = sample_results();
    engine::JobsResults results;
    results.all = own;
    results.all.npus.clear();
    results.all.collectives.clear();
    results.all.operations.clear();
    own.links.clear();
    results.jobs.push_back({"first", {NodeId(0), NodeId(1), NodeId(2), NodeId(3)}, Time(), own});
    own.notes = {"a choice"};
    results.jobs.push_back(
        {"second", {NodeId(9), NodeId(4), NodeId(5), NodeId(6)}, Time::ns(250), own});
    return results;
}

}  // namespace npunet::report
