#include "generators/kernel.h"

#include <string>
#include <utility>
#include <vector>

namespace npunet::generators {

bool operator==(const KernelInfo& a, const KernelInfo& b) {
    return a.kind == b.kind && a.type == b.type && a.causal == b.causal &&
           a.launches == b.launches && a.shape == b.shape;
}

void add_kernel(chakra::Node& node, const KernelInfo& kernel) {
    if (kernel.kind == Kernel::None) {
        return;
    }
    const auto put = [&node](const char* name, chakra::AttributeValue value) {
        node.attributes.push_back({name, std::move(value)});
    };
    put("kernel", std::string(name_of(kernel.kind)));
    if (kernel.type != DataType::None) {
        put("dtype", std::string(name_of(kernel.type)));
    }
    put("shape", std::vector<std::int64_t>(
                     kernel.shape.begin(),
                     kernel.shape.begin() + static_cast<std::ptrdiff_t>(shape_size(kernel.kind))));
    if (kernel.kind == Kernel::Attention || kernel.kind == Kernel::AttentionBackward) {
        put("causal", kernel.causal);
    }
    if (kernel.launches != 1) {
        put("launches", std::int64_t{kernel.launches});
    }
}

DataType element_type(std::int64_t bytes) {
    switch (bytes) {
        case 1:
            return DataType::Fp8;
        case 2:
            return DataType::Bf16;
        case 4:
            return DataType::Fp32;
        case 8:
            return DataType::Fp64;
        default:
            return DataType::None;
    }
}

KernelInfo matmul(std::int64_t element_bytes, const std::array<std::int64_t, 4>& batch_m_n_k) {
    KernelInfo kernel;
    kernel.type = element_type(element_bytes);
    if (kernel.type != DataType::None) {
        kernel.kind = Kernel::Matmul;
        kernel.shape = {batch_m_n_k[0], batch_m_n_k[1], batch_m_n_k[2], batch_m_n_k[3], 0, 0};
    }
    return kernel;
}

KernelInfo memory_kernel(Kernel kind, std::int64_t element_bytes, std::int64_t elements) {
    KernelInfo kernel;
    kernel.kind = kind;
    kernel.type = element_type(element_bytes);
    kernel.shape[0] = elements;
    return kernel;
}

}  // namespace npunet::generators
