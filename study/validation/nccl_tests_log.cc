#include "study/validation/nccl_tests_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <sstream>

#include "base/errors.h"
#include "base/input_text.h"

namespace npunet::study {

namespace {

constexpr const char* expected_log = "what nccl-tests print, or measured collectives in CSV";

std::vector<std::string> fields_of(const std::string& line) {
    std::istringstream stream(line);
    return {std::istream_iterator<std::string>(stream), {}};
}

template <class Number>
std::optional<Number> number_of(const std::string& text) {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

bool is_heading(const std::vector<std::string>& fields) {
    return fields.size() > 7 && fields[0] == "#" &&
           std::find(fields.begin(), fields.end(), "time") != fields.end() &&
           std::find(fields.begin(), fields.end(), "busbw") != fields.end();
}

/// "all_reduce" of "all_reduce_perf"; nccl-tests write alltoall as one word, sendrecv is none.
std::optional<engine::CollectiveKind> kind_of(std::string name) {
    constexpr std::string_view end = "_perf";
    if (name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0) {
        name.resize(name.size() - end.size());
    }
    if (name == "alltoall") {
        name = "all_to_all";
    }
    for (const auto kind :
         {engine::CollectiveKind::AllReduce, engine::CollectiveKind::AllGather,
          engine::CollectiveKind::ReduceScatter, engine::CollectiveKind::AllToAll}) {
        if (name == engine::name_of(kind)) {
            return kind;
        }
    }
    return std::nullopt;
}

struct Log {
    std::string type;
    std::int32_t ranks = 0;
    struct Row {
        std::int64_t bytes;
        double us;
        std::string type;
        std::size_t line;
    };
    std::vector<Row> rows;
};

Log log_of(const std::string& text) {
    Log log;
    std::istringstream stream(text);
    std::size_t number = 0;
    std::size_t time = 0;  // column; 0 before the heading
    for (std::string line; std::getline(stream, line);) {
        ++number;
        const std::vector<std::string> fields = fields_of(line);
        if (is_heading(fields)) {
            // The "#" is a field of its own there.
            time = static_cast<std::size_t>(std::find(fields.begin(), fields.end(), "time") -
                                            fields.begin()) -
                   1;
        } else if (fields.size() > 2 && fields[0] == "#" && fields[1] == "Rank") {
            ++log.ranks;
        } else if (fields.size() > 4 && fields[1] == "Collective" && fields[2] == "test") {
            log.type = fields[4];
        } else if (time > 0 && fields.size() > time && fields[0] != "#") {
            const auto bytes = number_of<std::int64_t>(fields[0]);
            const auto us = number_of<double>(fields[time]);
            if (bytes && us && *bytes > 0 && *us > 0) {
                log.rows.push_back({*bytes, *us, fields.size() > 2 ? fields[2] : "", number});
            }
        }
    }
    return log;
}

}  // namespace

bool is_nccl_tests_log(const std::string& path) {
    std::istringstream stream(
        read_input_text(path, expected_log, "Check the path of the measurements"));
    for (std::string line; std::getline(stream, line);) {
        if (is_heading(fields_of(line))) {
            return true;
        }
    }
    return false;
}

std::vector<MeasuredCollective> read_nccl_tests_log(const std::string& path,
                                                    const NcclTestsRun& run) {
    const Log log =
        log_of(read_input_text(path, expected_log, "Check the path of the measurements"));
    const std::string type = run.type.empty() ? log.type : run.type;
    const auto kind = kind_of(type);
    if (!kind) {
        throw InputError(
            {path, "",
             type.empty() ? "a log that does not name its collective" : fmt::format("'{}'", type),
             "all_reduce, all_gather, reduce_scatter or all_to_all", "Name it with --type"});
    }
    const std::int32_t gpus = run.gpus > 0 ? run.gpus : log.ranks;
    if (gpus < 2) {
        throw InputError({path, "", fmt::format("{} ranks", gpus), "at least 2 GPUs",
                          "Say how many with --npus"});
    }
    const std::int32_t each = run.gpus_per_node > 0 ? run.gpus_per_node : gpus;
    if (gpus % each != 0) {
        throw InputError({"--npus-per-node", "", std::to_string(each),
                          fmt::format("a number that divides {}", gpus), ""});
    }
    if (log.rows.empty()) {
        throw InputError({path, "", "no rows of times", expected_log, ""});
    }
    std::vector<MeasuredCollective> rows;
    for (const Log::Row& one : log.rows) {
        MeasuredCollective row;
        row.id = fmt::format("line {}", one.line);
        row.group = path;
        row.call.kind = *kind;
        row.call.bytes = one.bytes;
        row.call.members = gpus;
        row.call.nodes = gpus / each;
        row.call.switches_reduce_type = one.type != "int8" && one.type != "uint8";
        row.machine.nics = each;
        row.quantity = "time";
        row.unit = "us";
        row.value = one.us;
        rows.push_back(row);
    }
    return rows;
}

}  // namespace npunet::study
