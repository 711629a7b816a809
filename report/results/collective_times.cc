#include "report/results/collective_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/csv_field.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "base/units.h"
#include "report/results/csv.h"
#include "report/text_table.h"

namespace npunet::report {

namespace {

/// 10^9 bytes per second.
double gbps(Bytes bytes, Time time) {
    return time == Time()
               ? 0
               : static_cast<double>(bytes.value()) * 1e3 / static_cast<double>(time.ps());
}

double microseconds(Time time) {
    return static_cast<double>(time.ps()) * 1e-6;
}

/// nccl-tests' columns: they reduce sums of floats, and count elements of 4 bytes.
std::vector<std::string> row_of(const CollectiveTimes& times, const CollectiveTime& one) {
    using engine::CollectiveKind;
    const bool reduces = times.kind == CollectiveKind::AllReduce ||
                         times.kind == CollectiveKind::ReduceScatter ||
                         times.kind == CollectiveKind::Reduce;
    return {std::to_string(one.size.value()),
            std::to_string(one.size.value() / 4),
            "float",
            reduces ? "sum" : "none",
            engine::has_root(times.kind) ? "0" : "-1",
            fmt::format("{:.2f}", microseconds(one.time)),
            fmt::format("{:.2f}", one.algorithm_gbps()),
            fmt::format("{:.2f}", one.bus_gbps()),
            fmt::format("{:.2f}", microseconds(one.bound)),
            one.bound == Time() ? "-"
                                : fmt::format("{:.2f}", static_cast<double>(one.time.ps()) /
                                                            static_cast<double>(one.bound.ps())),
            one.algorithm};
}

void add_block(std::string& text, const CollectiveTimes& times, const CollectiveSeries& series) {
    text += fmt::format("# {}\n", printable(series.algorithm));
    if (!series.refusal.empty()) {
        text += fmt::format("# not here: {}\n\n", printable(series.refusal));
        return;
    }
    TextTable table({"size (B)", "count", "type", "redop", "root", "time (us)", "algbw (GB/s)",
                     "busbw (GB/s)", "bound (us)", "time/bound", "algorithm"},
                    0);
    for (const CollectiveTime& one : series.times) {
        table.add(row_of(times, one));
    }
    text += table.text() + "\n";
}

}  // namespace

double CollectiveTime::algorithm_gbps() const {
    return gbps(size, time);
}

double CollectiveTime::bus_gbps() const {
    return bus_factor * gbps(size, time);
}

double CollectiveTime::bound_bus_gbps() const {
    return bus_factor * gbps(size, bound);
}

CollectiveTimes::Fastest CollectiveTimes::fastest(Bytes size) const {
    Fastest fastest;
    for (const CollectiveSeries& one : series) {
        const auto at =
            std::find_if(one.times.begin(), one.times.end(),
                         [size](const CollectiveTime& time) { return time.size == size; });
        if (at != one.times.end() && (fastest.time == nullptr || at->time < fastest.time->time)) {
            fastest = {&one, &*at};
        }
    }
    return fastest;
}

std::vector<Bytes> CollectiveTimes::sizes() const {
    std::vector<Bytes> sizes;
    for (const CollectiveSeries& one : series) {
        for (const CollectiveTime& time : one.times) {
            sizes.push_back(time.size);
        }
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

std::string collective_times_table(const CollectiveTimes& times) {
    std::string text = fmt::format("# {} among {} NPUs of {}, {}\n\n", engine::name_of(times.kind),
                                   times.members, printable(times.network), times.fidelity);
    for (const CollectiveSeries& series : times.series) {
        add_block(text, times, series);
    }
    TextTable table({"size", "fastest", "time (us)", "busbw (GB/s)", "time/bound"}, 2);
    for (const Bytes size : times.sizes()) {
        const CollectiveTimes::Fastest best = times.fastest(size);
        const std::vector<std::string> row = row_of(times, *best.time);
        table.add({format_bytes(size), best.series->algorithm, row[5], row[7], row[9]});
    }
    return text + table.text();
}

std::string collective_times_csv(const CollectiveTimes& times) {
    std::string text = "algorithm,size_bytes,time_ns,bound_ns,algbw_GBps,busbw_GBps\n";
    for (const CollectiveSeries& series : times.series) {
        for (const CollectiveTime& one : series.times) {
            fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{}\n",
                           csv_field(series.algorithm), one.size.value(), ns_field(one.time),
                           ns_field(one.bound), one.algorithm_gbps(), one.bus_gbps());
        }
    }
    return text;
}

std::string collective_times_json(const CollectiveTimes& times) {
    using Layout = JsonWriter::Layout;
    JsonWriter json;
    json.begin_object(Layout::Lines)
        .member("collective", engine::name_of(times.kind))
        .member("npus", static_cast<std::int64_t>(times.members))
        .member("network", times.network)
        .member("fidelity", times.fidelity);
    json.key("algorithms").begin_array(Layout::Lines);
    for (const CollectiveSeries& series : times.series) {
        json.begin_object(Layout::Lines).member("algorithm", series.algorithm);
        if (!series.refusal.empty()) {
            json.member("refused", series.refusal);
        }
        json.key("times").begin_array(Layout::Lines);
        for (const CollectiveTime& one : series.times) {
            json.begin_object()
                .member("size_bytes", one.size.value())
                .member("time_ns", static_cast<double>(one.time.ps()) / 1e3)
                .member("bound_ns", static_cast<double>(one.bound.ps()) / 1e3)
                .member("algbw_GBps", one.algorithm_gbps())
                .member("busbw_GBps", one.bus_gbps())
                .end_object();
        }
        json.end_array().end_object();
    }
    json.end_array().end_object();
    return json.text() + "\n";
}

}  // namespace npunet::report
