// The traces that the `npunet trace` commands are given: files, or the prefix of a workload, and
// the schema that they are read as.
//
//     const TraceFiles files = find_trace_files({"traces/gpt"});
//     files.traces[3].rank                // 3: traces/gpt.3.et
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "chakra/trace/schema.h"
#include "chakra/trace/trace_set.h"

namespace npunet::cli {

struct TraceFiles {
    std::vector<chakra::TraceFile> traces;
    /// A prefix, or several files that are those of ranks 0, 1, ... of one workload.
    bool whole_workload = false;
};

/// Whether two of the files may be of one rank: of several workloads, then.
enum class RepeatedRanks { Refuse, Allow };

/// Declares the argument TRACES. `arguments` must live as long as the command.
void add_traces_argument(CLI::App& command, std::vector<std::string>& arguments);

/// Each argument is a file; a single one that is no file is a prefix. A file's rank is told from
/// its name, PREFIX.<rank>.et. Throws InputError for what is not there and for two traces of one
/// rank where they are refused, MachineError where it is not allowed to look.
[[nodiscard]] TraceFiles find_trace_files(const std::vector<std::string>& arguments,
                                          RepeatedRanks repeated = RepeatedRanks::Refuse);

/// --schema: what a trace is read as, whatever it looks like.
class SchemaOption {
public:
    /// The command must not outlive this.
    void add_to(CLI::App& command);

    /// Empty when it was not given.
    [[nodiscard]] std::optional<chakra::Schema> schema() const {
        return name_.empty() ? std::nullopt : chakra::schema_from(name_);
    }

private:
    std::string name_;
};

}  // namespace npunet::cli
