#include "engine/device/kernel_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/errors.h"

namespace npunet::engine {

namespace {

constexpr std::int64_t shortest_part_of_k = 128;
constexpr double queries_of_block = 128;
constexpr double narrow_head = 128;
constexpr double backward_operations = 2.5;

double parts_of(std::int64_t size, std::int64_t part) {
    return static_cast<double>((size + part - 1) / part);
}

DataType peak_type(const DeviceProfile& device, DataType type) {
    if (device.peak_tflops.count(type) > 0) {
        return type;
    }
    if (type == DataType::Fp16 || type == DataType::None) {
        return DataType::Bf16;
    }
    return type == DataType::Fp32 ? DataType::Tf32 : type;
}

/// Of the profile's own tables. A grouped product is one of as many products.
std::optional<double> measured_us(const DeviceProfile& device, KernelCall call) {
    if (device.times.empty()) {
        return std::nullopt;
    }
    call.launches = 1;
    if (call.kernel == Kernel::GroupedMatmul) {
        call.kernel = Kernel::Matmul;
    }
    const auto found = device.times.find(call);
    return found == device.times.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

double peak_tflops(const DeviceProfile& device, DataType type) {
    const auto found = device.peak_tflops.find(peak_type(device, type));
    if (found == device.peak_tflops.end()) {
        throw InputError({device.file, "peak-tflops", fmt::format("no entry for {}", name_of(type)),
                          "the peak of each data type that is used",
                          "Add it to the profile, or use another device"});
    }
    return found->second;
}

const MatmulRates& matmul_rates(const DeviceProfile& device, DataType type) {
    for (const DataType candidate : {type, peak_type(device, type), DataType::Bf16}) {
        const auto found = device.matmul.find(candidate);
        if (found != device.matmul.end()) {
            return found->second;
        }
    }
    throw InputError({device.file, "matmul", "no rates for bf16",
                      "rates of products at least for bf16", "Add them: npunet device fit"});
}

double matmul_us(const DeviceProfile& device, DataType type, const MatmulShape& shape) {
    const MatmulRates& rates = matmul_rates(device, type);
    const auto multiprocessors = static_cast<double>(device.multiprocessors);
    const double peak = peak_tflops(device, type) * 1e6 / multiprocessors;  // in a microsecond
    const double bandwidth = device.memory_bandwidth * 1e3;
    const auto element = static_cast<double>(std::max<std::int64_t>(bytes_of(type), 1));
    const auto result_element = std::max(element, 2.0);
    const auto batch = static_cast<double>(shape.batch);
    const auto m = static_cast<double>(shape.m);
    const auto n = static_cast<double>(shape.n);
    const auto k = static_cast<double>(shape.k);
    double compute = std::numeric_limits<double>::infinity();
    for (const Tile& tile : rates.tiles) {
        const auto rows = static_cast<double>(tile.rows);
        const auto columns = static_cast<double>(tile.columns);
        const double side = rows * columns / (rows + columns);
        const double rate = peak * rates.efficiency * side / (side + rates.tile_ramp);
        const double tiles = batch * parts_of(shape.m, tile.rows) * parts_of(shape.n, tile.columns);
        const double reading =
            tiles * (rows + columns) * k * element / (bandwidth * rates.cache_bandwidth);
        for (const std::int64_t split : rates.split_k) {
            if (split > 1 && shape.k < split * shortest_part_of_k) {
                continue;
            }
            const auto pieces = static_cast<double>(split);
            const double filled = tiles * pieces / multiprocessors;
            const double waves = rates.wave_rounding * std::ceil(filled) +
                                 (1 - rates.wave_rounding) * std::max(filled, 1.0);
            double time =
                std::max(waves * 2 * rows * columns * (k / pieces + rates.k_ramp) / rate, reading);
            if (split > 1) {
                time += rates.split_us +
                        4 * batch * m * n * pieces / (bandwidth * rates.cache_bandwidth);
            }
            compute = std::min(compute, time);
        }
    }
    const double bytes = batch * (element * (m * k + k * n) + result_element * m * n);
    const double move = bytes / (bandwidth * rates.memory_efficiency);
    return rates.launch_us + std::max(compute, move) +
           rates.exposed_share * std::min(compute, move);
}

double attention_us(const DeviceProfile& device, DataType type, const AttentionShape& shape,
                    bool backward, const std::string& kernel) {
    const auto named = std::find_if(
        device.attention.begin(), device.attention.end(),
        [&kernel](const AttentionKernel& one) { return kernel.empty() || one.name == kernel; });
    if (named == device.attention.end()) {
        throw InputError({device.file, "attention", fmt::format("no kernel '{}'", kernel),
                          "the rates of the attention kernel that is used", "Add them"});
    }
    const AttentionRates& rates = backward ? named->backward : named->forward;
    const auto multiprocessors = static_cast<double>(device.multiprocessors);
    const auto head_dim = static_cast<double>(shape.head_dim);
    const double rate = peak_tflops(device, type) * 1e6 / multiprocessors * rates.efficiency *
                        (head_dim < narrow_head ? rates.narrow_heads : 1);
    const auto sequences = static_cast<double>(shape.sequences);
    const auto heads = static_cast<double>(shape.heads);
    const auto keys = static_cast<double>(shape.keys);
    const double blocks =
        sequences * heads * parts_of(shape.queries, static_cast<std::int64_t>(queries_of_block));
    // The mask of equally many queries and keys; of later queries the first keys are all met.
    const auto queries = static_cast<double>(shape.queries);
    const double masked = shape.causal ? std::min(queries, keys) : 0;
    const double mean_keys =
        shape.causal ? std::min(keys, keys - masked / 2 + queries_of_block / 2) : keys;
    const auto block = [&](double met) {
        return (backward ? backward_operations : 1) * 4 * queries_of_block * met * head_dim / rate +
               rates.block_us;
    };
    const double longest = block(keys);
    const double all = blocks * block(mean_keys) / multiprocessors;
    const auto element = static_cast<double>(std::max<std::int64_t>(bytes_of(type), 1));
    const double bytes = (backward ? 2 : 1) * element * sequences * head_dim *
                         (2 * heads * queries + 2 * static_cast<double>(shape.kv_heads) * keys);
    return rates.launch_us + rates.passes * bytes / (device.memory_bandwidth * 1e3) +
           std::max(all, longest) + (blocks > multiprocessors ? rates.tail * longest : 0);
}

double kernel_us(const DeviceProfile& device, const KernelCall& call, double bytes,
                 const std::string& attention_kernel) {
    if (call.launches == 0) {
        return 0;
    }
    const double more = (call.launches - 1) * device.launch_us;
    if (const auto measured = measured_us(device, call)) {
        return more + *measured;
    }
    const std::vector<std::int64_t>& shape = call.shape;
    switch (call.kernel) {
        case Kernel::Matmul:
        case Kernel::GroupedMatmul:
            return more + matmul_us(device, call.type, {shape[0], shape[1], shape[2], shape[3]});
        case Kernel::Attention:
        case Kernel::AttentionBackward:
            return more + attention_us(device, call.type,
                                       {shape[0], shape[1], shape[2], shape[3], shape[4], shape[5],
                                        call.causal},
                                       call.kernel == Kernel::AttentionBackward, attention_kernel);
        default:
            return more + memory_us(device, call.kernel, bytes);
    }
}

double memory_us(const DeviceProfile& device, Kernel kernel, double bytes) {
    const MemoryRates& rates = device.memory[static_cast<std::size_t>(kernel)];
    return rates.launch_us + bytes / (device.memory_bandwidth * 1e3 * rates.efficiency);
}

}  // namespace npunet::engine
