// What goes with traces: the check of several ranks, communicator groups, text workloads.
#include "chakra/trace/comm_groups.h"
#include "chakra/validation/workload_validation.h"
#include "generators/text/text_conversion.h"
#include "generators/text/text_workload.h"
#include "memory_file.h"
#include "memory_watch.h"
#include "seeds.h"
#include "targets.h"

#include <fmt/format.h>

#include <memory>

namespace npunet::fuzz {

namespace {

/// Findings are kept up to a number of each kind and trace, with their texts.
constexpr std::size_t findings_bytes = std::size_t{2} << 20;

}  // namespace

// The first byte: whether control counts, whether the ranks are known, whether they are all, and
// whether the last of the files has the groups.
void run_validation(std::string_view input) {
    const unsigned char choice = take_byte(input);
    chakra::ValidationInput validation;
    validation.followed =
        (choice & 1U) != 0 ? chakra::FollowedDeps::Data : chakra::FollowedDeps::DataAndCtrl;
    validation.whole_workload = (choice & 6U) == 6U;
    std::vector<std::unique_ptr<MemoryFile>> files;
    std::size_t bytes = 0;
    for (const std::string_view content : files_of(input, 4)) {
        bytes += decompressed_size(content, most_input_bytes);
        files.push_back(std::make_unique<MemoryFile>(content));
    }
    if (bytes >= most_input_bytes) {
        return;
    }
    const bool groups = (choice & 8U) != 0 && files.size() > 1;
    for (std::size_t i = 0; i + (groups ? 1 : 0) < files.size(); ++i) {
        validation.traces.push_back(
            {files[i]->path(), (choice & 2U) != 0 ? Rank(static_cast<std::int32_t>(i)) : Rank{}});
    }
    if (groups) {
        validation.groups = files.back()->path();
    }
    const MemoryWatch watch(memory_limit(bytes, reader_buffers + findings_bytes));
    accepts([&] {
        const chakra::ValidationResult result = chakra::validate_traces(validation);
        for (const chakra::Finding& finding : result.findings.findings()) {
            expect(!finding.message.empty(), "a finding that says nothing");
        }
    });
    watch.check();
}

std::vector<std::string> validation_seeds() {
    using namespace std::string_literals;
    using namespace std::string_view_literals;
    const std::vector<std::string> ranks = rank_files();
    const std::string both = ranks[0] + std::string(file_mark) + ranks[1];
    std::vector<std::string> seeds{
        "\x06"s + both, "\x07"s + both,
        "\x0E"s + both + std::string(file_mark) + R"({"1": [0, 1], "2": [0]})",
        "\x08"s + ranks[0] + std::string(file_mark) + R"({"2": [0]})"};
    for (std::string& file : with_prefix("\0"sv, all_files())) {
        seeds.push_back(std::move(file));
    }
    for (std::string& file : with_prefix("\6"sv, dense_files(60'000))) {
        seeds.push_back(std::move(file));
    }
    return seeds;
}

void run_groups(std::string_view input) {
    const MemoryFile file(input);
    const std::filesystem::path path = file.path();
    const MemoryWatch watch(memory_limit(input.size(), std::size_t{128} << 10));
    accepts([&] {
        const chakra::CommGroups groups = chakra::read_comm_groups(path);
        for (const auto& [name, ranks] : groups) {
            expect(!ranks.empty() && ranks.front().valid(), "an empty group");
        }
        chakra::check_comm_groups(groups, 16, "groups.json");
    });
    watch.check();
}

std::vector<std::string> groups_seeds() {
    std::string many = R"({"1": [0)";
    std::string zeros = many;
    std::string groups = R"({"0":[0])";
    for (int i = 1; i < 30'000; ++i) {
        zeros += ",0";
        if (i < 10'000) {
            many += fmt::format(",{}", i);
        }
        if (i < 5'000) {
            groups += fmt::format(R"(,"{}":[0])", i);
        }
    }
    return {R"({"1": [0, 8], "2": [1, 9, 17], "pipe": [3], "007": [1]})",
            "{}",
            R"({"1": [0, 0]})",
            R"({"1": [], "a": [-1], "b": [2147483648], "c": [1.5], "d": {}})",
            R"({"a": {}, "b": [{}]})",
            many + "]}",
            zeros + "]}",
            groups + "}"};
}

// The first two bytes: NPUs and passes.
void run_text(std::string_view input) {
    generators::TextConversion conversion;
    conversion.npus = 1 + take_byte(input) % 32;
    conversion.passes = 1 + take_byte(input) % 4;
    const MemoryFile file(input);
    const std::string path = file.path().string();
    generators::TextWorkload workload;
    const bool read = accepts([&] {
        const MemoryWatch watch(memory_limit(input.size(), std::size_t{128} << 10));
        workload = generators::read_text_workload(path);
        watch.check();
    });
    if (read) {
        expect(!workload.layers.empty(), "a workload without layers");
        accepts([&] { (void)generators::convert(workload, conversion); });
    }
}

std::vector<std::string> text_seeds() {
    const std::string layer = "conv1 -1 13003 NONE 0 12864 NONE 0 32291 ALLREDUCE 37632 3229\n";
    const std::string exchange = "embedding -1 10 ALLTOALL 4096 20 ALLTOALL 4096 30 NONE 0 1\n";
    const std::string all = "x 0 1 ALLGATHER 2 3 REDUCESCATTER 4 5 ALLREDUCEALLTOALL 6 7\n";
    std::string long_file = "DATA\n700\n";
    for (int i = 0; i < 700; ++i) {
        long_file += layer;
    }
    std::vector<std::string> files{
        "DATA\n2\n" + layer + layer,
        "MICRO\n1\n" + layer,
        "MODEL\r\n1\r\n" + layer,
        "HYBRID_DATA_MODEL\n2\n" + layer + all,
        "HYBRID_MODEL_DATA\n1\n" + layer,
        "HYBRID_TRANSFORMER model_parallel_NPU_group: 4\n2\n" + layer + layer,
        "HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 1\n4\n" + exchange + layer + layer + layer,
        "HYBRID_DLRM_ENHANCED DLRM_LAST_BOTTOM_LAYER: 1\n4\n" + exchange + layer + layer + layer,
        long_file,
        std::string("DATA\n30000\n") + std::string(50'000, '\n'),
        "DATA\n1\n" + std::string(20'000, 'a') + std::string(20'000, '\t') + "b c d e f g"};
    return with_prefix("\3\1", std::move(files));
}

}  // namespace npunet::fuzz
