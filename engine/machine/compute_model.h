// How long a compute operation takes: by a device profile (engine/device), by roofline, or as
// recorded. The profile counts where the system names one and the trace says which kernel it is.
//
// Where the system says what device the trace was recorded on, the recorded duration of a GPU
// operation is moved to the system's device: recorded x time on the system's device / time on the
// one recorded on, both by profiles, or by rooflines where the trace gives operations and bytes but
// no kernel.
//
// Roofline (Williams, Waterman, Patterson, "Roofline: an insightful visual performance model for
// multicore architectures", 2009): max(operations / peak, bytes / memory bandwidth), each rounded
// up to a picosecond; in the astra-sim dialects the reference's double arithmetic, truncated to ns.
// On an NPU with a slowdown (topology/network/faults.h) either takes that many times as long.
//
// C++17-clean.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/machine/dialect.h"
#include "engine/machine/system_config.h"
#include "engine/program/program.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

struct StackProfile;

/// One operation against its roofline.
struct ComputeCost {
    Time duration;
    bool modelled = false;       ///< by roofline or profile; else recorded
    bool compute_bound = false;  ///< limited by the peak, not by the memory
    double peak_share = 0;       ///< achieved / peak operations per second
    double bandwidth_share = 0;  ///< achieved / peak bytes per second
    double intensity = 0;        ///< operations per byte
};

class ComputeModel {
public:
    /// Of the description: where the ranks sit, and which NPUs are slow.
    ComputeModel(const SystemConfig& system, const Dialect& dialect,
                 const topology::NetworkDescription& description, std::size_t ranks);

    /// Slowdown included; `node` is the operation's id in the trace. Throws InputError (through the
    /// place `rank`, node) when the operation gives only its number of floating-point operations
    /// and the system gives no rates.
    [[nodiscard]] ComputeCost cost(Rank rank, std::uint64_t node,
                                   const ProgramOperation& operation) const;

    /// Whether recorded durations are moved to another device, and this one, of a GPU, would have
    /// to be but says neither its kernel nor its operations and bytes: it stays as recorded.
    [[nodiscard]] bool stays_recorded(Rank rank, const ProgramOperation& operation) const;

    /// Whether recorded durations are moved to another device, this one among them.
    [[nodiscard]] bool moves(const ProgramOperation& operation) const {
        return recorded_on_ && operation.kind == OperationKind::Compute &&
               operation.recorded > Time();
    }
    /// The device that durations were recorded on, for messages.
    [[nodiscard]] const DeviceProfile* recorded_on() const { return recorded_on_.get(); }

    /// The roofline would need bytes and there are none: the reference skips such an operation.
    [[nodiscard]] bool skipped(const ProgramOperation& operation) const;

private:
    [[nodiscard]] ComputeCost cost_at_full_speed(Rank rank, std::uint64_t node,
                                                 const ProgramOperation& operation) const;
    /// Of an operation whose kernel is known.
    [[nodiscard]] ComputeCost profiled(const ProgramOperation& operation) const;
    [[nodiscard]] ComputeCost moved(Rank rank, const ProgramOperation& operation) const;
    /// Time on the device / time on the one recorded on; nothing where the trace says too little.
    [[nodiscard]] std::optional<double> factor_of(Rank rank,
                                                  const ProgramOperation& operation) const;
    /// Of the kernel by the profile, without the host and effects of scale, in us.
    [[nodiscard]] double running(const DeviceProfile& device, const KernelCall& call,
                                 double bytes) const;
    void fill_shares(ComputeCost& cost, const ProgramOperation& operation) const;
    [[nodiscard]] ComputeCost roofline(const ComputeRate& rate,
                                       const ProgramOperation& operation) const;
    [[nodiscard]] ComputeCost reference_roofline(const ComputeRate& rate,
                                                 const ProgramOperation& operation) const;

    const Dialect& dialect_;
    bool roofline_;
    std::vector<ComputeRate> rates_;                    ///< by rank
    std::shared_ptr<const DeviceProfile> device_;       ///< null: none
    std::shared_ptr<const DeviceProfile> recorded_on_;  ///< null: nothing is moved
    std::shared_ptr<const StackProfile> stack_;         ///< null: none
    double jitter_ = 1;                                 ///< factor of the times of kernels
    std::vector<topology::Factor> slowdowns_;           ///< by rank; empty when no NPU is slow
};

}  // namespace npunet::engine
