// Models from the config.json of the Hugging Face hub. Their sizes are the published ones; the
// files are written here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "generators/transformer/hf_config.h"
#include "generators/transformer/model_library.h"
#include "generators/transformer/model_spec.h"
#include "generators/transformer/plan.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::generators {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What a dense decoder is made of: V, h, L, a, g, d, f.
struct Sizes {
    std::int64_t v, h, l, a, g, d, f;
};

/// Its weights without biases and norms of heads, two tables of tokens: 2 V h + L (h (a + 2 g) d +
/// a d h + 3 h f + 2 h) + h.
std::int64_t dense(const Sizes& s) {
    return 2 * s.v * s.h +
           s.l * (s.h * (s.a + 2 * s.g) * s.d + s.a * s.d * s.h + 3 * s.h * s.f + 2 * s.h) + s.h;
}

class HuggingFaceConfig : public ::testing::Test {
protected:
    /// The keys that all but gpt2 have, and what is specific.
    [[nodiscard]] static std::string text(const std::string& type, const Sizes& s,
                                          const std::string& rest = "") {
        const auto number = [](const char* key, std::int64_t value) {
            return std::string(", \"") + key + "\": " + std::to_string(value);
        };
        return "{\"architectures\": [\"ForCausalLM\"], \"model_type\": \"" + type + "\"" +
               number("vocab_size", s.v) + number("hidden_size", s.h) +
               number("num_hidden_layers", s.l) + number("num_attention_heads", s.a) +
               number("num_key_value_heads", s.g) + number("intermediate_size", s.f) +
               ", \"max_position_embeddings\": 32768, \"rope_theta\": 10000.0, " +
               "\"torch_dtype\": \"bfloat16\", \"head_dim\": null" + rest + "}";
    }
    [[nodiscard]] ModelSpec read(const std::string& config) const {
        return load_model(folder_.write("config.json", config).string());
    }
    [[nodiscard]] std::string error_of(const std::string& config) const {
        return test::message_of<InputError>([&] { return read(config); });
    }

    test::TemporaryFolder folder_;
};

TEST_F(HuggingFaceConfig, DenseModelsHaveThePublishedCounts) {
    const Sizes llama{128'256, 4096, 32, 32, 8, 128, 14'336};
    EXPECT_EQ(parameter_count(read(text("llama", llama))), dense(llama));
    EXPECT_EQ(dense(llama), 8'030'261'248);
    // Llama 3.2 1B: one table.
    const Sizes tied{128'256, 2048, 16, 32, 8, 64, 8192};
    EXPECT_EQ(parameter_count(read(text("llama", tied, ", \"tie_word_embeddings\": true"))),
              dense(tied) - 128'256LL * 2048);
    EXPECT_EQ(dense(tied) - 128'256LL * 2048, 1'235'814'400);

    const Sizes mistral{32'000, 4096, 32, 32, 8, 128, 14'336};
    const ModelSpec read_mistral = read(text("mistral", mistral, ", \"sliding_window\": 4096"));
    EXPECT_EQ(parameter_count(read_mistral), dense(mistral));
    EXPECT_EQ(dense(mistral), 7'241'732'096);
    EXPECT_EQ(read_mistral.sliding_window, 4096);
    EXPECT_EQ(read_mistral.seq, 32'768);

    // Qwen2.5: biases of QKV alone; a window that is not used.
    for (const auto& [sizes, count] :
         {std::pair{Sizes{152'064, 8192, 80, 64, 8, 128, 29'568}, 72'706'203'648},
          std::pair{Sizes{152'064, 3584, 28, 28, 4, 128, 18'944}, 7'615'616'512}}) {
        const ModelSpec qwen = read(text("qwen2", sizes,
                                         ", \"use_sliding_window\": false, "
                                         "\"sliding_window\": 4096"));
        EXPECT_EQ(parameter_count(qwen),
                  dense(sizes) + sizes.l * (sizes.a + 2 * sizes.g) * sizes.d);
        EXPECT_EQ(parameter_count(qwen), count);
        EXPECT_EQ(qwen.sliding_window, 0);
    }
    // Qwen3 8B: norms of queries and keys, a weight a channel of a head.
    const Sizes qwen3{151'936, 4096, 36, 32, 8, 128, 12'288};
    EXPECT_EQ(parameter_count(read(text("qwen3", qwen3))), dense(qwen3) + 36 * 2 * 128);
    EXPECT_EQ(dense(qwen3) + 36 * 2 * 128, 8'190'735'360);
}

TEST_F(HuggingFaceConfig, OfGpt2HasThePublishedCount) {
    const ModelSpec model = read(
        R"({"model_type": "gpt2", "vocab_size": 50257, "n_embd": 768, "n_layer": 12, "n_head": 12,
            "n_positions": 1024, "n_ctx": 1024, "n_inner": null})");
    const std::int64_t h = 768;
    const std::int64_t layer = h * 3 * h + 3 * h + h * h + h + 2 * h * 4 * h + 4 * h + h + 4 * h;
    EXPECT_EQ(parameter_count(model), 50'257 * h + 1024 * h + 12 * layer + 2 * h);
    EXPECT_EQ(parameter_count(model), 124'439'808);
    EXPECT_TRUE(model.dropout);
}

TEST_F(HuggingFaceConfig, OfExpertsHaveThePublishedCounts) {
    const Sizes mixtral{32'000, 4096, 32, 32, 8, 128, 14'336};
    // Seven more experts, and the router.
    const std::int64_t expert = 3LL * 4096 * 14'336;
    EXPECT_EQ(parameter_count(read(text("mixtral", mixtral,
                                        ", \"num_local_experts\": 8, \"num_experts_per_tok\": 2, "
                                        "\"sliding_window\": null"))),
              dense(mixtral) + 32 * (7 * expert + 4096 * 8));
    EXPECT_EQ(dense(mixtral) + 32 * (7 * expert + 4096 * 8), 46'702'792'704);

    // Qwen3 30B A3B: heads of 128 channels that do not add up to h; intermediate_size is unused.
    const Sizes a3b{151'936, 2048, 48, 32, 4, 128, 768};
    std::string config =
        text("qwen3_moe", a3b,
             ", \"num_experts\": 128, \"num_experts_per_tok\": 8, \"moe_intermediate_size\": 768, "
             "\"decoder_sparse_step\": 1, \"mlp_only_layers\": []");
    config.replace(config.find("null"), 4, "128");
    const ModelSpec moe = read(config);
    const std::int64_t small = 3LL * 2048 * 768;
    const std::int64_t total = dense(a3b) + 48 * (2 * 128 + 127 * small + 2048 * 128);
    EXPECT_EQ(parameter_count(moe), total);
    EXPECT_EQ(total, 30'532'122'624);
}

TEST_F(HuggingFaceConfig, OfGptOssIsTheShippedModel) {
    for (const auto& [name, layers, experts, count] :
         {std::tuple{"gpt-oss-20b", 24, 32, 20'914'757'184},
          std::tuple{"gpt-oss-120b", 36, 128, 116'829'156'672}}) {
        std::string config = text("gpt_oss", {201'088, 2880, layers, 64, 8, 64, 2880},
                                  ", \"num_local_experts\": " + std::to_string(experts) +
                                      ", \"num_experts_per_tok\": 4, \"sliding_window\": 128, "
                                      "\"attention_bias\": true");
        config.replace(config.find("null"), 4, "64");
        const ModelSpec model = read(config);
        EXPECT_EQ(parameter_count(model), count);
        const ModelSpec shipped = load_model(name);
        EXPECT_EQ(parameter_count(shipped), count);
        EXPECT_EQ(active_parameter_count(model), active_parameter_count(shipped));
        EXPECT_EQ(multiplying_weights(model), multiplying_weights(shipped));
        EXPECT_EQ(model.sliding_window, shipped.sliding_window);
    }
}

// The shipped DeepSeek-V3 without the correction bias of 58 routers of 256 experts.
TEST_F(HuggingFaceConfig, OfDeepSeekHasTheCorrectionBias) {
    const ModelSpec model =
        read(text("deepseek_v3", {129'280, 7168, 61, 128, 128, 0, 18'432},
                  ", \"q_lora_rank\": 1536, \"kv_lora_rank\": 512, \"qk_nope_head_dim\": 128, "
                  "\"qk_rope_head_dim\": 64, \"v_head_dim\": 128, \"n_routed_experts\": 256, "
                  "\"n_shared_experts\": 1, \"num_experts_per_tok\": 8, "
                  "\"moe_intermediate_size\": 2048, \"first_k_dense_replace\": 3, "
                  "\"moe_layer_freq\": 1, \"num_nextn_predict_layers\": 1"));
    EXPECT_EQ(parameter_count(model), 671'026'404'352 + 58 * 256);
    EXPECT_EQ(multiplying_weights(model), multiplying_weights(load_model("deepseek-v3")));
}

TEST_F(HuggingFaceConfig, TakesAFolderAndItsName) {
    const Sizes llama{128'256, 4096, 32, 32, 8, 128, 14'336};
    folder_.write("config.json", text("llama", llama));
    EXPECT_EQ(parameter_count(load_model(folder_.path().string() + "/")), dense(llama));
    EXPECT_EQ(load_model((folder_ / "config.json").string()).name,
              folder_.path().filename().string());
    folder_.write("mine.json", text("llama", llama));
    EXPECT_EQ(load_model((folder_ / "mine.json").string()).name, "mine");
}

// A plan of long sequences has a note, one within the window none.
TEST_F(HuggingFaceConfig, WindowsAreNamedWhereTheyWouldMatter) {
    const ModelSpec model =
        read(text("mistral", {32'000, 4096, 32, 32, 8, 128, 14'336}, ", \"sliding_window\": 4096"));
    Plan plan;
    plan.sequence = 4096;
    EXPECT_THAT(notes_on_parameters_without_effect(model, resolve_plan(model, plan)), IsEmpty());
    plan.sequence = 8192;
    EXPECT_THAT(notes_on_parameters_without_effect(model, resolve_plan(model, plan)),
                ElementsAre(HasSubstr("sliding window of 4096 tokens")));
}

// An absent key has the default of the class that reads it (configuration_llama.py and so on),
// which a null is not: no window, and as many heads of keys as of queries.
TEST_F(HuggingFaceConfig, AbsentKeysAreNotNulls) {
    const auto config = [](const std::string& type, const std::string& rest) {
        return "{\"model_type\": \"" + type + "\", \"hidden_size\": 64, \"vocab_size\": 100, " +
               "\"num_hidden_layers\": 2, \"num_attention_heads\": 4, " +
               "\"intermediate_size\": 128, \"max_position_embeddings\": 32" + rest + "}";
    };
    const std::string null_heads = ", \"num_key_value_heads\": null";
    EXPECT_EQ(read(config("llama", "")).kv_heads, 4);
    EXPECT_EQ(read(config("llama", null_heads)).kv_heads, 4);
    EXPECT_EQ(read(config("llama", ", \"num_key_value_heads\": 2")).kv_heads, 2);
    EXPECT_EQ(read(config("mistral", null_heads)).kv_heads, 4);
    for (const char* const type : {"mistral", "qwen2", "qwen3"}) {
        EXPECT_THAT(error_of(config(type, "")), HasSubstr("num_key_value_heads: found nothing"));
    }
    const std::string heads = ", \"num_key_value_heads\": 2";
    const std::string experts = heads + ", \"num_local_experts\": 4, \"num_experts_per_tok\": 2";
    const auto windows = [&](const std::string& type, const std::string& rest) {
        std::vector<std::int64_t> found;
        for (const char* const window :
             {"", ", \"sliding_window\": null", ", \"sliding_window\": 77"}) {
            found.push_back(read(config(type, rest + window)).sliding_window);
        }
        return found;
    };
    EXPECT_THAT(windows("mistral", heads), ElementsAre(4096, 0, 77));
    EXPECT_THAT(windows("mixtral", experts), ElementsAre(0, 0, 77));
    EXPECT_THAT(windows("gpt_oss", experts), ElementsAre(128, 0, 77));
    EXPECT_THAT(windows("qwen2", heads), ElementsAre(0, 0, 0));
    EXPECT_THAT(windows("qwen3", heads + ", \"use_sliding_window\": true"),
                ElementsAre(4096, 0, 77));
}

TEST_F(HuggingFaceConfig, RefusalsNameTheKey) {
    const Sizes llama{128'256, 4096, 32, 32, 8, 128, 14'336};
    EXPECT_THAT(error_of(text("mamba", llama)),
                AllOf(HasSubstr("config.json: model_type: found 'mamba'"),
                      HasSubstr("deepseek_v3, gpt2, gpt_oss, llama, mistral, mixtral, qwen2, "
                                "qwen3, qwen3_moe")));
    EXPECT_THAT(error_of(text("qwen3-moe", llama)),
                HasSubstr("Did you mean qwen3_moe? Or describe"));
    EXPECT_THAT(error_of("{}"), HasSubstr("model_type"));
    EXPECT_THAT(error_of("[]"), HasSubstr("not an object"));
    EXPECT_THAT(error_of("{\"model_type\": \"llama\"}"), HasSubstr("hidden_size: found nothing"));
    EXPECT_THAT(error_of(text("llama", {128'256, 4096, 32, 5, 5, 128, 14'336})),
                HasSubstr("a divisor of hidden_size 4096"));
    EXPECT_THAT(error_of(text("llama", {128'256, -1, 32, 32, 8, 128, 14'336})),
                HasSubstr("hidden_size: found -1"));
    EXPECT_THAT(error_of(text("llama", {128'256, 4096, 99'999, 32, 8, 128, 14'336})),
                HasSubstr("layers: found 99999"));
    EXPECT_THAT(error_of(text("qwen3_moe", llama, ", \"mlp_only_layers\": [1]")),
                HasSubstr("mlp_only_layers"));
    EXPECT_THAT(error_of(text("deepseek_v3", llama, ", \"attention_bias\": true")),
                HasSubstr("attention_bias"));
    EXPECT_THAT(test::message_of<InputError>([] { return load_model("absent/config.json"); }),
                HasSubstr("absent/config.json"));
}

}  // namespace
}  // namespace npunet::generators
