#include "report/html/results_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/units.h"
#include "report/html/data_table.h"
#include "report/npu_summary.h"

namespace npunet::report {

namespace {

using engine::CollectiveResult;
using engine::LinkResult;
using engine::NpuResult;
using Kind = DataTable::Kind;

std::string whole(std::uint64_t number) {
    return fmt::format("{}", number);
}

std::string ranks_of(const CollectiveResult& collective) {
    std::vector<Rank> ranks = collective.group;
    std::sort(ranks.begin(), ranks.end());
    return format_ranks(ranks);
}

/// All of them, that which was busy longest first, of equals the first in the topology.
std::vector<const LinkResult*> by_load(const engine::Results& results) {
    std::vector<const LinkResult*> links;
    for (const LinkResult& link : results.links) {
        links.push_back(&link);
    }
    std::stable_sort(links.begin(), links.end(), [](const LinkResult* a, const LinkResult* b) {
        return std::tie(b->busy, b->wire) < std::tie(a->busy, a->wire);
    });
    return links;
}

/// A column that is left out where it is 0 throughout.
struct OptionalColumn {
    DataTable::Column column;
    bool (*occurs)(const LinkResult&);
    std::string (*cell)(const LinkResult&);
};

const std::vector<OptionalColumn>& optional_columns() {
    static const std::vector<OptionalColumn> columns{
        {{"packets", "", Kind::Exact},
         [](const LinkResult& link) { return link.packets > 0; },
         [](const LinkResult& link) { return whole(link.packets); }},
        {{"retransmissions", "", Kind::Exact},
         [](const LinkResult& link) { return link.retransmissions > 0; },
         [](const LinkResult& link) { return whole(link.retransmissions); }},
        {{"credit stall", "ns", Kind::Exact},
         [](const LinkResult& link) { return link.credit_stall != Time(); },
         [](const LinkResult& link) { return format_ns(link.credit_stall); }},
        {{"pauses", "", Kind::Exact},
         [](const LinkResult& link) { return link.pauses > 0; },
         [](const LinkResult& link) { return whole(link.pauses); }},
        {{"marked", "packets", Kind::Exact},
         [](const LinkResult& link) { return link.marked > 0; },
         [](const LinkResult& link) { return whole(link.marked); }},
        {{"drops", "packets", Kind::Exact},
         [](const LinkResult& link) { return link.drops > 0; },
         [](const LinkResult& link) { return whole(link.drops); }}};
    return columns;
}

}  // namespace

DataTable npus_table(const engine::Results& results) {
    DataTable table("npus-table", "NPUs, by rank",
                    {{"rank", "", Kind::Exact},
                     {"class", "", Kind::Exact},
                     {"finish", "ns", Kind::Exact},
                     {"compute", "ns", Kind::Exact},
                     {"exposed communication", "ns", Kind::Exact},
                     {"exposed memory", "ns", Kind::Exact},
                     {"idle", "ns", Kind::Exact},
                     {"communication", "ns", Kind::Exact},
                     {"bubble", "%", Kind::Real},
                     {"peak memory", "bytes", Kind::Exact},
                     {"compute bound", "%", Kind::Real},
                     {"compute utilization", "%", Kind::Real},
                     {"memory utilization", "%", Kind::Real},
                     {"operation intensity", "FLOP/byte", Kind::Real}});
    for (const NpuResult& npu : results.npus) {
        table.add({fmt::format("{}", npu.rank.value()), fmt::format("{}", npu.npu_class),
                   format_ns(npu.finish), format_ns(npu.compute),
                   format_ns(npu.exposed_communication), format_ns(npu.exposed_memory),
                   format_ns(npu.idle), format_ns(npu.communication),
                   shortest(bubble_percent(npu, results.finish)),
                   fmt::format("{}", npu.peak_memory.value()), shortest(npu.compute_bound_percent),
                   shortest(npu.compute_utilization_percent),
                   shortest(npu.memory_utilization_percent), shortest(npu.operation_intensity)});
    }
    return table;
}

DataTable collectives_table(const engine::Results& results) {
    DataTable table("collectives-table", "Collectives, by their start",
                    {{"name"},
                     {"id", "", Kind::Exact},
                     {"type"},
                     {"ranks"},
                     {"algorithm"},
                     {"size", "bytes", Kind::Exact},
                     {"first start", "ns", Kind::Exact},
                     {"last start", "ns", Kind::Exact},
                     {"end", "ns", Kind::Exact},
                     {"duration", "ns", Kind::Exact},
                     {"bound", "ns", Kind::Exact},
                     {"bandwidth", "GB/s", Kind::Real},
                     {"bandwidth bound", "GB/s", Kind::Real}});
    for (const CollectiveResult& collective : results.collectives) {
        table.add({collective.name, fmt::format("{}", collective.id), collective.type,
                   ranks_of(collective), collective.algorithm,
                   fmt::format("{}", collective.bytes.value()), format_ns(collective.first_start),
                   format_ns(collective.last_start), format_ns(collective.end),
                   format_ns(collective.end - collective.first_start), format_ns(collective.least),
                   shortest(collective.bandwidth_gbps), shortest(collective.bandwidth_bound_gbps)});
    }
    return table;
}

DataTable links_table(const engine::Results& results) {
    std::vector<DataTable::Column> columns{{"from"},
                                           {"to"},
                                           {"utilization", "%", Kind::Real},
                                           {"busy", "ns", Kind::Exact},
                                           {"payload", "bytes", Kind::Exact},
                                           {"on the wire", "bytes", Kind::Exact},
                                           {"longest queue", "bytes", Kind::Exact}};
    std::vector<const OptionalColumn*> present;
    for (const OptionalColumn& optional : optional_columns()) {
        if (std::any_of(results.links.begin(), results.links.end(), optional.occurs)) {
            columns.push_back(optional.column);
            present.push_back(&optional);
        }
    }
    DataTable table("links-table", "Links, busiest first", std::move(columns));
    for (const LinkResult* link : by_load(results)) {
        std::vector<std::string> row{link->from,
                                     link->to,
                                     shortest(link->utilization_percent),
                                     format_ns(link->busy),
                                     fmt::format("{}", link->payload.value()),
                                     fmt::format("{}", link->wire.value()),
                                     fmt::format("{}", link->max_queue.value())};
        for (const OptionalColumn* optional : present) {
            row.push_back(optional->cell(*link));
        }
        table.add(row);
    }
    return table;
}

std::string inputs_table(const InputList& inputs) {
    if (inputs.empty()) {
        return "";
    }
    DataTable table("inputs-table", "Command line", {{"option"}, {"value"}});
    for (const NamedInput& input : inputs) {
        table.add({input.name, input.value});
    }
    return table.html();
}

}  // namespace npunet::report
