#include "report/results/flow_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/units.h"
#include "report/text_table.h"

namespace npunet::report {

namespace {

using engine::FlowResult;
using engine::FlowResults;

/// The largest of a flow's messages, below all others where none has one.
double known_slowdown(const FlowResult& flow) {
    return std::isnan(flow.slowdown.most) ? -1.0 : flow.slowdown.most;
}

std::string format_slowdown(double slowdown) {
    return std::isnan(slowdown) ? "-" : fmt::format("{:.2f}", slowdown);
}

std::string name_of(const FlowResults& flows, const FlowResult& flow) {
    std::string name = fmt::format("{} -> {}", flows.names[flow.flow.source.index()],
                                   flows.names[flow.flow.destination.index()]);
    if (flows.classes > 1) {
        name += fmt::format(", class {}", flow.flow.traffic_class);
    }
    return name;
}

void write_durations(JsonWriter& json, const FlowResult& flow) {
    json.member("total_ns", flow.completion.total)
        .member("min_ns", flow.completion.least)
        .member("mean_ns", flow.completion.mean)
        .member("p50_ns", flow.completion.median)
        .member("p99_ns", flow.completion.p99)
        .member("max_ns", flow.completion.most)
        .member("mean_slowdown", flow.slowdown.mean)
        .member("p50_slowdown", flow.slowdown.median)
        .member("p99_slowdown", flow.slowdown.p99)
        .member("max_slowdown", flow.slowdown.most);
}

void write_members(JsonWriter& json, const FlowResult& flow) {
    json.member("messages", flow.messages)
        .member("bytes", flow.bytes)
        .member("first_start_ns", flow.first_start)
        .member("last_end_ns", flow.last_end);
    write_durations(json, flow);
    json.member("packets", flow.counts.packets)
        .member("retransmissions", flow.counts.retransmissions)
        .member("timeouts", flow.counts.timeouts)
        .member("marked", flow.counts.marked)
        .member("notifications", flow.counts.notifications);
}

}  // namespace

std::vector<std::size_t> slowest_flows(const FlowResults& flows, std::size_t count) {
    std::vector<std::size_t> order(flows.flows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto slower = [&](std::size_t a, std::size_t b) {
        const FlowResult& x = flows.flows[a];
        const FlowResult& y = flows.flows[b];
        const double x_slowdown = known_slowdown(x);
        const double y_slowdown = known_slowdown(y);
        if (x_slowdown > y_slowdown || x_slowdown < y_slowdown) {
            return x_slowdown > y_slowdown;
        }
        if (x.completion.most != y.completion.most) {
            return x.completion.most > y.completion.most;
        }
        return a < b;
    };
    count = std::min(count, order.size());
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(order.begin(), end, order.end(), slower);
    order.resize(count);
    return order;
}

void write_flow_summary(JsonWriter& json, const FlowResults& flows) {
    json.begin_object().member("flows", static_cast<std::uint64_t>(flows.flows.size()));
    write_members(json, flows.all);
    json.key("by_size").begin_array(JsonWriter::Layout::Lines);
    for (const engine::SizeResult& size : flows.sizes) {
        json.begin_object()
            .member("up_to_bytes", size.up_to)
            .member("messages", size.result.messages)
            .member("bytes", size.result.bytes);
        write_durations(json, size.result);
        json.end_object();
    }
    json.end_array();
    json.key("slowest").begin_array(JsonWriter::Layout::Lines);
    for (const std::size_t place : slowest_flows(flows, most_slow_flows)) {
        const FlowResult& flow = flows.flows[place];
        json.begin_object()
            .member("from", flows.names[flow.flow.source.index()])
            .member("to", flows.names[flow.flow.destination.index()])
            .member("class", static_cast<std::int32_t>(flow.flow.traffic_class));
        write_members(json, flow);
        json.end_object();
    }
    json.end_array().end_object();
}

std::string flow_tables(const FlowResults& flows, std::size_t count) {
    const FlowResult& all = flows.all;
    TextTable times({fmt::format("{} messages in {} flows", all.messages, flows.flows.size()),
                     "mean", "p50", "p99", "max"});
    times.add({"completion", format_time(all.completion.mean), format_time(all.completion.median),
               format_time(all.completion.p99), format_time(all.completion.most)});
    times.add({"slowdown", format_slowdown(all.slowdown.mean), format_slowdown(all.slowdown.median),
               format_slowdown(all.slowdown.p99), format_slowdown(all.slowdown.most)});
    TextTable sizes({"bytes up to", "messages", "mean", "p50", "p99", "mean slowdown",
                     "p50 slowdown", "p99 slowdown"});
    for (const engine::SizeResult& size : flows.sizes) {
        const FlowResult& of = size.result;
        sizes.add({format_bytes(size.up_to), fmt::format("{}", of.messages),
                   format_time(of.completion.mean), format_time(of.completion.median),
                   format_time(of.completion.p99), format_slowdown(of.slowdown.mean),
                   format_slowdown(of.slowdown.median), format_slowdown(of.slowdown.p99)});
    }
    const std::string by_size = flows.sizes.empty() ? "" : "\nmessages by size\n\n" + sizes.text();
    TextTable slowest(
        {"flow", "messages", "bytes", "mean", "p99", "max", "mean slowdown", "max slowdown"});
    for (const std::size_t place : slowest_flows(flows, count)) {
        const FlowResult& flow = flows.flows[place];
        slowest.add({name_of(flows, flow), fmt::format("{}", flow.messages),
                     format_bytes(flow.bytes), format_time(flow.completion.mean),
                     format_time(flow.completion.p99), format_time(flow.completion.most),
                     format_slowdown(flow.slowdown.mean), format_slowdown(flow.slowdown.most)});
    }
    return "completion of messages\n\n" + times.text() + by_size + "\nslowest flows\n\n" +
           slowest.text();
}

}  // namespace npunet::report
