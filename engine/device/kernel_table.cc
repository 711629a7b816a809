#include "engine/device/kernel_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "base/csv_table.h"
#include "base/errors.h"
#include "base/suggest.h"
#include "engine/device/kernel_time.h"

namespace npunet::engine {

namespace {

constexpr std::int64_t largest_side = std::int64_t{1} << 40;

/// Operations of public tables that are not names of kernels.
const std::map<std::string, Kernel> known_operations{{"rms_norm", Kernel::Norm},
                                                     {"layer_norm", Kernel::Norm},
                                                     {"residual_add", Kernel::Elementwise},
                                                     {"silu_and_mul", Kernel::Elementwise},
                                                     {"add", Kernel::Elementwise},
                                                     {"gelu", Kernel::Elementwise},
                                                     {"swiglu", Kernel::Elementwise},
                                                     {"dropout", Kernel::Elementwise},
                                                     {"softmax", Kernel::Softmax},
                                                     {"copy", Kernel::Copy},
                                                     {"embedding", Kernel::Embedding}};

/// The cells of one file.
class KernelCells {
public:
    KernelCells(const CsvTable& table, std::size_t row) : table_(table), row_(row) {}

    [[nodiscard]] const std::string& text(const char* column) const {
        return table_.text(row_, column);
    }

    [[nodiscard]] std::int64_t whole(const char* column, std::int64_t least = 1) const {
        const std::string& cell = text(column);
        std::int64_t number = -1;
        const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
        if (error != std::errc{} || end != cell.data() + cell.size() || number < least ||
            number > largest_side) {
            refuse(column, fmt::format("a whole number from {}", least));
        }
        return number;
    }

    [[nodiscard]] std::int64_t whole_or(const char* column, std::int64_t fallback,
                                        std::int64_t least = 1) const {
        return text(column).empty() ? fallback : whole(column, least);
    }

    [[nodiscard]] double positive(const char* column) const {
        const std::string& cell = text(column);
        double number = 0;
        const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
        if (error != std::errc{} || end != cell.data() + cell.size() || !(number > 0) ||
            number > 1e15) {
            refuse(column, "a number above 0");
        }
        return number;
    }

    [[noreturn]] void refuse(const char* column, const std::string& expected) const {
        throw InputError({table_.file(), fmt::format("line {}, {}", table_.line(row_), column),
                          fmt::format("'{}'", text(column)), expected, "Correct the field"});
    }

private:
    const CsvTable& table_;
    std::size_t row_;
};

KernelTableKind table_kind_of(const CsvTable& table) {
    const auto has_all = [&table](std::initializer_list<const char*> columns) {
        return std::all_of(columns.begin(), columns.end(),
                           [&table](const char* column) { return table.has(column); });
    };
    if (table.has("time_us")) {
        if (has_all({"m", "n", "k"})) {
            return KernelTableKind::Matmul;
        }
        if (has_all({"batch", "seq", "heads"})) {
            return KernelTableKind::Attention;
        }
        if (has_all({"operation", "bytes"})) {
            return KernelTableKind::Memory;
        }
    }
    throw InputError({table.file(), "line 1", "columns that are not those of kernel times",
                      "time_us with m,n,k or batch,seq,heads or operation,bytes",
                      "Name the columns so"});
}

DataType row_type_of(const KernelCells& cells, const KernelTableOptions& options,
                     const CsvTable& table) {
    const std::string& own = cells.text("dtype");
    if (own.empty() && options.type.empty()) {
        throw InputError({table.file(), "line 1", "no column dtype", "the type of the inputs",
                          "Give it with --dtype, such as --dtype bf16"});
    }
    const auto type = chakra::data_type_named(own.empty() ? options.type : own);
    if (!type) {
        if (own.empty()) {
            throw InputError({"--dtype", "", fmt::format("'{}'", options.type),
                              "one of " + chakra::data_type_names(), "Correct it"});
        }
        cells.refuse("dtype", "one of " + chakra::data_type_names());
    }
    return *type;
}

void fill_matmul(const KernelCells& cells, KernelRow& row) {
    row.kernel = Kernel::Matmul;
    row.matmul = {cells.whole_or("batch", 1), cells.whole("m"), cells.whole("n"), cells.whole("k")};
    row.group = fmt::format("{} {}", row.matmul.n, row.matmul.k);
}

void fill_attention(const KernelCells& cells, KernelRow& row) {
    const std::string& direction = cells.text("direction");
    if (!direction.empty() && direction != "forward" && direction != "backward") {
        cells.refuse("direction", "forward or backward");
    }
    row.kernel = direction == "backward" ? Kernel::AttentionBackward : Kernel::Attention;
    row.implementation = cells.text("kernel");
    AttentionShape& shape = row.attention;
    shape.sequences = cells.whole("batch");
    shape.queries = shape.keys = cells.whole("seq");
    shape.heads = cells.whole("heads");
    shape.kv_heads = cells.whole_or("kv_heads", shape.heads);
    shape.head_dim = cells.whole_or("head_dim", 128);
    shape.causal = cells.whole_or("causal", 1, 0) != 0;
    row.group = fmt::format("{} {}", shape.queries, shape.heads);
}

void fill_memory(const KernelCells& cells, KernelRow& row) {
    row.operation = cells.text("operation");
    row.bytes = cells.positive("bytes");
    row.group = row.operation + " " + cells.text("width");
    const auto named = chakra::kernel_named(cells.text("kernel"));
    const auto known = known_operations.find(row.operation);
    if (named && chakra::is_memory_bound(*named)) {
        row.kernel = *named;
    } else if (known != known_operations.end()) {
        row.kernel = known->second;
    } else {
        row.skipped = "unknown operation";
    }
    if (cells.text("cache") == "warm") {
        row.skipped = "in the cache";
    }
}

std::string lower_words(const std::string& text) {
    std::string lower;
    for (const char c : text) {
        lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == ' ' ? '-' : c;
    }
    return lower;
}

}  // namespace

KernelTable read_kernel_table(const std::string& path, const KernelTableOptions& options) {
    const CsvTable csv = read_csv_table(path, {"kernel times", "Check the path"});
    KernelTable table{path, table_kind_of(csv), {}};
    if (!csv.has("gpu") && options.device.empty()) {
        throw InputError({path, "line 1", "no column gpu", "the device of the times",
                          "Give it with --device, such as --device h100-sxm5-80gb"});
    }
    for (const auto& [column, text] : options.where) {
        if (!csv.has(column)) {
            throw InputError({path, "line 1", fmt::format("no column '{}'", column),
                              "the columns that --where names", "Correct --where"});
        }
    }
    for (std::size_t i = 0; i < csv.rows(); ++i) {
        const KernelCells cells(csv, i);
        const auto differs = [&cells](const auto& column_and_text) {
            return cells.text(column_and_text.first.c_str()).find(column_and_text.second) ==
                   std::string::npos;
        };
        if (std::any_of(options.where.begin(), options.where.end(), differs)) {
            continue;
        }
        KernelRow row;
        row.line = csv.line(i);
        row.gpu = cells.text("gpu");
        row.measured_us = cells.positive("time_us");
        for (const char* const column : {"direction", "state", "cache", "output"}) {
            const std::string& text = cells.text(column);
            row.condition += (row.condition.empty() || text.empty() ? "" : " ") + text;
        }
        if (table.kind == KernelTableKind::Memory) {
            fill_memory(cells, row);
        } else {
            row.type = row_type_of(cells, options, csv);
            table.kind == KernelTableKind::Matmul ? fill_matmul(cells, row)
                                                  : fill_attention(cells, row);
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::map<KernelCall, double, KernelCallOrder> times_by_shape(const KernelTable& table) {
    if (table.kind == KernelTableKind::Memory) {
        throw InputError({table.file, "line 1", "kernels that memory limits",
                          "times of products or of attention",
                          "Fit the profile to them: npunet device fit"});
    }
    struct Sum {
        double us = 0;
        double rows = 0;
    };
    std::map<KernelCall, Sum, KernelCallOrder> sums;
    for (const KernelRow& row : table.rows) {
        KernelCall call;
        call.kernel = row.kernel;
        call.type = row.type;
        if (table.kind == KernelTableKind::Matmul) {
            call.shape = {row.matmul.batch, row.matmul.m, row.matmul.n, row.matmul.k};
        } else {
            const AttentionShape& shape = row.attention;
            call.causal = shape.causal;
            call.shape = {shape.sequences, shape.heads, shape.kv_heads,
                          shape.queries,   shape.keys,  shape.head_dim};
        }
        Sum& sum = sums[std::move(call)];
        sum.us += row.measured_us;
        sum.rows += 1;
    }
    std::map<KernelCall, double, KernelCallOrder> times;
    for (const auto& [call, sum] : sums) {
        times.emplace(call, sum.us / sum.rows);
    }
    return times;
}

std::string device_of_gpu(const std::string& gpu) {
    static const std::map<std::string, std::string> other_names{{"a100", "a100-sxm4-80gb"},
                                                                {"a100-80gb", "a100-sxm4-80gb"},
                                                                {"a100-sxm-80gb", "a100-sxm4-80gb"},
                                                                {"a100-40gb", "a100-sxm4-40gb"},
                                                                {"h100", "h100-sxm5-80gb"},
                                                                {"h100-sxm", "h100-sxm5-80gb"},
                                                                {"h100-sxm-80gb", "h100-sxm5-80gb"},
                                                                {"h200-sxm", "h200"},
                                                                {"b200-sxm", "b200"}};
    const std::string name = lower_words(gpu);
    const auto other = other_names.find(name);
    const std::string& device = other != other_names.end() ? other->second : name;
    const std::vector<std::string> known = known_devices();
    return std::find(known.begin(), known.end(), device) != known.end() ? device : "";
}

std::string attention_kernel_of(const DeviceProfile& device, const std::string& implementation) {
    for (const AttentionKernel& kernel : device.attention) {
        if (implementation.find(kernel.name) != std::string::npos) {
            return kernel.name;
        }
    }
    return "";
}

double predicted_us(const DeviceProfile& device, const KernelRow& row) {
    switch (row.kernel) {
        case Kernel::Matmul:
        case Kernel::GroupedMatmul:
            return matmul_us(device, row.type, row.matmul);
        case Kernel::Attention:
        case Kernel::AttentionBackward:
            return attention_us(device, row.type, row.attention,
                                row.kernel == Kernel::AttentionBackward,
                                attention_kernel_of(device, row.implementation));
        default:
            return memory_us(device, row.kernel, row.bytes);
    }
}

}  // namespace npunet::engine
