#include "examples.h"

#include <fmt/format.h>

namespace npunet::determinism_test {

namespace {

const std::vector<std::string> every_fidelity{"analytical", "congestion-aware", "packet"};
/// Of what takes a while without optimization.
const std::vector<std::string> quick{"analytical"};

/// A shipped network, and the system.json that belongs to it.
struct Shipped {
    const char* network;
    int npus;
    const char* system = "";
};
constexpr Shipped shipped_networks[] = {
    {"ring-8", 8},
    {"two-sites", 8},
    {"mesh-4x4", 16},
    {"torus-4x4", 16},
    {"nvlink-8x2", 16},
    {"nvswitch-8x2", 16},
    {"dgx_16", 16, "dgx_16"},
    {"torus-4x4x4", 64},
    {"leaf-spine-64", 64},
    {"system_1", 64, "system_1"},
    {"system_2", 64, "system_2"},
    {"dragonfly-72", 72},
    {"fat-tree-128", 128},
    {"rail-128", 128},
    {"tpu_512", 512, "tpu_512"},
    {"dgx_2k", 2048, "dgx_2k"},
};

/// Algorithms on a line of 8 NPUs at one switch.
constexpr const char* algorithms[] = {"ring", "bidirectionalRing", "direct", "halvingDoubling",
                                      "doubleBinaryTree"};

void add_traces(std::vector<Example>& list) {
    for (const int npus : {8, 16, 64, 72, 128, 512, 2048}) {
        list.push_back({fmt::format("traces/reduce-{}", npus),
                        fmt::format("generate collective --type all_reduce --size 64KiB --npus {} "
                                    "--output-dir traces/reduce-{}",
                                    npus, npus)});
    }
    for (const int npus : {8, 16, 64, 72, 128}) {
        list.push_back({fmt::format("traces/exchange-{}", npus),
                        fmt::format("generate collective --type all_to_all --size 64KB --npus {} "
                                    "--repeat 2 --output-dir traces/exchange-{}",
                                    npus, npus)});
    }
    const char* const steps[][2] = {
        {"gpt2-small", "--tp 2 --pp 2"},
        {"llama2-7b", "--tp 4 --zero 3 --dp 2"},
        {"llama2-70b", "--tp 2 --cp 2"},
        {"llama3-8b", "--dp 4 --overlap-grad-reduce"},
        {"llama3-405b", "--tp 8 --recompute selective"},
        {"gpt3-175b", "--tp 4 --pp 4"},
        {"mixtral-8x7b", "--dp 4 --ep 4"},
        {"deepseek-v3", "--dp 4 --ep 4 --tp 2"},
        {"llama2-4layer", "--dp 2 --tp 2 --pp 2"},
        {"llama3-70b", "--tp 2 --pp 2"},
        {"qwen2.5-72b", "--tp 2 --zero 1 --dp 2"},
        {"gpt-oss-20b", "--dp 4 --ep 4 --tp 2"},
        {"gpt-oss-120b", "--tp 4 --ep 4 --etp 1 --sequence-parallel"},
    };
    for (const auto& [model, plan] : steps) {
        list.push_back({fmt::format("traces/{}", model),
                        fmt::format("generate transformer --model {} {} --seq 256 --batch 8 --json "
                                    "--output-dir traces/{}",
                                    model, plan, model)});
    }
    for (const char* const schedule : {"1f1b", "gpipe", "zero-bubble"}) {
        list.push_back({fmt::format("traces/{}", schedule),
                        fmt::format("generate pipeline --pp 4 --micro-batches 6 --schedule {} "
                                    "--forward 1ms --backward 1ms --weight 1ms --message-bytes "
                                    "1MiB --json --output-dir traces/{}",
                                    schedule, schedule)});
    }
    list.push_back({"traces/text",
                    "generate text configs/text/mlp-data.txt --npus 8 --passes 2 --output-dir "
                    "traces/text"});
    list.push_back({"traces/profile",
                    "generate profile examples/profile-replay --json --output-dir traces/profile"});
}

void add_collectives(std::vector<Example>& list) {
    for (const Shipped& one : shipped_networks) {
        const std::string system =
            *one.system == '\0' ? "" : fmt::format(" --system configs/systems/{}.json", one.system);
        for (const char* const kind : {"reduce", "exchange"}) {
            if (*kind == 'e' && one.npus > 128) {
                continue;
            }
            list.push_back({fmt::format("{}/{}", one.network, kind),
                            fmt::format("simulate --workload traces/{}-{}/workload --network "
                                        "configs/networks/{}.yml{} --fidelity FIDELITY --json",
                                        kind, one.npus, one.network, system),
                            one.npus > 512 ? quick : every_fidelity});
        }
    }
    for (const char* const algorithm : algorithms) {
        list.push_back({fmt::format("algorithm/{}", algorithm),
                        fmt::format("simulate --workload traces/reduce-8/workload --network "
                                    "switch.yml --system {}.json --fidelity FIDELITY --json",
                                    algorithm),
                        every_fidelity});
    }
    list.push_back({"ethernet/exchange",
                    "simulate --workload traces/exchange-16/workload --network roce.yml "
                    "--fidelity FIDELITY --flows --json",
                    every_fidelity});
    list.push_back({"lossy/exchange",
                    "simulate --workload traces/exchange-16/workload --network lossy.yml "
                    "--fidelity FIDELITY --flows --json",
                    every_fidelity});
    list.push_back({"faults/reduce",
                    "simulate --workload traces/reduce-16/workload --network faulty.yml "
                    "--fidelity FIDELITY --json",
                    every_fidelity});
}

void add_steps(std::vector<Example>& list) {
    const std::string dense =
        "--model llama2-4layer --seq 256 --batch 8 --dp 2 --tp 4 --pp 2 "
        "--system configs/systems/a100.json --fidelity FIDELITY --json "
        "--network ";
    for (const char* const network : {"mesh-4x4", "torus-4x4", "nvlink-8x2", "dgx_16"}) {
        list.push_back({fmt::format("{}/step", network),
                        fmt::format("simulate {}configs/networks/{}.yml", dense, network),
                        every_fidelity});
    }
    list.push_back({"ethernet/step", "simulate " + dense + "roce.yml", every_fidelity});
    list.push_back({"nvlink-8x2/experts",
                    "simulate --model ./examples/studies/plan_order/model.yml --batch 8 --dp 4 "
                    "--tp 2 --pp 2 --ep 4 --overlap-grad-reduce --network "
                    "configs/networks/nvlink-8x2.yml --system configs/systems/a100.json --fidelity "
                    "FIDELITY --json",
                    every_fidelity});
    list.push_back({"torus-4x4/stage",
                    "simulate --workload-dialect stage --dp 2 --tp 2 --pp 2 --sp 2 --din 3200 "
                    "--dout 3200 --dmodel 512 --dff 1024 --head 16 --batch 64 --seq 64 "
                    "--num-stacks 4 --network configs/networks/torus-4x4.yml --system "
                    "configs/systems/sanity.json --fidelity FIDELITY --json",
                    every_fidelity});
    for (const char* const schedule : {"1f1b", "gpipe", "zero-bubble"}) {
        list.push_back({fmt::format("pipeline/{}", schedule),
                        fmt::format("simulate --workload traces/{}/workload --network line.yml "
                                    "--fidelity FIDELITY --json",
                                    schedule),
                        every_fidelity});
    }
    list.push_back({"ring-8/text",
                    "simulate --workload traces/text/workload --network "
                    "configs/networks/ring-8.yml --fidelity FIDELITY --json",
                    every_fidelity});
    list.push_back({"pair/profile",
                    "simulate --workload traces/profile/workload --comm-group "
                    "traces/profile/comm_group.json --network pair.yml --fidelity FIDELITY --json",
                    every_fidelity});
    list.push_back({"two-jobs",
                    "simulate --jobs-file jobs.yml --network configs/networks/torus-4x4.yml "
                    "--fidelity FIDELITY --json",
                    every_fidelity});
    list.push_back({"results-folder",
                    "simulate --workload traces/exchange-16/workload --network "
                    "configs/networks/torus-4x4.yml --fidelity FIDELITY --messages --quiet "
                    "--output-dir out/FIDELITY",
                    every_fidelity});
    for (const char* const dialect : {"astra-sim", "astra-sim-2025-03"}) {
        list.push_back({fmt::format("{}/ring-8", dialect),
                        fmt::format("simulate --dialect {} --workload traces/reduce-8/workload "
                                    "--network configs/networks/ring-8.yml --fidelity FIDELITY "
                                    "--json",
                                    dialect),
                        {"analytical", "congestion-aware"}});
        list.push_back({fmt::format("{}/dgx_16", dialect),
                        fmt::format("simulate --dialect {} --workload traces/reduce-16/workload "
                                    "--network configs/networks/dgx_16.yml --system "
                                    "configs/systems/dgx_16.json --fidelity FIDELITY --json",
                                    dialect),
                        {"analytical"}});
    }
}

void add_studies(std::vector<Example>& list) {
    list.push_back({"compare",
                    "compare --model llama2-4layer --seq 256 --batch 4 --dp 2 --tp 4 --pp 2 "
                    "--network configs/networks/mesh-4x4.yml --system configs/systems/a100.json "
                    "--fidelities analytical,congestion-aware,packet --json",
                    {"packet"}});
    list.push_back({"sweep/collectives", "sweep examples/sweep/collectives.yml --json"});
    list.push_back({"sweep/transformer", "sweep examples/sweep/transformer.yml --json"});
    list.push_back({"sweep/fidelities", "sweep sweep.yml --json", {"packet"}});
    list.push_back({"plan/profiles",
                    "plan profiles --from configs/systems/a100.json --hidden-size 1024 "
                    "--vocab-size 51200 --sequence-length 1024 --layers 10 --max-batch 16 --scale "
                    "V100=3.5 --output-dir plan/profiles"});
    list.push_back({"plan/hostfile",
                    "plan hostfile 8 --output plan/hostfile --cluster-file plan/cluster.json "
                    "--json"});
    const std::string search =
        "plan --hostfile plan/hostfile --clusterfile plan/cluster.json "
        "--profiles plan/profiles --gbs 64 --json ";
    list.push_back({"plan/npunet", search + "--hidden-size 1024 --top 3"});
    list.push_back({"plan/verified",
                    search + "--hidden-size 1024 --schedule 1f1b --memory-factor 1.2 --verify 2"});
    list.push_back({"plan/metis", search +
                                      "--dialect metis --device-order A100,V100 --first-profile "
                                      "DeviceType.A100_tp8_bs16.json"});
    list.push_back({"analyze", "analyze examples/profiles --time-alignment corrected --json"});
    list.push_back({"analyze/traceviz",
                    "analyze examples/profiles --dialect traceviz --output-dir out/traceviz"});
}

std::vector<Example> all_examples() {
    std::vector<Example> list;
    add_traces(list);
    add_collectives(list);
    add_steps(list);
    add_studies(list);
    return list;
}

std::vector<InputFile> all_files() {
    return {
        {"switch.yml", "topology: [Switch]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n"},
        {"line.yml", "topology: [Ring]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [500]\n"},
        {"pair.yml", "topology: [Ring]\nnpus_count: [2]\nbandwidth: [50]\nlatency: [500]\n"},
        {"roce.yml",
         "FatTree: {levels: 2, radix: 8, npus: 16, bandwidth: [50, 50], latency: [500, 500]}\n"
         "packet: {routing: ecmp, flow_control: pfc, transport: selective-repeat, "
         "congestion_control: dcqcn}\n"},
        {"lossy.yml",
         "topology: [Mesh2D]\nnpus_count: [[4, 4]]\nbandwidth: [50]\nlatency: [500]\n"
         "packet: {flow_control: none, buffer: 65536, transport: go-back-n, congestion_control: "
         "swift}\n"},
        {"faulty.yml",
         "topology: [Torus2D]\nnpus_count: [[4, 4]]\nbandwidth: [33.3]\nlatency: [123.4]\n"
         "faults:\n  - {npu: 3, slowdown: 1.7}\n"
         "  - {link: [0, 1], bandwidth_factor: 0.37, latency_add: 1us}\n"},
        {"ring.json", R"({"all-reduce-implementation": ["ring"]})"},
        {"bidirectionalRing.json", R"({"all-reduce-implementation": ["bidirectionalRing"]})"},
        {"direct.json", R"({"all-reduce-implementation": ["direct"]})"},
        {"halvingDoubling.json", R"({"all-reduce-implementation": ["halvingDoubling"]})"},
        {"doubleBinaryTree.json", R"({"all-reduce-implementation": ["doubleBinaryTree"]})"},
        {"jobs.yml",
         "- {name: sum, workload: traces/reduce-8/workload, ranks: [0, 2, 4-7, 8, 10]}\n"
         "- {name: exchange, workload: traces/exchange-8/workload, ranks: [1, 3, 9, 11-15], "
         "start: 20us}\n"},
        {"sweep.yml",
         "workload:\n    collective: {type: [all_reduce, all_to_all], size: [64KiB, 1MB]}\n"
         "networks: [configs/networks/mesh-4x4.yml, roce.yml]\n"
         "fidelity: [analytical, congestion-aware, packet]\n"},
    };
}

}  // namespace

const std::vector<InputFile>& input_files() {
    static const std::vector<InputFile> list = all_files();
    return list;
}

const std::vector<Example>& examples() {
    static const std::vector<Example> list = all_examples();
    return list;
}

}  // namespace npunet::determinism_test
