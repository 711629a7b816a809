#include "generators/kernel.h"

namespace npunet::generators {

namespace {

/// By the value of KernelKind.
constexpr std::array<const char*, kernel_kinds> kind_names{
    "",     "matmul",  "grouped_matmul", "attention", "attention_backward",
    "norm", "softmax", "elementwise",    "embedding", "optimizer",
    "copy"};

/// By the value of ElementType.
constexpr std::array<const char*, 5> type_names{"", "fp8", "bf16", "fp32", "fp64"};

}  // namespace

bool operator==(const KernelInfo& a, const KernelInfo& b) {
    return a.kind == b.kind && a.type == b.type && a.causal == b.causal &&
           a.launches == b.launches && a.shape == b.shape;
}

const char* name_of(KernelKind kind) {
    return kind_names[static_cast<std::size_t>(kind)];
}

const char* name_of(ElementType type) {
    return type_names[static_cast<std::size_t>(type)];
}

std::size_t shape_size(KernelKind kind) {
    switch (kind) {
        case KernelKind::None:
            return 0;
        case KernelKind::Matmul:
        case KernelKind::GroupedMatmul:
            return 4;
        case KernelKind::Attention:
        case KernelKind::AttentionBackward:
            return 6;
        default:
            return 1;
    }
}

ElementType element_type(std::int64_t bytes) {
    switch (bytes) {
        case 1:
            return ElementType::Fp8;
        case 2:
            return ElementType::Bf16;
        case 4:
            return ElementType::Fp32;
        case 8:
            return ElementType::Fp64;
        default:
            return ElementType::None;
    }
}

KernelInfo matmul(std::int64_t element_bytes, const std::array<std::int64_t, 4>& batch_m_n_k) {
    KernelInfo kernel;
    kernel.type = element_type(element_bytes);
    if (kernel.type != ElementType::None) {
        kernel.kind = KernelKind::Matmul;
        kernel.shape = {batch_m_n_k[0], batch_m_n_k[1], batch_m_n_k[2], batch_m_n_k[3], 0, 0};
    }
    return kernel;
}

KernelInfo memory_kernel(KernelKind kind, std::int64_t element_bytes, std::int64_t elements) {
    KernelInfo kernel;
    kernel.kind = kind;
    kernel.type = element_type(element_bytes);
    kernel.shape[0] = elements;
    return kernel;
}

}  // namespace npunet::generators
