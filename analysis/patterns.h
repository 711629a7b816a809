// Which names mean what: the table of patterns by which kernels and frames are told apart.
//
//     PatternTable patterns;                       // Megatron-LM's frames, NCCL's and MCCL's
//     kernels patterns.read("patterns.json");              // {"kernel_comm+": ["*deepep*"]} const
//     NameMarks marks(patterns, trace.strings); if (marks.has(trace.name[event],
//     Mark::ForwardFrame)) { ... }
//
// A pattern matches a whole name, case counting: * is any run of characters, ? any one, [abc],
// [a-z] and [^a-z] one of (none of) a set. A file replaces the patterns of the keys that it has; a
// key with a + adds to them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/string_table.h"

namespace npunet::analysis {

/// What a name can be, in the order of the table's keys.
enum class Mark : std::uint8_t {
    CommunicationKernel,  ///< kernel_comm
    MemoryKernel,         ///< kernel_mem
    ForwardFrame,         ///< forward_cpu_slice
    BackwardFrame,        ///< backward_cpu_slice
    PipelineFrame,        ///< pp_cpu_slice
    DataParallelFrame,    ///< dp_cpu_slice
    OptimizerFrame,       ///< optimizer_cpu_slice
    RecomputeFrame,       ///< recompute_cpu_slice
    LossFrame             ///< loss_cpu_slice: communication in it is none of the forward pass
};
inline constexpr std::size_t mark_count = 9;

class PatternTable {
public:
    /// TraceViz's patterns under TraceViz's keys (which do not include loss_cpu_slice), except that
    /// kernel_mem is empty: Kineto's categories tell copies and sets from kernels.
    PatternTable();
    /// TraceViz's own patterns, which recognise copies and sets by name.
    [[nodiscard]] static PatternTable of_traceviz();

    /// Reads a JSON object of keys and lists of patterns. Throws InputError.
    void read(const std::filesystem::path& path);

    [[nodiscard]] const std::vector<std::string>& of(Mark mark) const {
        return patterns_[static_cast<std::size_t>(mark)];
    }
    [[nodiscard]] static std::string_view key(Mark mark);

private:
    std::array<std::vector<std::string>, mark_count> patterns_;
};

/// Whether a pattern matches a name.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view name);

/// The marks of every text of a table of strings.
class NameMarks {
public:
    NameMarks(const PatternTable& patterns, const profiles::StringTable& strings);

    [[nodiscard]] bool has(profiles::StringId name, Mark mark) const {
        return (marks_[name] >> static_cast<unsigned>(mark) & 1U) != 0;
    }
    [[nodiscard]] std::uint16_t marks(profiles::StringId name) const { return marks_[name]; }

private:
    std::vector<std::uint16_t> marks_;
};

}  // namespace npunet::analysis
