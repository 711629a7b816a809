// A text workload of ASTRA-sim 1.0: the layers of a model with measured times, and what is sent
// after each of them.
//
//     DATA
//     2
//     conv1 -1 13003 NONE 0 12864 NONE 0 32291 ALLREDUCE 37632 3229
//     conv2 -1  3456 NONE 0  3648 NONE 0  7488 ALLREDUCE 65536  749
//
// The first line names the parallelism and its arguments, the second one the number of layers. A
// layer has twelve columns: name, reserved, then time, collective and bytes of the forward pass, of
// the gradient of its input and of the gradient of its weights, then the time of the update.
//
//     const TextWorkload workload = read_text_workload("Resnet50.txt");
//     convert(workload, {16, 2})                // text_conversion.h
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace npunet::generators {

enum class TextParallelism : std::uint8_t {
    Micro,
    Data,
    Model,
    HybridDataModel,
    HybridModelData,
    HybridDlrm,
    HybridDlrmEnhanced,
    HybridTransformer,
    TransformerForwardInBackward  ///< HYBRID_TRANSFORMER_FWD_IN_BCKWD, as SimAI has it
};

/// "DATA", "HYBRID_DLRM", ...: the word of the first line.
[[nodiscard]] std::string_view name_of(TextParallelism parallelism);

/// Whether ranks share activations and gradients in groups; in the others every collective is among
/// all ranks, as traces of the Chakra project do not say otherwise.
[[nodiscard]] bool has_groups(TextParallelism parallelism);

enum class TextCollective : std::uint8_t {
    None,
    AllReduce,
    AllToAll,
    AllGather,
    ReduceScatter,
    AllReduceAllToAll
};

/// "NONE", "ALLREDUCE", ...: the word of the file.
[[nodiscard]] std::string_view name_of(TextCollective collective);

/// Among whom, as the end of the word says in HYBRID_TRANSFORMER_FWD_IN_BCKWD.
enum class TextGroup : std::uint8_t {
    OfPhase,    ///< activations: tensor parallel; gradients of weights: data parallel
    Expert,     ///< _EP
    DataExpert  ///< _DP_EP: replicas of an expert
};

/// "", "_EP", "_DP_EP".
[[nodiscard]] std::string_view suffix_of(TextGroup group);

/// One of the three parts of a layer's work.
struct TextPhase {
    /// Traces that npunet writes count in ns.
    static constexpr std::int64_t largest_time = std::numeric_limits<std::int64_t>::max() / 1000;

    std::int64_t time = 0;  ///< cycles, 0 to largest_time
    TextCollective collective = TextCollective::None;
    std::int64_t bytes = 0;  ///< 0 to chakra::largest_comm_size
    TextGroup group = TextGroup::OfPhase;
};

/// What the first line of HYBRID_TRANSFORMER_FWD_IN_BCKWD says beyond the number of layers.
struct TextPlan {
    std::int64_t expert_parallel = 1;    ///< ep
    std::int64_t pipeline_parallel = 1;  ///< pp
    std::int64_t npus = 0;               ///< all_gpus; 0: not said
    std::int64_t stage_bytes = 0;        ///< pp_comm
    /// Layers, counted from 0, at which kept activations begin, and before whose backward pass the
    /// forward pass is repeated from the latest of those on. In ascending order; each of the second
    /// has one of the first below it, and none of the second between.
    std::vector<std::int64_t> checkpoints{};
    std::vector<std::int64_t> initiates{};
};

struct TextLayer {
    std::string name;
    TextPhase forward;
    TextPhase input_gradient;
    TextPhase weight_gradient;
    std::int64_t update_time = 0;  ///< cycles
};

struct TextWorkload {
    TextParallelism parallelism = TextParallelism::Data;
    /// DLRM: the layer, counted from 0, that waits for the embeddings of layer 0. From 1 to two
    /// below the number of layers.
    std::int64_t last_bottom_layer = 0;
    /// HYBRID_TRANSFORMER and that with FWD_IN_BCKWD: NPUs that share a copy of the model, 1 or
    /// more; with the latter a copy of a pipeline stage.
    std::int64_t model_parallel_npus = 0;
    TextPlan plan;
    std::vector<TextLayer> layers;  ///< at least one
    std::string file;               ///< where it comes from, for messages
    std::string text;               ///< the whole file, with "\n" as line ends
};

/// Throws InputError (file, line) for whatever is not as above: unknown or unsupported types,
/// arguments that are missing or too many, a wrong number of columns, numbers that are negative,
/// too large or none, blank lines, another number of layers than the second line says, and a DLRM
/// whose layer 0 does not exchange embeddings with ALLTOALL in the forward pass.
[[nodiscard]] TextWorkload read_text_workload(const std::string& file);

}  // namespace npunet::generators
