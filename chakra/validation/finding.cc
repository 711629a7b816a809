#include "chakra/validation/finding.h"

namespace npunet::chakra {

namespace {

constexpr std::array<std::string_view, 3> severity_names{"info", "warning", "error"};

constexpr std::array<std::string_view, finding_codes> code_names{"malformed-trace",
                                                                 "empty-trace",
                                                                 "unknown-node-type",
                                                                 "invalid-node",
                                                                 "duplicate-id",
                                                                 "dangling-dependency",
                                                                 "dangling-control-dependency",
                                                                 "self-dependency",
                                                                 "cyclic-dependency",
                                                                 "duplicate-dependency",
                                                                 "missing-attribute",
                                                                 "wrong-attribute-kind",
                                                                 "attribute-out-of-range",
                                                                 "contradictory-attribute",
                                                                 "wrong-rank",
                                                                 "self-message",
                                                                 "absent-peer",
                                                                 "zero-size-collective",
                                                                 "malformed-groups",
                                                                 "unchecked-groups",
                                                                 "unknown-group",
                                                                 "not-a-member",
                                                                 "contradictory-group",
                                                                 "ignored-group",
                                                                 "absent-rank",
                                                                 "ungrouped-rank",
                                                                 "unmatched-send",
                                                                 "unmatched-receive",
                                                                 "message-size-mismatch",
                                                                 "collective-mismatch"};

}  // namespace

std::string_view name_of(Severity severity) {
    return severity_names[static_cast<std::size_t>(severity)];
}

std::string_view name_of(FindingCode code) {
    return code_names[static_cast<std::size_t>(code)];
}

std::uint64_t FindingList::count(TraceNumber trace, FindingCode code) const {
    const auto found = of_code_.find({trace, code});
    return found == of_code_.end() ? 0 : found->second;
}

}  // namespace npunet::chakra
