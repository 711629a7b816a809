// Text workloads for tests: written line by line, converted without files in between.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "generators/text/text_conversion.h"
#include "generators/text/text_workload.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::generators {

/// Its collectives: forward pass, gradients of the input, of the weights.
struct LayerCollectives {
    std::string forward = "ALLGATHER";
    std::string input_gradient = "REDUCESCATTER";
    std::string weight_gradient = "ALLREDUCE";
};

/// Layer i computes for 100 i + 1, 100 i + 2 and 100 i + 3 cycles, and sends 1000 times as much.
inline std::string layer_line(std::size_t i, const LayerCollectives& does = {}) {
    std::string line = fmt::format("layer{} -1", i);
    std::size_t part = 0;
    for (const std::string& type : {does.forward, does.input_gradient, does.weight_gradient}) {
        const std::size_t time = 100 * i + ++part;
        line += fmt::format(" {} {} {}", time, type, 1000 * time);
    }
    return line + " 7\n";
}

/// `heading`: the first line. Layer 0 of a DLRM sends its embeddings.
inline std::string text_of(const std::string& heading, std::size_t layers) {
    std::string text = fmt::format("{}\n{}\n", heading, layers);
    for (std::size_t i = 0; i < layers; ++i) {
        const bool embeds = i == 0 && heading.rfind("HYBRID_DLRM", 0) == 0;
        text += layer_line(i, embeds ? LayerCollectives{"ALLTOALL"} : LayerCollectives{});
    }
    return text;
}

/// A heading for each type, with arguments that suit four layers and four NPUs.
inline const std::vector<std::string>& headings() {
    static const std::vector<std::string> list{"MICRO",
                                               "DATA",
                                               "MODEL",
                                               "HYBRID_DATA_MODEL",
                                               "HYBRID_MODEL_DATA",
                                               "HYBRID_DLRM 2",
                                               "HYBRID_DLRM_ENHANCED 1",
                                               "HYBRID_TRANSFORMER model_parallel_NPU_group: 2"};
    return list;
}

class TextTest : public ::testing::Test {
protected:
    [[nodiscard]] TextWorkload read(const std::string& text) const {
        return read_text_workload(folder_.write("workload.txt", text).string());
    }
    [[nodiscard]] GeneratedWorkload converted(const std::string& text, std::int32_t npus,
                                              std::int32_t passes) const {
        return convert(read(text), {npus, passes});
    }

    test::TemporaryFolder folder_;
};

}  // namespace npunet::generators
