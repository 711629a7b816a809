// The communication library of a machine: what system.json names with "collectives" and "gpu".
//
//     if (system.library != nullptr && system.library->carries_out(kind)) { ... }
//
// C++17-clean.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "engine/collective_library/library_model.h"

namespace npunet::engine {

struct LibraryGpu;
struct LibraryProfile;

struct LibraryInUse {
    std::string name;  ///< "nccl-2.29.2"
    LibraryModel model;
    /// By kind; those for which system.json names an algorithm, or auto, are not among them.
    std::array<bool, 9> kinds{};
    /// "nccl-algo" and "nccl-proto".
    LibraryOverride override;
    /// "nccl-collnet": switches between nodes may add up.
    bool collnet = false;
    /// "gpus-per-node": NPUs of a node, which have consecutive numbers; 0: the innermost tier is
    /// the node.
    std::int32_t gpus_per_node = 0;
    /// "nccl-group": collectives of a communicator that wait for the same are launched together.
    bool launches_groups = false;
    /// "gpu-sms": of a GPU, of which each thread block of a collective takes one from computations;
    /// 0: none does.
    std::int32_t gpu_sms = 0;
    /// Of elements whose type the trace does not tell: "data-type-bytes".
    std::int64_t element_bytes = 2;

    [[nodiscard]] bool carries_out(CollectiveKind kind) const {
        return kinds[static_cast<std::size_t>(kind)];
    }
};

/// What rings and sends carry out: all-reduce, all-gather, reduce-scatter, all-to-all.
[[nodiscard]] LibraryInUse library_in_use(const LibraryProfile& profile, const LibraryGpu& gpu);

}  // namespace npunet::engine
