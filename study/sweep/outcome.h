// What came of one point of a sweep.
//
//     const Outcome outcome = runner.run(task);
//     journal << outcome_line(outcome);                  // and back: read_outcome(line)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/quantities.h"
#include "engine/results/parallelism.h"
#include "engine/results/results.h"

namespace npunet::study {

struct Figures {
    Time finish;
    Time compute;
    Time communication;
    Time exposed_communication;
    Bytes peak_memory;  ///< 0: unknown, the workload names no tensors
};

/// Of the rank that finishes last (of equals the lowest): where its time went.
struct SlowestRank {
    std::int64_t rank = 0;
    Time finish;
    Time compute;
    Time exposed_communication;
    Time exposed_memory;
    Time idle;
    /// What `exposed_communication` consists of, by engine::Parallelism; zeros where it is not
    /// known.
    std::array<Time, engine::parallelisms> exposed_by_dimension{};
};

struct Outcome {
    /// Empty: it ran to the end. Else "bad input", "stalled" or "internal error", with a message.
    std::string failure;
    std::string message;
    Figures first;    ///< of rank 0
    Figures largest;  ///< of each figure, over all ranks
    SlowestRank slowest;
    Time link_bound;                ///< Results::link_bound
    bool beats_link_bound = false;  ///< study/run_notes.h
    /// What is left at the peak of the memory of an NPU, the least of all, below 0 where it is not
    /// enough; nothing where capacity or peak are not known.
    std::optional<Bytes> spare_memory;
    std::optional<engine::StepRates> rates;

    [[nodiscard]] bool ok() const { return failure.empty(); }
    [[nodiscard]] bool memory_known() const { return largest.peak_memory > Bytes(0); }
};

/// Whether all NPUs have the memory that they need, or a limit that was given is more; nothing
/// where it is not known.
[[nodiscard]] std::optional<bool> fits_memory(const Outcome& outcome,
                                              const std::optional<Bytes>& limit);

/// A note beside the figures: that the point finishes before its link bound. Empty if there is
/// none.
[[nodiscard]] std::string note_of(const Outcome& outcome);

[[nodiscard]] Outcome outcome_of(const engine::Results& results);
[[nodiscard]] Outcome failed(std::string failure, std::string message);

/// One line of text without its end; every value exactly.
[[nodiscard]] std::string outcome_line(const Outcome& outcome);
/// Nothing for what is no such line.
[[nodiscard]] std::optional<Outcome> read_outcome(std::string_view line);

}  // namespace npunet::study
