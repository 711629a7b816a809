#include "chakra/trace/kernel.h"

#include <algorithm>
#include <array>
#include <utility>

namespace npunet::chakra {

namespace {

constexpr std::array<const char*, kernel_kinds> kernel_list{
    "",     "matmul",  "grouped_matmul", "attention", "attention_backward",
    "norm", "softmax", "elementwise",    "embedding", "optimizer",
    "copy"};

struct TypeEntry {
    const char* name;
    std::int64_t bytes;
};

constexpr std::array<TypeEntry, 9> type_list{{{"", 0},
                                              {"bf16", 2},
                                              {"fp16", 2},
                                              {"fp8", 1},
                                              {"fp4", 1},
                                              {"int8", 1},
                                              {"tf32", 4},
                                              {"fp32", 4},
                                              {"fp64", 8}}};

}  // namespace

const char* name_of(Kernel kernel) {
    return kernel_list[static_cast<std::size_t>(kernel)];
}

const char* name_of(DataType type) {
    return type_list[static_cast<std::size_t>(type)].name;
}

std::optional<Kernel> kernel_named(std::string_view name) {
    for (std::size_t i = 1; i < kernel_list.size(); ++i) {
        if (name == kernel_list[i]) {
            return static_cast<Kernel>(i);
        }
    }
    return std::nullopt;
}

std::optional<DataType> data_type_named(std::string_view name) {
    for (std::size_t i = 1; i < type_list.size(); ++i) {
        if (name == type_list[i].name) {
            return static_cast<DataType>(i);
        }
    }
    return std::nullopt;
}

DataType data_type_of_torch(std::string_view name) {
    for (const std::string_view space : {"torch.", "c10::"}) {
        if (name.substr(0, space.size()) == space) {
            name.remove_prefix(space.size());
        }
    }
    std::string letters(name);
    std::transform(letters.begin(), letters.end(), letters.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (letters.compare(0, 6, "float8") == 0) {
        return DataType::Fp8;
    }
    constexpr std::array<std::pair<std::string_view, DataType>, 10> names{
        {{"bfloat16", DataType::Bf16},
         {"float16", DataType::Fp16},
         {"half", DataType::Fp16},
         {"float32", DataType::Fp32},
         {"float", DataType::Fp32},
         {"float64", DataType::Fp64},
         {"double", DataType::Fp64},
         {"int8", DataType::Int8},
         {"uint8", DataType::Int8},
         {"bool", DataType::Int8}}};
    const auto* const found = std::find_if(names.begin(), names.end(),
                                           [&](const auto& one) { return one.first == letters; });
    return found == names.end() ? DataType::None : found->second;
}

std::string data_type_names() {
    std::string names;
    for (std::size_t i = 1; i < type_list.size(); ++i) {
        names += (i == 1 ? "" : ", ") + std::string(type_list[i].name);
    }
    return names;
}

std::int64_t bytes_of(DataType type) {
    return type_list[static_cast<std::size_t>(type)].bytes;
}

std::size_t shape_size(Kernel kernel) {
    switch (kernel) {
        case Kernel::None:
            return 0;
        case Kernel::Matmul:
        case Kernel::GroupedMatmul:
            return 4;
        case Kernel::Attention:
        case Kernel::AttentionBackward:
            return 6;
        default:
            return 1;
    }
}

bool is_memory_bound(Kernel kernel) {
    return kernel >= Kernel::Norm;
}

}  // namespace npunet::chakra
