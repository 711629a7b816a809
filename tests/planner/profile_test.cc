// A profile folder is a set of files, each the times and memory of one (type, tp, batch); what is
// read is what stands there, to the last bit.
#include "planner/profile.h"

#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::planner {
namespace {

const std::string good = R"({
  "model": {"parameters": {"parameters_per_layer_bytes": [40, 20, 30]}},
  "execution_time": {"forward_backward_time_ms": 292.7964687347412,
                     "batch_generator_time_ms": 0.5, "optimizer_time_ms": 39.25,
                     "layer_compute_total_ms": [0.1, 29.507994651794434, 0.4100799560546875]},
  "execution_memory": {"layer_memory_total_mb": [7820, 4146]}
})";

class Profile : public ::testing::Test {
protected:
    void add(std::string_view name, std::string_view text = good) const {
        static_cast<void>(folder_.write(name, text));
    }
    [[nodiscard]] InputProblem problem() const {
        return test::problem_of([this] { return read_profiles(folder_.path()); });
    }
    /// The problem of a folder with one file, in which a text is replaced.
    [[nodiscard]] InputProblem with(const std::string& old_text, const std::string& text) const {
        std::string changed = good;
        changed.replace(changed.find(old_text), old_text.size(), text);
        add("DeviceType.A100_tp1_bs1.json", changed);
        return problem();
    }

    test::TemporaryFolder folder_;
};

TEST_F(Profile, EveryFieldIsRead) {
    add("DeviceType.A100_tp4_bs16.json");
    const ProfileSet profiles = read_profiles(folder_.path());
    const LayerProfile* profile = profiles.find("A100", 4, 16);
    ASSERT_NE(profile, nullptr);
    EXPECT_EQ(profile, profiles.named("DeviceType.A100_tp4_bs16.json"));
    EXPECT_EQ(profile->layer_ms, (std::vector{0.1, 29.507994651794434, 0.4100799560546875}));
    EXPECT_EQ(profile->forward_backward_ms, 292.7964687347412);
    EXPECT_EQ(profile->optimizer_ms, 39.25);
    EXPECT_EQ(profile->batch_generator_ms, 0.5);
    EXPECT_EQ(profile->layer_memory_mib, (std::vector<double>{7820, 4146}));
    EXPECT_TRUE(profile->layer_activation_mib.empty());
    EXPECT_EQ(profile->parameter_bytes, (std::vector<double>{40, 20, 30}));
    EXPECT_EQ(profiles.find("A100", 4, 8), nullptr);
    EXPECT_EQ(profiles.find("V100", 4, 16), nullptr);
    EXPECT_EQ(profiles.named("DeviceType.A100_tp4_bs8.json"), nullptr);
}

TEST_F(Profile, ActivationsAreOptional) {
    std::string text = good;
    text.replace(text.find("[7820, 4146]"), 12, "[7820, 4146], \"layer_activation_mb\": [1, 2.5]");
    add("DeviceType.A100_tp1_bs1.json", text);
    EXPECT_EQ(read_profiles(folder_.path()).all().front().layer_activation_mib,
              (std::vector<double>{1, 2.5}));
}

// The type is the shortest word before an underscore, the degrees the first numbers after tp and
// bs.
TEST_F(Profile, FilesInTheOrderOfTheirNames) {
    add("DeviceType.V100_tp2_bs1.json");
    add("x-DeviceType.H100_SXM_tp8_bs4_v2.json");
    add("DeviceType.A100_tp16_bs1.json");
    add("DeviceType.A100_tp2_bs1.json");
    add("notes.txt", "not a profile");
    const ProfileSet profiles = read_profiles(folder_.path());
    ASSERT_EQ(profiles.all().size(), 4U);
    EXPECT_EQ(profiles.all()[0].tp, 16);
    EXPECT_EQ(profiles.all()[1].tp, 2);
    EXPECT_EQ(profiles.all()[2].type, "V100");
    EXPECT_EQ(profiles.all()[3].type, "H100");
    EXPECT_EQ(profiles.all()[3].tp, 8);
    EXPECT_EQ(profiles.all()[3].batch, 4);
}

TEST_F(Profile, TwoOfTheSameAreRefused) {
    add("DeviceType.A100_tp2_bs1.json");
    add("DeviceType.A100_tp02_bs1.json");
    EXPECT_EQ(problem().found, "two profiles of A100, tp 2, batch 1");
}

TEST_F(Profile, NamesOfAnotherForm) {
    for (const char* name :
         {"A100_tp2_bs1.json", "DeviceType.A100_bs1.json", "DeviceType.A100_tp2.json",
          "DeviceType.A100_tp0_bs1.json", "DeviceType.A100_tp1_bs0.json",
          "DeviceType.A100_tp99999999999_bs1.json"}) {
        add(name);
        EXPECT_EQ(problem().place, "name of the file") << name;
        std::filesystem::remove(folder_ / name);
    }
}

TEST_F(Profile, MissingFieldsAreNamed) {
    EXPECT_EQ(with("optimizer_time_ms", "optimizer").place, "execution_time: optimizer_time_ms");
    EXPECT_EQ(with("execution_memory", "memory").place, "execution_memory");
    EXPECT_EQ(with("parameters_per_layer_bytes", "bytes").place,
              "model: parameters: parameters_per_layer_bytes");
    EXPECT_EQ(with("layer_memory_total_mb", "layer_memory").found, "no such key");
}

TEST_F(Profile, BadValuesAreNamed) {
    EXPECT_EQ(with("29.507994651794434", "-1").place, "execution_time: layer_compute_total_ms[1]");
    EXPECT_EQ(with("29.507994651794434", "\"nan\"").found, "\"nan\"");
    EXPECT_EQ(with("39.25", "-39.25").place, "execution_time: optimizer_time_ms");
    EXPECT_EQ(with("[7820, 4146]", "[]").found, "an empty list");
    EXPECT_EQ(with("[7820, 4146]", "7820").place, "execution_memory: layer_memory_total_mb");
    EXPECT_EQ(with("[40, 20, 30]", "[40, null]").place,
              "model: parameters: parameters_per_layer_bytes[1]");
    EXPECT_EQ(with("39.25", "NaN").found, "text that is not JSON");
    EXPECT_EQ(with("39.25", "1e400").found, "a value that cannot be read");
    EXPECT_EQ(with("\"optimizer_time_ms\"", "\"batch_generator_time_ms\"").found,
              "the same key twice in an object");
}

// Sums and products of values within the limits are finite, so that no plan costs inf: times up to
// 11 days, memory and parameters up to an exbibyte.
TEST_F(Profile, ValuesBeyondAllBoundsAreNamed) {
    for (const char* value : {"1e308", "1.1e9", "9223372036854775808000000"}) {
        EXPECT_EQ(with("29.507994651794434", value).expected, "a number from 0 to 1e+09") << value;
        EXPECT_EQ(with("292.7964687347412", value).place,
                  "execution_time: forward_backward_time_ms")
            << value;
        EXPECT_EQ(with("39.25", value).place, "execution_time: optimizer_time_ms") << value;
        EXPECT_EQ(with("0.5", value).place, "execution_time: batch_generator_time_ms") << value;
    }
    EXPECT_EQ(with("4146", "1e308").place, "execution_memory: layer_memory_total_mb[1]");
    EXPECT_EQ(with("40,", "1e308,").place, "model: parameters: parameters_per_layer_bytes[0]");
    EXPECT_EQ(with("39.25", "true").place, "execution_time: optimizer_time_ms");
}

TEST_F(Profile, FoldersWithoutProfiles) {
    EXPECT_EQ(problem().found, "no profile");
    const auto none = folder_ / "none";
    EXPECT_EQ(test::problem_of([&] { return read_profiles(none); }).found, "no readable folder");
    const auto file = folder_.write("file", "");
    EXPECT_EQ(test::problem_of([&] { return read_profiles(file); }).found, "no readable folder");
    std::filesystem::create_directories(folder_ / "DeviceType.A100_tp1_bs1.json");
    EXPECT_EQ(problem().found, "a folder");
}

}  // namespace
}  // namespace npunet::planner
