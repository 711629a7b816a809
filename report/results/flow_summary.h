// What became of messages, in short: for results.json and for the console.
//
//     context.out << report::flow_tables(*results.flows);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "engine/results/flow_results.h"

namespace npunet::report {

/// How many of the slowest flows results.json and the console show.
inline constexpr std::size_t most_slow_flows = 10;

/// The positions in flows.flows of the `count` slowest ones, the slowest first: by the largest
/// slowdown of a message, of equals by the longest completion time, then by their order.
[[nodiscard]] std::vector<std::size_t> slowest_flows(const engine::FlowResults& flows,
                                                     std::size_t count);

/// The object "flows" of results.json.
void write_flow_summary(JsonWriter& json, const engine::FlowResults& flows);

/// One table of completion times and slowdowns over all messages, one by size of the messages, one
/// of the slowest flows.
[[nodiscard]] std::string flow_tables(const engine::FlowResults& flows,
                                      std::size_t count = most_slow_flows);

}  // namespace npunet::report
