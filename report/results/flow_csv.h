// flows.csv and messages.csv: one row for each flow, and for each message.
//
//     AtomicFile file(folder / "flows.csv");
//     write_flows_csv(file.stream(), *results.flows);
//     file.commit();
//
// messages.csv is written while the simulation runs, so that not all messages have to be kept.
//
//     MessagesFile messages(folder / "messages.csv", graph);
//     options.each_message = [&](const auto& message) { messages.add(message); };
//     ...
//     messages.commit();
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "engine/results/flow_results.h"
#include "topology/graph/graph.h"

namespace npunet::report {

void write_flows_csv(std::ostream& out, const engine::FlowResults& flows);

/// The names of the columns of messages.csv, with a line feed.
[[nodiscard]] std::string messages_csv_heading();
/// A row of it; `names` are those of the nodes, as fields.
[[nodiscard]] std::string messages_csv_row(const engine::CompletedMessage& message,
                                           const std::vector<std::string>& names);

/// Whole or absent, as AtomicFile says; throws MachineError as that does.
class MessagesFile {
public:
    MessagesFile(const std::filesystem::path& path, const topology::Graph& graph);

    void add(const engine::CompletedMessage& message);
    void commit() { file_.commit(); }

private:
    AtomicFile file_;
    std::vector<std::string> names_;
};

}  // namespace npunet::report
