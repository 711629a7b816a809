#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <tuple>
#include <utility>

#include "generators/transformer/model_file.h"
#include "generators/transformer/model_library.h"
#include "generators/transformer/model_spec.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::generators {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// V h [+ s h] + L (h (a + 2g) d + a d h + 2 or 3 h f + biases + norms) + final norm [+ V h]: the
// published counts.
TEST(ParameterCount, OfShippedModelsIsExact) {
    const std::pair<const char*, std::int64_t> counts[] = {
        {"gpt2-small", 124'439'808},       {"gpt3-175b", 174'604'259'328},
        {"llama2-7b", 6'738'415'616},      {"llama2-70b", 68'976'648'192},
        {"llama3-8b", 8'030'261'248},      {"llama3-405b", 405'853'388'800},
        {"mixtral-8x7b", 46'702'792'704},  {"deepseek-v3", 671'026'404'352},
        {"llama2-4layer", 1'071'681'536},  {"llama3-70b", 70'553'706'496},
        {"qwen2.5-72b", 72'706'203'648},   {"gpt-oss-20b", 20'914'757'184},
        {"gpt-oss-120b", 116'829'156'672},
    };
    for (const auto& [name, count] : counts) {
        EXPECT_EQ(parameter_count(load_model(name)), count) << name;
        EXPECT_EQ(load_model(name).name, name);
    }
    EXPECT_EQ(known_models().size(), std::size(counts));
}

// Llama 2 7B: 32 (4 x 4096^2 + 3 x 4096 x 11008) + 32000 x 4096 weights multiply activations.
TEST(MultiplyingWeights, LeaveOutEmbeddingsNormsAndBiases) {
    EXPECT_EQ(multiplying_weights(load_model("llama2-7b")), 6'607'077'376);
    // A tied table multiplies in the LM head all the same.
    const ModelSpec gpt = load_model("gpt2-small");
    EXPECT_EQ(multiplying_weights(gpt), 12 * 12 * 768 * 768 + 50257 * 768);
}

// The router, and of E experts the token's own k: 2 of Mixtral's 8, and 8 + 1 shared of DeepSeek's
// 256 + 1. Attention of Mixtral: QKV 4096 x 6144, projection 4096 x 4096.
TEST(ActiveParameters, LeaveOutTheExpertsOfOtherTokens) {
    const ModelSpec mixtral = load_model("mixtral-8x7b");
    EXPECT_EQ(active_parameter_count(mixtral), 12'879'925'248);
    const std::int64_t expert = 3LL * 4096 * 14336;
    EXPECT_EQ(multiplying_weights(mixtral),
              32 * (4096LL * 6144 + 4096LL * 4096 + 4096 * 8 + 2 * expert) + 32000LL * 4096);
    const ModelSpec deepseek = load_model("deepseek-v3");
    const std::int64_t routed = 3LL * 7168 * 2048;
    EXPECT_EQ(active_parameter_count(deepseek), parameter_count(deepseek) - 58 * 248 * routed);
    const ModelSpec dense = load_model("gpt2-small");
    EXPECT_EQ(active_parameter_count(dense), parameter_count(dense));
}

// gpt-oss: QKV h (a + 2 g) d with biases, projection a d h with biases, a sink a head, router h E
// with biases, experts of 3 h f with biases 2 f + h, two norms of h. A token meets 4 experts.
TEST(ParameterCount, OfBiasesAndSinksIsTheSumOfTheirShapes) {
    for (const auto& [name, layers, experts] :
         {std::tuple{"gpt-oss-20b", 24, 32}, std::tuple{"gpt-oss-120b", 36, 128}}) {
        const std::int64_t h = 2880;
        const std::int64_t qkv = (64 + 2 * 8) * 64;
        const std::int64_t expert = 3 * h * h + 2 * h + h;
        const std::int64_t rest =
            h * qkv + qkv + 64 * 64 * h + h + 64 + h * experts + experts + 2 * h;
        const std::int64_t tables = 2 * 201'088 * h + h;
        const ModelSpec model = load_model(name);
        EXPECT_EQ(parameter_count(model), layers * (rest + experts * expert) + tables);
        EXPECT_EQ(active_parameter_count(model), layers * (rest + 4 * expert) + tables);
        EXPECT_EQ(multiplying_weights(model),
                  layers * (h * qkv + 64 * 64 * h + h * experts + 4 * 3 * h * h) + 201'088 * h);
    }
}

// Latent attention: h (q + kv + r) + q a (n + r) + kv a (n + v) + a v h, without low-rank queries
// h (kv + r) + h a (n + r) + ...; norms of q + kv and 2 h; three matrices of h f.
TEST(ParameterCount, OfLatentAttentionIsTheSumOfItsMatrices) {
    for (const std::int64_t q : {0, 48}) {
        ModelSpec model = load_model("llama2-7b");
        model.mla = {q, 32, 24, 8, 20};
        model.head_dim = 32;
        const std::int64_t h = 4096;
        const std::int64_t a = 32;
        const std::int64_t queries = q > 0 ? h * q + q * a * 32 : h * a * 32;
        const std::int64_t layer = queries + h * (32 + 8) + 32 * a * (24 + 20) + a * 20 * h +
                                   3 * h * 11008 + q + 32 + 2 * h;
        EXPECT_EQ(parameter_count(model), 32 * layer + 2 * 32000 * h + h);
        EXPECT_EQ(multiplying_weights(model), 32 * (layer - q - 32 - 2 * h) + 32000 * h);
    }
}

class ModelFile : public ::testing::Test {
protected:
    [[nodiscard]] std::filesystem::path write(const std::string& text) const {
        return folder_.write("mine.yml", text);
    }

    [[nodiscard]] std::string error_of(const std::string& text) const {
        return test::message_of<InputError>([&] { return read_model_file(write(text)); });
    }

    const std::string minimal_ = "hidden: 64\nlayers: 2\nheads: 4\nffn: 128\nvocab: 100\nseq: 16\n";
    test::TemporaryFolder folder_;
};

TEST_F(ModelFile, TakesDefaultsForWhatItDoesNotSay) {
    const ModelSpec model = read_model_file(write(minimal_));
    EXPECT_EQ(model.name, "mine");
    EXPECT_EQ(model.kv_heads, 4);
    EXPECT_EQ(model.head_dim, 16);
    EXPECT_TRUE(model.gated);
    EXPECT_EQ(model.norm, Norm::Rms);
    EXPECT_EQ(model.positions, Positions::Rotary);
    EXPECT_EQ(model.dtypes.weights, 2);
    EXPECT_EQ(model.dtypes.gradients, 4);
    EXPECT_EQ(model.dtypes.optimizer, 12);
}

TEST_F(ModelFile, ReadsDataTypesByNameOrBytes) {
    const ModelSpec model = read_model_file(
        write(minimal_ + "dtypes: {weights: fp8, activations: bf16, gradients: 2, optimizer: 16}"));
    EXPECT_EQ(model.dtypes.weights, 1);
    EXPECT_EQ(model.dtypes.activations, 2);
    EXPECT_EQ(model.dtypes.gradients, 2);
    EXPECT_EQ(model.dtypes.optimizer, 16);
    EXPECT_THAT(error_of(minimal_ + "dtypes: {weights: bf17}"), HasSubstr("'bf17'"));
}

TEST_F(ModelFile, NamesUnknownKeysAndTheNearestKnownOne) {
    const std::string error = error_of(minimal_ + "hiden: 64\n");
    EXPECT_THAT(error, HasSubstr("line 7, hiden"));
    EXPECT_THAT(error, HasSubstr("Did you mean hidden?"));
}

TEST_F(ModelFile, NamesMissingAndContradictoryValues) {
    EXPECT_THAT(error_of("hidden: 64\n"), HasSubstr("layers"));
    EXPECT_THAT(error_of(minimal_ + "kv_heads: 3\n"), HasSubstr("a divisor of the 4 heads"));
    EXPECT_THAT(error_of(minimal_ + "kv_heads: 2\nattention: mha\n"), HasSubstr("gqa"));
    EXPECT_THAT(error_of(minimal_ + "attention: gqa\n"), HasSubstr("kv_heads"));
    EXPECT_THAT(error_of(minimal_ + "seq: 32\n"), HasSubstr("second time"));
    EXPECT_THAT(error_of(minimal_ + "norm: batch\n"), HasSubstr("one of rms, layer"));
    EXPECT_THAT(error_of(minimal_ + "gated: maybe\n"), HasSubstr("one of true, false"));
    EXPECT_THAT(error_of(minimal_ + "head_dim: 0\n"), HasSubstr("head_dim"));
    EXPECT_THAT(error_of("hidden: 64\nlayers: 2\nheads: 5\nffn: 1\nvocab: 1\nseq: 1\n"),
                HasSubstr("a divisor of hidden 64"));
    EXPECT_THAT(error_of("hidden: lots\n"), HasSubstr("'lots'"));
    EXPECT_THAT(error_of("hidden: 99999999999999999999\n"), HasSubstr("whole number"));
}

// Ranges too are told with the line, and the value out of range before what follows from it.
TEST_F(ModelFile, RangesNameTheLine) {
    EXPECT_THAT(error_of("layers: 2\nhidden: -5\nheads: 4\nffn: 1\nvocab: 1\nseq: 1\n"),
                HasSubstr("line 2, hidden: found -5"));
    EXPECT_THAT(error_of("hidden: 64\nlayers: 99999\nheads: 4\nffn: 1\nvocab: 1\nseq: 1\n"),
                HasSubstr("line 2, layers: found 99999"));
    const std::string moe = minimal_ + "moe:\n    experts: 8\n";
    EXPECT_THAT(error_of(moe + "    top_k: 9\n"), HasSubstr("line 9, moe.top_k: found 9"));
    EXPECT_THAT(error_of(moe + "    top_k: 2\n    shared_experts: -1\n"),
                HasSubstr("line 10, moe.shared_experts: found -1"));
    EXPECT_THAT(
        error_of(minimal_ + "moe: {experts: 5000, top_k: 1}\n"),
        HasSubstr("line 7, moe.experts: found 5000; expected a whole number from 1 to 4096"));
    EXPECT_THAT(error_of(minimal_ + "dtypes: {weights: 65}\n"),
                HasSubstr("line 7, dtypes.weights: found 65"));
    // What stands nowhere has no line: the width of an expert is the model's.
    EXPECT_THAT(error_of("hidden: 64\nlayers: 2\nheads: 4\nffn: 2000000\nvocab: 1\nseq: 1\n"
                         "moe: {experts: 8, top_k: 1}\n"),
                AllOf(HasSubstr("mine.yml: moe.ffn: found 2000000"), Not(HasSubstr("line"))));
}

TEST_F(ModelFile, ReadsBiasesByLayer) {
    const Biases all = read_model_file(write(minimal_ + "bias: true\n")).biases;
    EXPECT_TRUE(all.qkv && all.projection && all.mlp && !all.router);
    EXPECT_FALSE(read_model_file(write(minimal_ + "bias: false\n")).biases.any());
    EXPECT_FALSE(read_model_file(write(minimal_ + "bias: []\n")).biases.any());
    const ModelSpec model =
        read_model_file(write(minimal_ + "bias: [qkv, router]\nsinks: true\nqk_norm: true\n"
                                         "sliding_window: 8\nmoe: {experts: 8, top_k: 2}\n"));
    EXPECT_TRUE(model.biases.qkv && model.biases.router);
    EXPECT_FALSE(model.biases.projection || model.biases.mlp);
    EXPECT_TRUE(model.sinks && model.qk_norm);
    EXPECT_EQ(model.sliding_window, 8);
    // QKV 3 x 64, 8 scores, 4 sinks, two norms of 16 channels: for each of two layers.
    const ModelSpec plain = read_model_file(write(minimal_ + "moe: {experts: 8, top_k: 2}\n"));
    EXPECT_EQ(parameter_count(model) - parameter_count(plain), 2 * (3 * 64 + 8 + 4 + 2 * 16));
    EXPECT_THAT(error_of(minimal_ + "bias: [qvk]\n"),
                AllOf(HasSubstr("line 7, bias[0]"), HasSubstr("qkv")));
    EXPECT_THAT(error_of(minimal_ + "bias: maybe\n"), HasSubstr("one of true, false"));
    EXPECT_THAT(error_of(minimal_ + "bias: [router]\n"), HasSubstr("without experts"));
    EXPECT_THAT(error_of(minimal_ + "sliding_window: -1\n"), HasSubstr("line 7, sliding_window"));
}

TEST_F(ModelFile, DropoutFollowsTheNormUnlessSaid) {
    EXPECT_FALSE(read_model_file(write(minimal_)).dropout);
    EXPECT_TRUE(read_model_file(write(minimal_ + "norm: layer\n")).dropout);
    EXPECT_FALSE(read_model_file(write(minimal_ + "norm: layer\ndropout: false\n")).dropout);
    EXPECT_TRUE(read_model_file(write(minimal_ + "dropout: true\n")).dropout);
}

TEST_F(ModelFile, ReadsLatentAttention) {
    const std::string sizes =
        "kv_lora_rank: 24, qk_nope_head_dim: 10, qk_rope_head_dim: 6, v_head_dim: 12";
    for (const std::string attention : {"", "attention: mla\n"}) {
        const ModelSpec model = read_model_file(
            write(minimal_ + attention + "mla: {q_lora_rank: 32, " + sizes + "}\n"));
        EXPECT_TRUE(model.latent());
        EXPECT_EQ(model.head_dim, 16);
        EXPECT_EQ(model.value_width(), 4 * 12);
        EXPECT_EQ(model.latent_width(), 32 + 24 + 6);
        EXPECT_EQ(model.cache_width(), 24 + 6);
    }
    EXPECT_EQ(read_model_file(write(minimal_ + "mla: {" + sizes + "}")).mla.q_lora_rank, 0);
    const std::string mla = minimal_ + "mla: {" + sizes + "}\n";
    EXPECT_THAT(error_of(minimal_ + "attention: mla\n"), HasSubstr("a section mla"));
    EXPECT_THAT(error_of(minimal_ + "mla: {}\n"), HasSubstr("mla.kv_lora_rank"));
    EXPECT_THAT(error_of(mla + "attention: mha\n"), HasSubstr("found mha; expected mla"));
    EXPECT_THAT(error_of(mla + "kv_heads: 2\n"), HasSubstr("the 4 heads"));
    EXPECT_THAT(error_of(mla + "head_dim: 12\n"), HasSubstr("10 + 6"));
    EXPECT_THAT(error_of(mla + "positions: none\n"), HasSubstr("without rotary positions"));
    EXPECT_THAT(error_of(mla + "bias: true\n"), HasSubstr("without biases"));
    EXPECT_THAT(error_of(minimal_ + "mla: {kv_lora_rnk: 3}\n"),
                HasSubstr("Did you mean kv_lora_rank?"));
    EXPECT_THAT(
        error_of(minimal_ + "mla: {kv_lora_rank: 24, qk_nope_head_dim: 10, qk_rope_head_dim: 5, "
                            "v_head_dim: 12}\n"),
        HasSubstr("an even number"));
}

TEST_F(ModelFile, ReadsMixturesOfExperts) {
    const ModelSpec plain = read_model_file(write(minimal_ + "moe: {experts: 8, top_k: 2}\n"));
    EXPECT_EQ(plain.moe.ffn, 128);
    EXPECT_EQ(plain.moe.capacity_factor, 0.0);
    EXPECT_EQ(plain.moe.routing.kind, Routing::Kind::Uniform);
    EXPECT_TRUE(plain.is_moe_layer(0));
    folder_.write("counts.csv", "1\n");
    const ModelSpec model = read_model_file(
        write(minimal_ +
              "moe: {experts: 8, top_k: 2, ffn: 32, shared_experts: 1, dense_layers_first: 1, "
              "router_bias: true, routing: 'zipf:1.25', capacity_factor: 1.5}\n"));
    EXPECT_EQ(model.moe.ffn, 32);
    EXPECT_FALSE(model.is_moe_layer(0));
    EXPECT_TRUE(model.is_moe_layer(1));
    EXPECT_EQ(model.moe.routing.kind, Routing::Kind::Zipf);
    EXPECT_EQ(model.moe.routing.exponent, 1.25);
    EXPECT_EQ(model.moe.capacity_factor, 1.5);
    EXPECT_TRUE(model.moe.router_bias);
    const auto moe = [this](const std::string& rest) {
        return error_of(minimal_ + "moe: {experts: 8, " + rest + "}\n");
    };
    EXPECT_EQ(
        read_model_file(write(minimal_ + "moe: {experts: 8, top_k: 2, routing: counts.csv}\n"))
            .moe.routing.file,
        (folder_ / "counts.csv").string());
    EXPECT_THAT(moe("top_k: 9"), HasSubstr("1 to 8"));
    EXPECT_THAT(moe("ffn: 3"), HasSubstr("moe.top_k"));
    EXPECT_THAT(moe("top_k: 2, dense_layers_first: 3"), HasSubstr("0 to 2"));
    EXPECT_THAT(moe("top_k: 2, routing: 'zipf:x'"), HasSubstr("zipf:EXPONENT"));
    EXPECT_THAT(moe("top_k: 2, routing: absent.csv"), HasSubstr("a file that exists"));
    EXPECT_THAT(moe("top_k: 2, capacity_factor: -1"), HasSubstr("above 0"));
    EXPECT_THAT(moe("top_k: 2, capacity_factor: 1, dropless: true"),
                HasSubstr("either a capacity_factor or dropless"));
    EXPECT_THAT(moe("top_k: 2, dropless: false"), HasSubstr("without a capacity_factor"));
    EXPECT_THAT(moe("top_k: 2, shared_expert: 1"), HasSubstr("Did you mean shared_experts?"));
    EXPECT_THAT(error_of(minimal_ + "moe: {experts: 0, top_k: 1}"), HasSubstr("from 1"));
}

TEST_F(ModelFile, RefusesWhatIsNoModelFile) {
    EXPECT_THAT(error_of("- 1\n- 2\n"), HasSubstr("a mapping"));
    EXPECT_THAT(error_of("hidden: [\n"), HasSubstr("YAML"));
    EXPECT_THAT(error_of(""), HasSubstr("an empty file; expected a model file"));
    EXPECT_THROW(static_cast<void>(read_model_file(folder_ / "absent.yml")), InputError);
    EXPECT_THROW(static_cast<void>(read_model_file(folder_.path())), InputError);
}

TEST(ModelLibrary, SuggestsTheNearestName) {
    EXPECT_THAT(test::message_of<InputError>([] { return load_model("llama2_7b"); }),
                AllOf(HasSubstr("Did you mean llama2-7b?"), HasSubstr("gpt3-175b")));
}

}  // namespace
}  // namespace npunet::generators
