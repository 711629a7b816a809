#include "generators/profiler/operator_kernel.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "generators/profiler/communication_call.h"

namespace npunet::generators::profiler {

namespace {

using Json = nlohmann::json;
using Sizes = std::vector<std::int64_t>;

/// Of a tensor, in elements and bytes; operands of larger ones are no kernel.
constexpr std::int64_t most = std::int64_t{1} << 50;

/// The inputs of one operator.
class Inputs {
public:
    explicit Inputs(const RecordedOperator& recorded)
        : dims_(list_of(recorded.dims)),
          types_(list_of(recorded.types)),
          values_(list_of(recorded.values)) {}

    [[nodiscard]] std::size_t size() const { return dims_.size(); }

    /// Empty for what is no tensor, or has no elements.
    [[nodiscard]] Sizes sizes(std::size_t input) const {
        if (input >= dims_.size() || !dims_[input].is_array()) {
            return {};
        }
        Sizes sizes;
        for (const Json& size : dims_[input]) {
            if (!size.is_number_integer() || size.get<double>() < 1 ||
                size.get<double>() > static_cast<double>(most)) {
                return {};
            }
            sizes.push_back(size.get<std::int64_t>());
        }
        return sizes;
    }

    [[nodiscard]] std::string type(std::size_t input) const {
        return input < types_.size() && types_[input].is_string() ? types_[input].get<std::string>()
                                                                  : std::string();
    }

    [[nodiscard]] DataType data_type(std::size_t input) const {
        return chakra::data_type_of_torch(type(input));
    }

    /// "True", "1.0"; empty where it is not given.
    [[nodiscard]] std::string value(std::size_t input) const {
        return input < values_.size() && values_[input].is_string()
                   ? values_[input].get<std::string>()
                   : std::string();
    }

    /// 0 for what is no tensor.
    [[nodiscard]] std::int64_t elements(std::size_t input) const {
        const Sizes sizes = this->sizes(input);
        std::int64_t elements = sizes.empty() ? 0 : 1;
        for (const std::int64_t size : sizes) {
            elements = elements > most / size ? most : elements * size;
        }
        return elements;
    }

    /// 0 for what is no tensor of a known type.
    [[nodiscard]] std::int64_t bytes(std::size_t input) const {
        const std::int64_t width = std::max<std::int64_t>(bytes_of_type(type(input)), 0);
        const std::int64_t count = elements(input);
        return width > 0 && count > most / width ? most : count * width;
    }

private:
    static Json list_of(std::string_view text) {
        Json list = Json::parse(text.begin(), text.end(), nullptr, false);
        return list.is_array() ? list : Json::array();
    }

    Json dims_;
    Json types_;
    Json values_;
};

using MaybeKernel = std::optional<OperatorKernel>;

MaybeKernel product(DataType type, const std::array<std::int64_t, 4>& batch_m_n_k) {
    OperatorKernel result;
    result.kernel.kind = Kernel::Matmul;
    result.kernel.type = type;
    std::copy(batch_m_n_k.begin(), batch_m_n_k.end(), result.kernel.shape.begin());
    return type == DataType::None ? std::nullopt : MaybeKernel(result);
}

/// [m, k] x [k, n], or with a batch in front of both.
MaybeKernel matrices(const Inputs& inputs, std::size_t left) {
    const Sizes a = inputs.sizes(left);
    const Sizes b = inputs.sizes(left + 1);
    const DataType type = inputs.data_type(left);
    if (a.size() == 2 && b.size() == 2 && a[1] == b[0]) {
        return product(type, {1, a[0], b[1], a[1]});
    }
    if (a.size() == 3 && b.size() == 3 && a[0] == b[0] && a[2] == b[1]) {
        return product(type, {a[0], a[1], b[2], a[2]});
    }
    return std::nullopt;
}

/// [..., k] x the transposed [n, k].
MaybeKernel linear(const Inputs& inputs) {
    const Sizes a = inputs.sizes(0);
    const Sizes b = inputs.sizes(1);
    if (a.empty() || b.size() != 2 || a.back() != b[1]) {
        return std::nullopt;
    }
    return product(inputs.data_type(0), {1, inputs.elements(0) / a.back(), b[0], b[1]});
}

/// Where the arguments of an attention operator are.
struct AttentionInputs {
    bool backward = false;
    std::size_t query = 0;     ///< key and value follow
    std::size_t causal = 0;    ///< "True", or a mask's number other than 0
    bool heads_first = false;  ///< [sequences, heads, tokens, channels]; else tokens, heads
};

const std::map<std::string_view, AttentionInputs> attention_operators{
    {"aten::_flash_attention_forward", {false, 0, 8, false}},
    {"aten::_flash_attention_backward", {true, 1, 11, false}},
    {"aten::_efficient_attention_forward", {false, 0, 9, false}},
    {"aten::_efficient_attention_backward", {true, 1, 14, false}},
    {"aten::_cudnn_attention_forward", {false, 0, 10, true}},
    {"aten::_cudnn_attention_backward", {true, 1, 14, true}},
    {"aten::_scaled_dot_product_cudnn_attention", {false, 0, 6, true}},
    {"aten::_scaled_dot_product_cudnn_attention_backward", {true, 1, 14, true}},
    {"flash_attn::_flash_attn_forward", {false, 0, 5, false}},
    {"flash_attn::_flash_attn_backward", {true, 1, 11, false}}};

MaybeKernel attention(const AttentionInputs& at, const Inputs& inputs) {
    const Sizes query = inputs.sizes(at.query);
    const Sizes key = inputs.sizes(at.query + 1);
    const std::string causal = inputs.value(at.causal);
    const DataType type = inputs.data_type(at.query);
    // Packed sequences have no sizes of their own: [tokens, heads, channels].
    if (query.size() != 4 || key.size() != 4 || causal.empty() || type == DataType::None) {
        return std::nullopt;
    }
    const std::size_t heads = at.heads_first ? 1 : 2;
    const std::size_t tokens = at.heads_first ? 2 : 1;
    OperatorKernel result;
    result.kernel.kind = at.backward ? Kernel::AttentionBackward : Kernel::Attention;
    result.kernel.type = type;
    result.kernel.causal = causal != "False" && causal != "0";
    result.kernel.shape = {query[0],      query[heads], key[heads],
                           query[tokens], key[tokens],  query[3]};
    return result;
}

/// What an operator writes that reads all its inputs once.
enum class Result : std::uint8_t {
    New,    ///< a tensor like its largest input
    First,  ///< its first input
    Only    ///< its first input, which is not read
};

struct MemoryOperator {
    Kernel kernel = Kernel::Elementwise;
    Result result = Result::New;
};

const std::map<std::string_view, MemoryOperator> memory_operators{
    {"aten::add", {}},
    {"aten::add_", {Kernel::Elementwise, Result::First}},
    {"aten::sub", {}},
    {"aten::mul", {}},
    {"aten::mul_", {Kernel::Elementwise, Result::First}},
    {"aten::div", {}},
    {"aten::div_", {Kernel::Elementwise, Result::First}},
    {"aten::neg", {}},
    {"aten::gelu", {}},
    {"aten::gelu_backward", {}},
    {"aten::silu", {}},
    {"aten::silu_backward", {}},
    {"aten::relu", {}},
    {"aten::clamp_min", {}},
    {"aten::threshold_backward", {}},
    {"aten::sigmoid", {}},
    {"aten::tanh", {}},
    {"aten::copy_", {Kernel::Copy, Result::Only}},
    {"aten::fill_", {Kernel::Copy, Result::Only}},
    {"aten::zero_", {Kernel::Copy, Result::Only}},
    {"aten::native_layer_norm", {Kernel::Norm, Result::New}},
    {"aten::native_layer_norm_backward", {Kernel::Norm, Result::New}},
    {"aten::_fused_rms_norm", {Kernel::Norm, Result::New}},
    {"aten::_softmax", {Kernel::Softmax, Result::New}},
    {"aten::_softmax_backward_data", {Kernel::Softmax, Result::New}},
    {"aten::_log_softmax", {Kernel::Softmax, Result::New}},
    {"aten::_log_softmax_backward_data", {Kernel::Softmax, Result::New}}};

MaybeKernel memory(const MemoryOperator& one, const Inputs& inputs) {
    std::size_t largest = 0;
    OperatorKernel result;
    for (std::size_t input = 0; input < inputs.size(); ++input) {
        const std::int64_t bytes = inputs.bytes(input);
        if (inputs.elements(input) > 0 && bytes == 0) {
            return std::nullopt;  // a tensor of unknown type
        }
        largest = bytes > inputs.bytes(largest) ? input : largest;
        result.bytes = std::min(result.bytes + bytes, most);
    }
    const std::size_t written = one.result == Result::New ? largest : 0;
    if (one.result != Result::Only) {
        result.bytes = std::min(result.bytes + inputs.bytes(written), most);
    }
    const std::int64_t elements = inputs.elements(written);
    result.kernel.kind = one.kernel;
    result.kernel.type = inputs.data_type(written);
    result.kernel.shape[0] = elements;
    return elements > 0 ? MaybeKernel(result) : std::nullopt;
}

}  // namespace

std::optional<OperatorKernel> operator_kernel(const RecordedOperator& recorded) {
    const std::string_view name = recorded.name;
    if (name == "aten::mm" || name == "aten::bmm" || name == "aten::_scaled_mm") {
        return matrices(Inputs(recorded), 0);
    }
    if (name == "aten::addmm" || name == "aten::baddbmm" || name == "aten::_addmm_activation") {
        return matrices(Inputs(recorded), 1);
    }
    if (name == "aten::linear") {
        return linear(Inputs(recorded));
    }
    if (const auto found = attention_operators.find(name); found != attention_operators.end()) {
        return attention(found->second, Inputs(recorded));
    }
    const auto found = memory_operators.find(name);
    return found == memory_operators.end() ? std::nullopt : memory(found->second, Inputs(recorded));
}

}  // namespace npunet::generators::profiler
