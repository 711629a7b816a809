#include "report/html/results_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/link_classes.h"
#include "base/json_writer.h"
#include "base/units.h"
#include "report/html/data_table.h"
#include "report/results/npu_summary.h"

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

/// All of them, those that carried something first (analysis/link_classes.h).
std::vector<const LinkResult*> by_load(const engine::Results& results) {
    std::vector<const LinkResult*> links = analysis::busiest_links(results);
    for (const LinkResult& link : results.links) {
        if (link.wire == Bytes(0)) {
            links.push_back(&link);
        }
    }
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
        {{"credit stall", "", Kind::Time},
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
         [](const LinkResult& link) { return whole(link.drops); }},
        {{"notifications", "CNPs", Kind::Exact},
         [](const LinkResult& link) { return link.notifications > 0; },
         [](const LinkResult& link) { return whole(link.notifications); }}};
    return columns;
}

}  // namespace

DataTable npus_table(const engine::Results& results) {
    DataTable table("npus-table", "NPUs, by rank",
                    {{"rank", "", Kind::Exact},
                     {"class", "", Kind::Exact},
                     {"finish", "", Kind::Time},
                     {"compute", "", Kind::Time},
                     {"exposed communication", "", Kind::Time},
                     {"exposed memory", "", Kind::Time},
                     {"idle", "", Kind::Time},
                     {"communication", "", Kind::Time},
                     {"bubble", "%", Kind::Real},
                     {"peak memory", "", Kind::Bytes},
                     {"compute bound", "%", Kind::Real},
                     {"compute utilization", "%", Kind::Real},
                     {"memory utilization", "%", Kind::Real},
                     {"operation intensity", "FLOP/byte", Kind::Real}});
    for (const NpuResult& npu : results.npus) {
        table.add({fmt::format("{}", npu.rank.value()), fmt::format("{}", npu.npu_class),
                   format_ns(npu.finish), format_ns(npu.compute),
                   format_ns(npu.exposed_communication), format_ns(npu.exposed_memory),
                   format_ns(npu.idle), format_ns(npu.communication),
                   shortest(bubble_of_step_percent(npu, results.finish)),
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
                     {"size", "", Kind::Bytes},
                     {"first start", "", Kind::Time},
                     {"last start", "", Kind::Time},
                     {"end", "", Kind::Time},
                     {"duration", "", Kind::Time},
                     {"bound", "", Kind::Time},
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
                                           {"class"},
                                           {"utilization", "%", Kind::Real},
                                           {"busy", "", Kind::Time},
                                           {"payload", "", Kind::Bytes},
                                           {"on the wire", "", Kind::Bytes},
                                           {"longest queue", "", Kind::Bytes}};
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
                                     analysis::class_of(results, *link),
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

DataTable link_classes_table(const engine::Results& results) {
    DataTable table("link-classes-table", "Links by class",
                    {{"class"},
                     {"links", "", Kind::Exact},
                     {"mean utilization", "%", Kind::Real},
                     {"maximum", "%", Kind::Real},
                     {"payload", "", Kind::Bytes},
                     {"on the wire", "", Kind::Bytes},
                     {"longest queue", "", Kind::Bytes},
                     {"credit stall", "", Kind::Time},
                     {"retransmissions", "", Kind::Exact},
                     {"pauses", "", Kind::Exact},
                     {"marked", "packets", Kind::Exact},
                     {"drops", "packets", Kind::Exact},
                     {"notifications", "CNPs", Kind::Exact}});
    const auto row_of = [](const std::string& name, const analysis::LinkClassUse& use) {
        return std::vector<std::string>{name,
                                        whole(use.links),
                                        shortest(use.mean_percent),
                                        shortest(use.max_percent),
                                        fmt::format("{}", use.payload.value()),
                                        fmt::format("{}", use.wire.value()),
                                        fmt::format("{}", use.max_queue.value()),
                                        format_ns(use.credit_stall),
                                        whole(use.retransmissions),
                                        whole(use.pauses),
                                        whole(use.marked),
                                        whole(use.drops),
                                        whole(use.notifications)};
    };
    for (const analysis::LinkClassUse& use : analysis::use_by_class(results)) {
        table.add(row_of(use.name, use));
    }
    if (results.link_classes.size() > 1) {
        table.set_foot(row_of("all", analysis::use_of_all(results)));
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
