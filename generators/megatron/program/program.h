// What the ranks of one pipeline stage do in a step, in order: calls, the computation between
// them, and waits for what runs beside it.
//
// Ranks of a stage do the same with groups and peers of their own: a program names those by their
// role, and RankCalls (rank_calls.h) puts in a rank's own.
//
//     Program program = make_program(run, 2, 0);            // stage 2, tensor place 0
//     for (const ProgramItem& item : program.items) ...
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/megatron/groups/process_groups.h"
#include "generators/megatron/program/call.h"
#include "generators/megatron/program/training_run.h"

namespace npunet::generators::megatron {

enum class Phase : std::uint8_t { SetUp, Forward, Backward, Update };

/// "set-up", "forward", "backward", "update".
[[nodiscard]] std::string_view name_of(Phase phase);

/// The other rank of a message, or the root of a broadcast.
enum class PeerRole : std::uint8_t {
    None,
    PreviousStage,
    NextStage,  ///< first and last stage are neighbours where stages have several chunks
    PreviousInRing,
    NextInRing,     ///< of context parallelism
    FirstOfTensor,  ///< the first rank of the tensor-parallel group
    FirstOfWorld
};

struct ProgramItem {
    enum class Kind : std::uint8_t { Call, Compute, Wait };
    Kind kind = Kind::Call;
    Phase phase = Phase::SetUp;
    GroupRole group = GroupRole::World;  ///< Call, unless between two ranks without a group
    PeerRole peer = PeerRole::None;      ///< Call
    bool has_group = true;               ///< Call: false where a log gives none
    /// Call: a barrier of all ranks that only the first ones of their tensor-parallel groups make.
    bool first_of_tensor_only = false;
    std::int32_t micro_batch = -1;  ///< from 0
    std::int32_t chunk = -1;        ///< of the stage's layers, from 0
    std::int32_t layer = -1;        ///< of the whole model, from 0
    /// What for: "attention projection", "gradients"; of a computation its segment's name as in
    /// tables of times: "attention_forward". A literal.
    const char* what = "";
    Call call;               ///< Kind::Call; without group and peer
    std::int64_t flops = 0;  ///< Kind::Compute: 2 per multiply-add
    std::int64_t bytes = 0;  ///< Kind::Compute: of memory read and written
    /// Kind::Compute: the item is one of so many parts of its segment, all alike.
    std::int32_t parts = 1;
    std::uint32_t waited = 0;  ///< Kind::Wait: the item that is the call
};

struct Program {
    std::vector<ProgramItem> items;
};

/// The program of a stage. `tensor_place` matters in the genstack dialect only, whose ranks with
/// place 0 meet three barriers more. Needs a resolved run.
[[nodiscard]] Program make_program(const TrainingRun& run, std::int64_t stage,
                                   std::int64_t tensor_place);

/// The two that make_program chooses from.
[[nodiscard]] Program genstack_program(const TrainingRun& run, std::int64_t stage,
                                       std::int64_t tensor_place);
[[nodiscard]] Program npunet_program(const TrainingRun& run, std::int64_t stage);

}  // namespace npunet::generators::megatron
