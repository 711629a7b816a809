// What stands beside the logs of Megatron-LM's calls: the settings of the run, and the table of
// times for a trace of it.
#include "generators/megatron/conversion/segment_times.h"
#include "generators/megatron/logs/log_folder.h"
#include "generators/megatron/logs/run_config.h"
#include "memory_file.h"
#include "memory_folder.h"
#include "memory_watch.h"
#include "targets.h"

namespace npunet::fuzz {

namespace {

using namespace generators::megatron;

constexpr std::size_t run_folder_bytes_for_each = 60;
/// The groups of a run of few ranks, and the models that a run may name.
constexpr std::size_t run_bytes = std::size_t{16} << 20;

/// Settings with the sizes of the dialect's own model.
std::string config_of(const std::string& more) {
    return R"({"model_size": "small", "model_config": {"hidden_size": 768, "num_layers": 12,
        "num_attention_heads": 12, "seq_length": 1024}, "data_parallel_size": 2,
        "tensor_model_parallel_size": 1, "pipeline_model_parallel_size": 1, "world_size": 2,
        "seed": 1234, "timestamp": "20250810_115239", "num_micro_batches": 4,
        "global_batch_size": 16)" +
           more + "}";
}

std::string summary_of(const std::string& config) {
    return "{\"config\": " + config +
           R"(, "log_files": ["comm_log_rank_0.json", "comm_log_rank_1.json"]})";
}

}  // namespace

// summary.json, config.json and model.yml of a run of two ranks.
void run_log_folder(std::string_view input) {
    const MemoryFolder folder;
    const std::vector<std::string_view> files = files_of(input, 3);
    folder.write("summary.json", files[0]);
    if (files.size() > 1) {
        folder.write("config.json", files[1]);
    }
    if (files.size() > 2) {
        folder.write("model.yml", files[2]);
    }
    folder.write("comm_log_rank_0.json", "[]");
    folder.write("comm_log_rank_1.json", "[]");
    accepts_written([&] {
        const MemoryWatch watch(memory_limit(run_folder_bytes_for_each * input.size(), run_bytes));
        const LogFolder opened = open_log_folder(folder.path());
        watch.check();
        expect(opened.logs.size() == 2 && opened.run.world() == 2, "logs of other ranks");
        expect(!config_text(opened.run).empty(), "settings that cannot be written");
    });
}

std::vector<std::string> log_folder_seeds() {
    const std::string mark(file_mark);
    const std::string genstack = config_of("");
    const std::string npunet = config_of(
        R"(, "dialect": "npunet", "expert_model_parallel_size": 1, "rank_order": "tp-cp-ep-dp-pp",
           "sequence_parallel": false, "use_distributed_optimizer": true,
           "overlap_grad_reduce": true, "cp_comm_type": "p2p", "params_dtype": "bf16",
           "make_vocab_size_divisible_by": 128)");
    return {summary_of(genstack), summary_of(genstack) + mark + genstack,
            summary_of(npunet) + mark + npunet + mark +
                "hidden: 768\nlayers: 12\nheads: 12\nffn: 3072\nvocab: 1000\nseq: 1024\n",
            summary_of(config_of(R"(, "context_parallel_size": 1)")),
            "{\"config\": {\"a\": " + std::string(300, '[')};
}

void run_segment_times(std::string_view input) {
    const MemoryFile file(input);
    const std::string path = file.path().string();
    accepts_written([&] {
        const MemoryWatch watch(
            memory_limit(run_folder_bytes_for_each * input.size(), reader_buffers));
        const SegmentTimes times = read_segment_times(path);
        watch.check();
        for (const std::string& name : segment_names()) {
            accepts_written([&] { expect(times.ns(name) >= 0, "a negative time"); });
        }
    });
}

std::vector<std::string> segment_times_seeds() {
    std::string all;
    for (const std::string& name : segment_names()) {
        all += name + ": 812.5us\n";
    }
    return {all, "optimizer: 1ms\nmlp_wgrad: 0ps\n"};
}

}  // namespace npunet::fuzz
