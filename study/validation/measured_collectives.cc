#include "study/validation/measured_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/csv_table.h"
#include "base/shipped_files.h"
#include "study/collective_times.h"
#include "study/validation/measured_text.h"

namespace npunet::study {

namespace {

using engine::CollectiveKind;
using engine::LibraryAlgorithm;

constexpr std::array<CollectiveKind, 6> kinds{
    CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
    CollectiveKind::AllToAll,  CollectiveKind::Broadcast, CollectiveKind::Reduce};

bool ends_with(const std::string& text, std::string_view end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// "h100" of "H100-SXM 80GB".
std::string gpu_of(const std::string& device) {
    std::string name;
    for (const char c : device) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && (c < '0' || c > '9')) {
            break;
        }
        name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return name;
}

/// GPUs, also of "about 1000 (128 hosts of 8; ...)".
std::int32_t gpus_of(const std::string& text) {
    constexpr double most = 1 << 20;
    if (const auto all = number_of(text); all && *all >= 1 && *all <= most) {
        return static_cast<std::int32_t>(*all);
    }
    const auto hosts = number_before(text, " hosts of ");
    const auto each = number_after(text, " hosts of ");
    return hosts && each && *hosts * *each >= 1 && *hosts * *each <= most
               ? static_cast<std::int32_t>(*hosts * *each)
               : 0;
}

/// GPUs that NVLink joins.
std::int32_t domain_of(const std::string& intra_link, const std::string& per_node,
                       std::int32_t gpus) {
    if (has_part(intra_link, "NVL72")) {
        return 72;
    }
    const std::int32_t each = gpus_of(per_node);
    return each > 0 ? each : gpus;
}

engine::LibraryMachine machine_of(const std::string& gpu, const std::string& inter_link,
                                  std::int32_t per_node) {
    engine::LibraryMachine machine;
    machine.nics = std::max(1, per_node);  // one each, as in DGX systems
    machine.nic_rate = gpu == "a100" ? 25 : 50;
    if (const auto rate = number_before(inter_link, "Gb/s")) {
        machine.nic_rate = *rate / 8;
    }
    if (const auto nics = number_before(inter_link, " x "); nics && *nics >= 1 && *nics <= 64) {
        machine.nics = static_cast<std::int32_t>(*nics);
    }
    return machine;
}

std::vector<LibraryAlgorithm> algorithms_of(const std::string& notes) {
    const std::array<std::pair<const char*, LibraryAlgorithm>, 3> names{
        {{"Ring", LibraryAlgorithm::Ring},
         {"NVLS", LibraryAlgorithm::Nvls},
         {"Tree", LibraryAlgorithm::Tree}}};
    if (has_part(notes, "NVLS_ENABLE=0")) {
        return {LibraryAlgorithm::Ring, LibraryAlgorithm::Tree};
    }
    for (const auto& [name, algorithm] : names) {
        if (has_part(notes, fmt::format("picks {}", name)) ||
            ends_with(notes, fmt::format("; {}", name))) {
            return {algorithm};
        }
    }
    return {};
}

/// The kind of collective and what is measured of it: "time", "busbw", "algbw".
struct Quantity {
    CollectiveKind kind;
    std::string what;
};

std::optional<Quantity> quantity_of(const std::string& text) {
    for (const CollectiveKind kind : kinds) {
        for (const char* const what : {"time", "busbw", "algbw"}) {
            if (text == fmt::format("{}_{}", engine::name_of(kind), what)) {
                return Quantity{kind, what};
            }
        }
    }
    return std::nullopt;
}

/// Microseconds, or GB/s, of one of the unit; 0 for other units.
double unit_of(const std::string& unit, const std::string& what) {
    if (what != "time") {
        return unit == "GB/s" ? 1 : 0;
    }
    return unit == "us" ? 1 : unit == "ms" ? 1e3 : unit == "s" ? 1e6 : unit == "ns" ? 1e-3 : 0;
}

std::string reason_to_skip(const MeasuredCollective& row, const std::string& gpus_text) {
    constexpr std::int64_t most = std::int64_t{1} << 50;
    if (row.gpu.empty()) {
        return "the column gpu is empty";
    }
    if (row.call.members == 0) {
        return fmt::format("the number of GPUs is not known: '{}'", gpus_text);
    }
    if (row.call.members < 2) {
        return "one GPU";
    }
    if (row.call.members % row.call.nodes != 0) {
        return "nodes of different numbers of GPUs";
    }
    if (row.call.bytes < 1 || row.call.bytes > most) {
        return "the size is not known";
    }
    if (unit_of(row.unit, row.quantity) == 0) {
        return fmt::format("unit '{}'", row.unit);
    }
    return row.value > 0 ? "" : "the column value has no positive number";
}

MeasuredCollective row_of(const CsvTable& table, std::size_t at) {
    MeasuredCollective row;
    const auto text = [&](const char* column) -> const std::string& {
        return table.text(at, column);
    };
    row.id = text("id").empty() ? fmt::format("line {}", table.line(at)) : text("id");
    row.group = text("group");
    row.device = text("gpu");
    row.unit = text("unit");
    row.value = number_of(text("value")).value_or(0);
    const auto quantity = quantity_of(text("quantity"));
    if (!quantity) {
        row.skipped = "not a collective";
        return row;
    }
    row.quantity = quantity->what;
    row.gpu = gpu_of(row.device);
    row.call.kind = quantity->kind;
    row.call.bytes = static_cast<std::int64_t>(number_of(text("bytes")).value_or(0));
    row.call.members = gpus_of(text("gpus"));
    row.call.switches_reduce_type = text("precision") != "int8";
    const std::int32_t domain =
        std::max(1, domain_of(text("intra_link"), text("gpus_per_node"), row.call.members));
    row.call.nodes = std::max(1, (row.call.members + domain - 1) / domain);
    row.machine = machine_of(row.gpu, text("inter_link"), row.call.per_node());
    row.override.algorithms = algorithms_of(text("notes"));
    const std::string& library = text("library");
    const std::size_t dash = library.rfind('-');
    if (dash != std::string::npos) {
        row.version = engine::LibraryVersion::named(std::string_view(library).substr(dash + 1))
                          .value_or(engine::LibraryVersion());
    }
    row.skipped = reason_to_skip(row, text("gpus"));
    return row;
}

}  // namespace

double MeasuredCollective::bytes_per_us_factor() const {
    const double factor =
        quantity == "busbw" ? bus_factor(call.kind, static_cast<std::size_t>(call.members)) : 1;
    return static_cast<double>(call.bytes) * factor / 1e3;
}

double MeasuredCollective::measured_us() const {
    return quantity == "time" ? value * unit_of(unit, quantity) : bytes_per_us_factor() / value;
}

double MeasuredCollective::in_unit(double us) const {
    return quantity == "time" ? us / unit_of(unit, quantity) : bytes_per_us_factor() / us;
}

std::vector<MeasuredCollective> read_measured_collectives(const std::string& path) {
    const CsvTable table = read_measured_table(path, "measured collectives",
                                               "id, gpu, gpus, bytes, quantity, value, unit",
                                               "validation/collectives.csv");
    std::vector<MeasuredCollective> rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        rows.push_back(row_of(table, row));
    }
    return rows;
}

std::string measured_collectives_file() {
    return shipped_path("validation/collectives.csv").string();
}

}  // namespace npunet::study
