#include "report/results/flow_csv.h"

#include <fmt/format.h>

#include "base/communication.h"
#include "base/json_writer.h"
#include "base/units.h"
#include "report/results/csv.h"

namespace npunet::report {

void write_flows_csv(std::ostream& out, const engine::FlowResults& flows) {
    out << "from,to,class,messages,bytes,first_start_ns,last_end_ns,total_ns,min_ns,mean_ns,p50_ns,"
           "p99_ns,max_ns,mean_slowdown,p50_slowdown,p99_slowdown,max_slowdown,packets,"
           "retransmissions,timeouts,marked,notifications\n";
    for (const engine::FlowResult& flow : flows.flows) {
        const engine::CompletionTimes& completion = flow.completion;
        const engine::FlowCounts& counts = flow.counts;
        out << fmt::format("{},{},{},{},{},{},{},",
                           csv_field(flows.names[flow.flow.source.index()]),
                           csv_field(flows.names[flow.flow.destination.index()]),
                           flow.flow.traffic_class, flow.messages, flow.bytes.value(),
                           format_ns(flow.first_start), format_ns(flow.last_end))
            << fmt::format("{},{},{},{},{},{},", format_ns(completion.total),
                           format_ns(completion.least), format_ns(completion.mean),
                           format_ns(completion.median), format_ns(completion.p99),
                           format_ns(completion.most))
            << fmt::format("{},{},{},{},", shortest(flow.slowdown.mean),
                           shortest(flow.slowdown.median), shortest(flow.slowdown.p99),
                           shortest(flow.slowdown.most))
            << fmt::format("{},{},{},{},{}\n", counts.packets, counts.retransmissions,
                           counts.timeouts, counts.marked, counts.notifications);
    }
}

std::string messages_csv_heading() {
    return "from,to,class,kind,bytes,start_ns,first_byte_ns,end_ns,completion_ns,slowdown\n";
}

std::string messages_csv_row(const engine::CompletedMessage& message,
                             const std::vector<std::string>& names) {
    return fmt::format("{},{},{},{},{},{},{},{},{},{}\n", names[message.flow.source.index()],
                       names[message.flow.destination.index()], message.flow.traffic_class,
                       name_of(message.kind), message.bytes.value(), format_ns(message.start),
                       format_ns(message.first_byte_left), format_ns(message.end),
                       format_ns(message.completion()), shortest(message.slowdown));
}

MessagesFile::MessagesFile(const std::filesystem::path& path, const topology::Graph& graph)
    : file_(path) {
    // Switches that reduce send and receive, too.
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        names_.push_back(csv_field(graph.name(NodeId(node))));
    }
    file_.stream() << messages_csv_heading();
}

void MessagesFile::add(const engine::CompletedMessage& message) {
    file_.stream() << messages_csv_row(message, names_);
}

}  // namespace npunet::report
