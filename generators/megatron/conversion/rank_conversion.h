// One rank's way from items of a program to nodes of a trace.
//
//     RankConversion conversion(shared, Rank(3), write);
//     conversion.add(item, index, call);
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "generators/megatron/conversion/call_conversion.h"
#include "generators/megatron/conversion/call_trace.h"
#include "generators/megatron/program/program.h"

namespace npunet::generators::megatron {

/// The name of a group in traces: its number in the table, from 1.
[[nodiscard]] std::string group_name(std::int32_t number);

class RankConversion {
public:
    /// `options` has to outlive this.
    RankConversion(const ConversionOptions& options, Rank rank, NodeVisitor visitor);

    /// Item `index` of the program; `call` is the rank's own where it is one.
    void add(const ProgramItem& item, std::size_t index, const Call& call);
    /// A call that no program explains. Sends and receives that go on are waited for by the next
    /// call of another kind, since nothing says when.
    void add_alone(const Call& call, Phase phase);

    [[nodiscard]] const ConversionTotals& totals() const { return totals_; }
    /// Numbers of the groups that are used.
    [[nodiscard]] const std::vector<std::int32_t>& groups() const { return groups_; }

private:
    [[nodiscard]] bool leaves_out(Phase phase, const Call& call) const;
    void compute(const ProgramItem& item);
    std::uint64_t make(const Call& call, const std::string& name);

    const ConversionOptions& options_;
    CallTrace trace_;
    ConversionTotals totals_;
    std::vector<std::int32_t> groups_;                            ///< sorted
    std::unordered_map<std::size_t, std::uint64_t> in_progress_;  ///< nodes by item
    std::vector<std::uint64_t> alone_;
};

}  // namespace npunet::generators::megatron
