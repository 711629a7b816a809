// A model file with the routing file beside it, and how its tokens are routed.
#include <numeric>
#include <optional>

#include "generators/transformer/model_file.h"
#include "generators/transformer/moe_routing.h"
#include "memory_folder.h"
#include "memory_watch.h"
#include "targets.h"

namespace npunet::fuzz {

namespace {

using namespace generators;

constexpr std::size_t model_bytes_for_each = 60;
/// Weights of the experts of all layers: what the model's numbers alone explain.
constexpr std::int64_t most_weights = std::int64_t{1} << 16;

void check_routing(const ModelSpec& model) {
    accepts_written([&] {
        const MoeRouting routing(model, 1);
        for (std::int64_t layer = model.moe.dense_layers_first;
             layer < std::min(model.layers, model.moe.dense_layers_first + 3); ++layer) {
            const TokenBatch batch{layer, 0, Rank(0), 100};
            const std::vector<std::int64_t> counts = routing.counts(batch);
            std::int64_t copies = 0;
            for (const std::int64_t count : counts) {
                expect(count >= 0 && count <= batch.tokens, "more copies than tokens");
                copies += count;
            }
            expect(model.moe.capacity_factor > 0 || copies == batch.tokens * model.moe.top_k,
                   "tokens that are lost");
        }
    });
}

}  // namespace

void run_model(std::string_view input) {
    const std::vector<std::string_view> files = files_of(input, 2);
    const MemoryFolder folder;
    folder.write("model.yml", files[0]);
    if (files.size() > 1) {
        folder.write("list", files[1]);
    }
    std::optional<ModelSpec> model;
    accepts_written([&] {
        const MemoryWatch watch(memory_limit(model_bytes_for_each * input.size(), reader_buffers));
        model = read_model_file(folder / "model.yml");
        watch.check();
    });
    if (!model) {
        return;
    }
    expect(parameter_count(*model) > 0, "a model without parameters");
    if (model->moe.experts > 0 && model->layers * model->moe.experts <= most_weights) {
        check_routing(*model);
    }
}

std::vector<std::string> model_seeds() {
    const std::string sizes = "hidden: 64\nlayers: 4\nheads: 4\nffn: 256\nvocab: 1000\nseq: 128\n";
    const std::string mark(file_mark);
    return {sizes,
            sizes +
                "name: small\nkv_heads: 2\nhead_dim: 16\ngated: false\nnorm: layer\nbias: true\n"
                "positions: learned\ntied_embeddings: true\nvocab_divisible_by: 128\n"
                "attention: gqa\ndropout: false\n"
                "dtypes: {weights: fp8, activations: bf16, gradients: fp32, optimizer: 8}\n",
            sizes +
                "mla: {q_lora_rank: 24, kv_lora_rank: 16, qk_nope_head_dim: 16, "
                "qk_rope_head_dim: 8, v_head_dim: 16}\n",
            sizes +
                "moe: {experts: 4, top_k: 2, ffn: 128, shared_experts: 1, "
                "dense_layers_first: 1, router_bias: true, routing: zipf:1.2, "
                "capacity_factor: 1.25}\n",
            sizes + "moe: {experts: 4, top_k: 2, routing: list, dropless: true}\n" + mark +
                "* 1 2 3 4\n2 0 0, 7 9 # a comment\n"};
}

}  // namespace npunet::fuzz
