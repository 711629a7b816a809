#include "packet_steps.h"

#include <fmt/format.h>

#include <fstream>

#include "generators/stage/stage_workload.h"
#include "study/generated_workload.h"
#include "study/simulation_run.h"

namespace npunet::study {

namespace {

const std::string steps_file = NPUNET_SOURCE_DIR "/tests/study/packet_steps.txt";

/// FNV-1a.
std::uint64_t digest_of(const engine::Results& results) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    const auto mix = [&hash](std::int64_t value) {
        for (int byte = 0; byte < 8; ++byte) {
            hash = (hash ^ (static_cast<std::uint64_t>(value) >> (8 * byte) & 0xff)) *
                   0x100000001b3ULL;
        }
    };
    for (const engine::NpuResult& npu : results.npus) {
        mix(npu.finish.ps());
        mix(npu.exposed_communication.ps());
    }
    for (const engine::CollectiveResult& collective : results.collectives) {
        mix(collective.first_start.ps());
        mix(collective.end.ps());
    }
    for (const engine::LinkResult& link : results.links) {
        mix(link.payload.value());
        mix(link.wire.value());
        mix(link.busy.ps());
        mix(link.max_queue.value());
        mix(link.credit_stall.ps());
    }
    return hash;
}

}  // namespace

std::vector<PacketStep> recorded_steps() {
    std::ifstream stream(steps_file);
    std::vector<PacketStep> steps;
    for (PacketStep step; stream >> step.network >> std::dec >> step.finish_ps >>
                          step.packet_hops >> std::hex >> step.digest;) {
        steps.push_back(step);
    }
    return steps;
}

void record_steps(const std::vector<PacketStep>& steps) {
    std::ofstream stream(steps_file);
    for (const PacketStep& step : steps) {
        stream << fmt::format("{} {} {} {:016x}\n", step.network, step.finish_ps, step.packet_hops,
                              step.digest);
    }
}

engine::Results run_step(const std::string& network, bool fast_forward) {
    generators::StageArguments arguments;
    arguments.dp = arguments.tp = arguments.pp = arguments.sp = 2;
    arguments.activation_recompute = true;
    arguments.din = arguments.dout = 32000;
    arguments.dmodel = 8192;
    arguments.dff = 28672;
    arguments.head = 64;
    arguments.batch = 512;
    arguments.num_stacks = 8;
    const Machine machine =
        load_machine(fmt::format("{}/configs/networks/{}.yml", NPUNET_SOURCE_DIR, network),
                     fmt::format("{}/configs/systems/sanity.json", NPUNET_SOURCE_DIR), "npunet");
    const engine::Workload workload =
        workload_from(generators::generate(arguments), workload_options(machine));
    RunOptions options;
    options.packet.fast_forward = fast_forward;
    options.timeline = false;
    return simulate(workload, machine, Fidelity::Packet, options);
}

PacketStep step_of(const std::string& network, const engine::Results& results) {
    return {network, results.finish.ps(), results.packet_hops, digest_of(results)};
}

}  // namespace npunet::study
