#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "base/errors.h"
#include "generators/transformer/model_file.h"
#include "generators/transformer/model_library.h"
#include "generators/transformer/model_spec.h"

namespace npunet::generators {
namespace {

using ::testing::HasSubstr;

// V h [+ s h] + L (h (a + 2g) d + a d h + 2 or 3 h f + biases + norms) + final norm [+ V h]: the
// published counts.
TEST(ParameterCount, OfShippedModelsIsExact) {
    const std::pair<const char*, std::int64_t> counts[] = {
        {"gpt2-small", 124'439'808},      {"gpt3-175b", 174'604'259'328},
        {"llama2-7b", 6'738'415'616},     {"llama2-70b", 68'976'648'192},
        {"llama3-8b", 8'030'261'248},     {"llama3-405b", 405'853'388'800},
        {"llama2-4layer", 1'071'681'536},
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

class ModelFile : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  ("npunet_model_file_" +
                   std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::filesystem::path write(const std::string& text) const {
        const std::filesystem::path file = folder_ / "mine.yml";
        std::ofstream(file) << text;
        return file;
    }

    [[nodiscard]] std::string error_of(const std::string& text) const {
        try {
            static_cast<void>(read_model_file(write(text)));
        } catch (const InputError& error) {
            return error.what();
        }
        return "no error";
    }

    const std::string minimal_ = "hidden: 64\nlayers: 2\nheads: 4\nffn: 128\nvocab: 100\nseq: 16\n";
    std::filesystem::path folder_;
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

TEST_F(ModelFile, SaysWhatThisVersionDoesNotOffer) {
    EXPECT_THAT(error_of(minimal_ + "moe: {experts: 8}\n"), HasSubstr("moe is not offered"));
    EXPECT_THAT(error_of(minimal_ + "mla: {}\n"), HasSubstr("mla is not offered"));
    EXPECT_THAT(error_of(minimal_ + "attention: mla\n"), HasSubstr("mla is not offered"));
}

TEST_F(ModelFile, RefusesWhatIsNoModelFile) {
    EXPECT_THAT(error_of("- 1\n- 2\n"), HasSubstr("a mapping"));
    EXPECT_THAT(error_of("hidden: [\n"), HasSubstr("YAML"));
    EXPECT_THAT(error_of(""), HasSubstr("model file"));
    EXPECT_THROW(static_cast<void>(read_model_file(folder_ / "absent.yml")), InputError);
    EXPECT_THROW(static_cast<void>(read_model_file(folder_)), InputError);
}

TEST(ModelLibrary, SuggestsTheNearestName) {
    try {
        static_cast<void>(load_model("llama2_7b"));
        FAIL() << "an unknown name";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("Did you mean llama2-7b?"));
        EXPECT_THAT(error.what(), HasSubstr("gpt3-175b"));
    }
}

}  // namespace
}  // namespace npunet::generators
