// Measured times of kernels by shape, as CSV files have them.
//
//     const KernelTable table = read_kernel_table("gemm-h100-bf16.csv", {"", "bf16"});
//
// The columns tell the kind: m, n, k; or batch, seq, heads; or operation and bytes. All have
// time_us. Further ones where a file has them: gpu, dtype; batch of products; kernel (of attention:
// its implementation), direction (forward or backward), causal (1 by default), kv_heads, head_dim
// (128 by default); state, cache and output, which only divide a summary. Attention has as many
// keys as queries. Memory-bound rows with cache warm are skipped: the model is of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/device/device_profile.h"
#include "engine/device/kernel.h"

namespace npunet::engine {

struct KernelRow {
    std::size_t line = 0;  ///< in the file
    std::string gpu;       ///< as the file says; empty: it does not
    Kernel kernel = Kernel::None;
    DataType type = DataType::None;
    MatmulShape matmul;
    AttentionShape attention;
    std::string implementation;  ///< of attention, as the file says
    std::string operation;       ///< memory-bound: as the file says
    double bytes = 0;            ///< memory-bound
    double measured_us = 0;
    std::string skipped;  ///< why no time can be predicted; else empty
    /// What else the file says of how it was measured ("rested cold"); a summary keeps these apart.
    std::string condition;
    std::string group;  ///< what a fit leaves out together: n and k; seq and heads; operation
};

enum class KernelTableKind : std::uint8_t { Matmul, Attention, Memory };

struct KernelTable {
    std::string file;
    KernelTableKind kind = KernelTableKind::Matmul;
    std::vector<KernelRow> rows;
};

struct KernelTableOptions {
    /// For what the file does not say; may be empty.
    std::string device;
    std::string type;  ///< "bf16"
    /// Only rows whose column has the text in it.
    std::vector<std::pair<std::string, std::string>> where;
};

/// Throws InputError with line and column, and where neither file nor options say the device
/// or the type of a product or of attention.
[[nodiscard]] KernelTable read_kernel_table(const std::string& path,
                                            const KernelTableOptions& options = {});

/// By shape the mean of the rows, in microseconds. Throws InputError for kernels that memory
/// limits: their shape is no more than a number of bytes.
[[nodiscard]] std::map<KernelCall, double, KernelCallOrder> times_by_shape(
    const KernelTable& table);

/// The shipped device of a name as tables and papers write it ("A100-SXM4-80GB", "H100-SXM 80GB");
/// empty when there is none.
[[nodiscard]] std::string device_of_gpu(const std::string& gpu);

/// The attention kernel of the profile that the row names; empty: the profile's first.
[[nodiscard]] std::string attention_kernel_of(const DeviceProfile& device,
                                              const std::string& implementation);

/// Of a row that is not skipped.
[[nodiscard]] double predicted_us(const DeviceProfile& device, const KernelRow& row);

}  // namespace npunet::engine
