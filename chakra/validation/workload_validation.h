// Static check of the traces of a workload: each by itself, then all ranks together.
//
//     ValidationInput input;
//     input.traces = {{"gpt.0.et", Rank{0}}, {"gpt.1.et", Rank{1}}};
//     input.whole_workload = true;
//     input.groups = "gpt.json";
//     const ValidationResult result = validate_traces(input);
//     if (result.findings.errors() > 0) { ... }
//
// docs/traces.md says what is looked for. What it does not find: ranks that wait for each
// other in a cycle of messages, each of them sound by itself.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "chakra/dependencies/dependency_graph.h"
#include "chakra/trace/schema.h"
#include "chakra/trace/trace_set.h"
#include "chakra/validation/finding.h"

namespace npunet::chakra {

struct ValidationInput {
    std::vector<TraceFile> traces;  ///< valid ranks are different ones
    /// The traces are those of all ranks, 0 to traces - 1: what they name and is not there, is
    /// nowhere.
    bool whole_workload = false;
    std::filesystem::path groups;  ///< the communicator-group file; empty for none
    FollowedDeps followed = FollowedDeps::Data;
    std::optional<Schema> schema;  ///< of all traces; otherwise told from each
};

struct ValidationResult {
    FindingList findings;
    std::uint64_t nodes = 0;  ///< of all traces, as far as they could be read
};

/// Throws MachineError when a file cannot be read for reasons that are not its content.
[[nodiscard]] ValidationResult validate_traces(const ValidationInput& input);

}  // namespace npunet::chakra
