// What a validation found: one entry for each oddity, and a list that stays small.
//
//     FindingList list;
//     list.add(Severity::Error, FindingCode::SelfDependency, trace, node.id,
//              [] { return std::string("depends on itself; generate the trace again"); });
//     list.errors();         // exact
//     list.findings();       // at most FindingList::kept of a code and a trace
//
// C++17-clean.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace npunet::chakra {

enum class Severity : std::uint8_t {
    Info,     ///< worth knowing
    Warning,  ///< odd, but it runs
    Error     ///< it does not run, or what runs is not what was meant
};

/// docs/traces.md lists them with their remedies, by the names that name_of() gives.
enum class FindingCode : std::uint8_t {
    MalformedTrace,
    EmptyTrace,
    UnknownNodeType,
    InvalidNode,
    DuplicateId,
    DanglingDependency,
    DanglingControlDependency,
    SelfDependency,
    CyclicDependency,
    DuplicateDependency,
    MissingAttribute,
    WrongAttributeKind,
    AttributeOutOfRange,
    ContradictoryAttribute,
    WrongRank,
    SelfMessage,
    AbsentPeer,
    ZeroSizeCollective,
    MalformedGroups,
    UncheckedGroups,
    UnknownGroup,
    NotAMember,
    ContradictoryGroup,
    IgnoredGroup,
    AbsentRank,
    UngroupedRank,
    UnmatchedSend,
    UnmatchedReceive,
    MessageSizeMismatch,
    CollectiveMismatch
};

constexpr std::size_t finding_codes = static_cast<std::size_t>(FindingCode::CollectiveMismatch) + 1;

/// "error", "warning", "info".
[[nodiscard]] std::string_view name_of(Severity severity);
/// "dangling-dependency", ...
[[nodiscard]] std::string_view name_of(FindingCode code);

/// The trace of a finding: its place in the list of traces that were validated.
using TraceNumber = std::int32_t;
/// The finding is about the workload as a whole.
constexpr TraceNumber no_trace = -1;

struct Finding {
    Severity severity = Severity::Error;
    FindingCode code = FindingCode::MalformedTrace;
    TraceNumber trace = no_trace;
    std::optional<std::uint64_t> node;  ///< its id
    std::string message;                ///< what was found and what to do
};

class FindingList {
public:
    /// So many findings of one code in one trace are kept; the others are counted.
    static constexpr std::size_t kept = 1000;

    /// `message` is only called for a finding that is kept.
    template <class Message>
    void add(Severity severity, FindingCode code, TraceNumber trace,
             std::optional<std::uint64_t> node, Message&& message) {
        ++counts_[static_cast<std::size_t>(severity)];
        if (++of_code_[{trace, code}] <= kept) {
            findings_.push_back({severity, code, trace, node, message()});
        }
    }

    /// Counts more of what was added at least `kept` times.
    void add_unkept(Severity severity, FindingCode code, TraceNumber trace, std::uint64_t times) {
        if (times > 0) {
            counts_[static_cast<std::size_t>(severity)] += times;
            of_code_[{trace, code}] += times;
        }
    }

    [[nodiscard]] std::uint64_t count(Severity severity) const {
        return counts_[static_cast<std::size_t>(severity)];
    }
    [[nodiscard]] std::uint64_t errors() const { return count(Severity::Error); }
    [[nodiscard]] std::uint64_t warnings() const { return count(Severity::Warning); }
    [[nodiscard]] std::uint64_t all() const {
        return errors() + warnings() + count(Severity::Info);
    }

    /// In the order in which they were found.
    [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }
    /// How often this code was found in this trace, whether kept or not.
    [[nodiscard]] std::uint64_t count(TraceNumber trace, FindingCode code) const;

private:
    std::vector<Finding> findings_;
    std::array<std::uint64_t, 3> counts_{};
    std::map<std::pair<TraceNumber, FindingCode>, std::uint64_t> of_code_;
};

}  // namespace npunet::chakra
