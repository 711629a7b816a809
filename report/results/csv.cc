#include "report/results/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "analysis/link_classes.h"
#include "base/json_writer.h"
#include "base/units.h"
#include "report/results/npu_summary.h"

namespace npunet::report {

std::string blank_separated(const std::vector<Rank>& ranks) {
    std::string text;
    for (const Rank rank : ranks) {
        text += fmt::format("{}{}", text.empty() ? "" : " ", rank.value());
    }
    return text;
}

std::string ns_field(Time time) {
    return time == Time::max() ? "inf" : format_ns(time);
}

namespace {

/// By precedence, with a comma before each; empty fields where they are not known.
std::string dimension_fields(const engine::NpuResult& npu,
                             Time engine::DimensionTimes::Entry::*figure) {
    std::string fields;
    for (const engine::Parallelism dimension : engine::parallelism_by_precedence) {
        fields += ',';
        if (npu.dimensions) {
            fields += format_ns((*npu.dimensions)[dimension].*figure);
        }
    }
    return fields;
}

/// A table whose rows are added one by one, and which leaves rows out where it becomes too long.
class CutTable {
public:
    /// `most`: bytes.
    CutTable(std::string heading, std::size_t most)
        : heading_(heading.size()), text_(std::move(heading)), most_(most) {}

    [[nodiscard]] std::string& text() { return text_; }
    /// What has been added to text() since the last one is a row; those with the least weight are
    /// left out first.
    void end_row(double weight) { rows_.push_back({text_.size(), weight}); }

    [[nodiscard]] std::string cut() && {
        if (text_.size() <= most_) {
            return std::move(text_);
        }
        std::vector<std::size_t> places(rows_.size());
        std::iota(places.begin(), places.end(), std::size_t{0});
        std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
            return rows_[a].weight > rows_[b].weight;
        });
        const auto begin = [&](std::size_t row) {
            return row == 0 ? heading_ : rows_[row - 1].end;
        };
        std::size_t size = heading_;
        std::size_t kept = 0;
        while (kept < places.size() &&
               size + rows_[places[kept]].end - begin(places[kept]) <= most_) {
            size += rows_[places[kept]].end - begin(places[kept]);
            ++kept;
        }
        places.resize(kept);
        std::sort(places.begin(), places.end());
        std::string shorter = text_.substr(0, heading_);
        for (const std::size_t row : places) {
            shorter.append(text_, begin(row), rows_[row].end - begin(row));
        }
        return shorter;
    }

private:
    struct Row {
        std::size_t end;  ///< in the text
        double weight;
    };
    std::size_t heading_;  ///< its length
    std::string text_;
    std::size_t most_;
    std::vector<Row> rows_;
};

}  // namespace

std::string npus_csv(const engine::Results& results) {
    std::string csv =
        "rank,class,finish_ns,compute_ns,comm_ns,exposed_comm_ns,exposed_memory_ns,idle_ns,"
        "peak_memory_bytes,compute_bound_percent,compute_utilization_percent,"
        "memory_utilization_percent,operation_intensity_flop_per_byte,bubble_percent,"
        "exposed_tp_ns,exposed_cp_ns,exposed_ep_ns,exposed_pp_ns,exposed_dp_ns,exposed_other_ns,"
        "memory_capacity_bytes,"
        "waiting_tp_ns,waiting_cp_ns,waiting_ep_ns,waiting_pp_ns,waiting_dp_ns,waiting_other_ns,"
        "bubble_of_step_percent\n";
    for (const engine::NpuResult& npu : results.npus) {
        fmt::format_to(
            std::back_inserter(csv), "{},{},{},{},{},{},{},{},{},{},{},{},{},{}{},{}{},{}\n",
            npu.rank.value(), npu.npu_class, format_ns(npu.finish), format_ns(npu.compute),
            format_ns(npu.communication), format_ns(npu.exposed_communication),
            format_ns(npu.exposed_memory), format_ns(npu.idle), npu.peak_memory.value(),
            shortest(npu.compute_bound_percent), shortest(npu.compute_utilization_percent),
            shortest(npu.memory_utilization_percent), shortest(npu.operation_intensity),
            shortest(bubble_percent(npu, results.finish)),
            dimension_fields(npu, &engine::DimensionTimes::Entry::exposed),
            npu.memory_capacity.value(),
            dimension_fields(npu, &engine::DimensionTimes::Entry::waiting),
            shortest(bubble_of_step_percent(npu, results.finish)));
    }
    return csv;
}

std::string collectives_csv(const engine::Results& results, std::size_t most) {
    CutTable table(
        "id,name,type,group,algorithm,bytes,first_start_ns,last_start_ns,end_ns,bandwidth_GBps,"
        "bound_ns,bandwidth_bound_GBps\n",
        most);
    for (const engine::CollectiveResult& collective : results.collectives) {
        fmt::format_to(std::back_inserter(table.text()), "{},{},{},{},{},{},{},{},{},{},{},{}\n",
                       collective.id, csv_field(collective.name), csv_field(collective.type),
                       blank_separated(collective.group), csv_field(collective.algorithm),
                       collective.bytes.value(), format_ns(collective.first_start),
                       format_ns(collective.last_start), format_ns(collective.end),
                       shortest(collective.bandwidth_gbps), format_ns(collective.least),
                       shortest(collective.bandwidth_bound_gbps));
        table.end_row(static_cast<double>((collective.end - collective.first_start).ps()));
    }
    return std::move(table).cut();
}

std::string links_csv(const engine::Results& results, std::size_t most) {
    std::string heading =
        "from,to,payload_bytes,wire_bytes,busy_ns,utilization_percent,max_queue_bytes,"
        "packets,retransmissions,credit_stall_ns,link_bound_ns,link_class,pauses,marked,drops,"
        "notifications";
    const std::size_t classes = results.links.empty() ? 0 : results.links[0].classes_wire.size();
    for (std::size_t i = 0; i < classes; ++i) {
        fmt::format_to(std::back_inserter(heading), ",class_{}_wire_bytes", i);
    }
    heading += '\n';
    CutTable table(std::move(heading), most);
    for (const engine::LinkResult& link : results.links) {
        fmt::format_to(
            std::back_inserter(table.text()), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            csv_field(link.from), csv_field(link.to), link.payload.value(), link.wire.value(),
            format_ns(link.busy), shortest(link.utilization_percent), link.max_queue.value(),
            link.packets, link.retransmissions, format_ns(link.credit_stall), ns_field(link.bound),
            csv_field(analysis::class_of(results, link)), link.pauses, link.marked, link.drops,
            link.notifications);
        for (const Bytes bytes : link.classes_wire) {
            fmt::format_to(std::back_inserter(table.text()), ",{}", bytes.value());
        }
        table.text() += '\n';
        table.end_row(link.utilization_percent);
    }
    return std::move(table).cut();
}

}  // namespace npunet::report
