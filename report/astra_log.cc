#include "report/astra_log.h"
#include "base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace npunet::report {

namespace {

constexpr std::int64_t cycles(Time time) {
    return time.ps() / 1000;
}

void append_rank(std::string& log, const engine::NpuResult& npu, std::string_view timestamp) {
    const auto line = [&](std::string_view logger, std::string_view separator,
                          const std::string& text) {
        fmt::format_to(std::back_inserter(log), "[{}] [{}] [info] sys[{}]{} {}\n", timestamp,
                       logger, npu.rank.value(), separator, text);
    };
    line("workload", "",
         fmt::format("finished, {} cycles, exposed communication {} cycles.", cycles(npu.finish),
                     cycles(npu.exposed_communication)));
    const auto statistic = [&](const std::string& text) { line("statistics", ",", text); };
    statistic(fmt::format("Wall time: {}", cycles(npu.finish)));
    if (npu.cpu > Time()) {
        statistic(fmt::format("CPU time: {}", cycles(npu.cpu)));
    }
    statistic(fmt::format("GPU time: {}", cycles(npu.compute)));
    statistic(fmt::format("Comm time: {}", cycles(npu.communication)));
    if (npu.memory > Time()) {
        statistic(fmt::format("Remote mem time: {}", cycles(npu.memory)));
    }
    statistic(fmt::format("Compute bound percentage: {:.3f}%", npu.compute_bound_percent));
    statistic(fmt::format("Average compute utilization: {:.3f}%", npu.compute_utilization_percent));
    statistic(fmt::format("Average memory utilization: {:.3f}%", npu.memory_utilization_percent));
    statistic(fmt::format("Average operation intensity: {:.3f}", npu.operation_intensity));
    line("workload", "", fmt::format("peak memory usage: {}", npu.peak_memory.value()));
}

}  // namespace

std::string astra_log_warning(const std::string& text, std::string_view timestamp) {
    std::string line = text;
    std::replace(line.begin(), line.end(), '\n', ' ');
    return fmt::format("[{}] [npunet] [warning] {}\n", timestamp, printable(line));
}

std::string astra_log(const engine::Results& results, std::string_view timestamp) {
    std::string log;
    for (const engine::NpuResult& npu : results.npus) {
        if (!results.partial || npu.finish < results.partial->at) {
            append_rank(log, npu, timestamp);
        }
    }
    return log;
}

}  // namespace npunet::report
