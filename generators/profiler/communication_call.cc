#include "generators/profiler/communication_call.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace npunet::generators::profiler {

namespace {

using chakra::CollectiveType;

/// Lower case letters and digits alone.
std::string plain(std::string_view text) {
    std::string letters;
    for (const char c : text) {
        if (c >= 'A' && c <= 'Z') {
            letters += static_cast<char>(c - 'A' + 'a');
        } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
            letters += c;
        }
    }
    return letters;
}

/// Longer names before those that they contain.
constexpr std::array<std::pair<std::string_view, CollectiveType>, 10> collectives = {
    {{"reducescatter", CollectiveType::ReduceScatter},
     {"allreduce", CollectiveType::AllReduce},
     {"allgather", CollectiveType::AllGather},
     {"alltoall", CollectiveType::AllToAll},
     {"broadcast", CollectiveType::Broadcast},
     {"barrier", CollectiveType::Barrier},
     {"gather", CollectiveType::Gather},
     {"scatter", CollectiveType::Scatter},
     {"reduce", CollectiveType::Reduce},
     {"bcast", CollectiveType::Broadcast}}};

constexpr std::array<std::pair<std::string_view, std::int64_t>, 26> types = {
    {{"byte", 1},          {"char", 1},    {"bool", 1},     {"signedchar", 1},  {"unsignedchar", 1},
     {"int8", 1},          {"uint8", 1},   {"short", 2},    {"shortint", 2},    {"int16", 2},
     {"half", 2},          {"c10half", 2}, {"bfloat16", 2}, {"c10bfloat16", 2}, {"float16", 2},
     {"int", 4},           {"int32", 4},   {"float", 4},    {"float32", 4},     {"long", 8},
     {"longint", 8},       {"int64", 8},   {"double", 8},   {"float64", 8},     {"complexfloat", 8},
     {"complexdouble", 16}}};

/// The number behind "->" or "<-" of "nccl:send 0->1".
std::int64_t peer_of(std::string_view name) {
    const std::size_t arrow = std::min(name.find("->"), name.find("<-"));
    if (arrow == std::string_view::npos) {
        return unknown;
    }
    std::int64_t peer = unknown;
    std::from_chars(name.data() + arrow + 2, name.data() + name.size(), peer);
    return peer;
}

/// Calls visitor(first, last) for each item of a list in brackets.
template <class Visitor>
void for_each_item(std::string_view list, const Visitor& visitor) {
    const std::size_t begin = list.find('[');
    const std::size_t end = list.rfind(']');
    if (begin == std::string_view::npos || end == std::string_view::npos || end <= begin) {
        return;
    }
    int depth = 0;
    std::size_t item = begin + 1;
    for (std::size_t at = begin + 1; at <= end; ++at) {
        const char c = list[at];
        if (at == end || (c == ',' && depth == 0)) {
            const std::string_view text = list.substr(item, at - item);
            if (text.find_first_not_of(" \t\n") != std::string_view::npos) {
                visitor(text);
            }
            item = at + 1;
        } else {
            depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        }
    }
}

std::int64_t tensor_elements(std::string_view shape) {
    std::int64_t elements = 1;
    for (const std::int64_t size : numbers_of(shape)) {
        if (__builtin_mul_overflow(elements, std::max<std::int64_t>(size, 0), &elements)) {
            return 0;
        }
    }
    return elements;
}

/// Of a tensor, a list of tensors, or a scalar.
std::int64_t operand_elements(std::string_view operand) {
    const std::size_t bracket = operand.find('[');
    if (bracket == std::string_view::npos || operand.find('[', bracket + 1) == operand.npos) {
        return tensor_elements(operand);
    }
    std::int64_t elements = 0;
    for_each_item(operand, [&](std::string_view tensor) {
        const std::int64_t more = tensor_elements(tensor);
        elements = more > std::numeric_limits<std::int64_t>::max() - elements ? 0 : elements + more;
    });
    return elements;
}

}  // namespace

bool name_call(std::string_view name, CommunicationCall& call) {
    const std::string letters = plain(name);
    const auto found = std::find_if(collectives.begin(), collectives.end(), [&](const auto& one) {
        return letters.find(one.first) != std::string::npos;
    });
    const bool sends = letters.find("send") != std::string::npos;
    const bool receives =
        letters.find("recv") != std::string::npos || letters.find("receive") != std::string::npos;
    if (found != collectives.end()) {
        call.kind = CallKind::Collective;
        call.collective = found->second;
        return true;
    }
    if (sends == receives) {
        return false;
    }
    call.kind = sends ? CallKind::Send : CallKind::Receive;
    if (const std::int64_t peer = peer_of(name); peer != unknown) {
        call.peer = peer;
    }
    return true;
}

std::int64_t bytes_of_type(std::string_view type) {
    if (type.starts_with("Tensor(") && type.ends_with(')')) {
        type = type.substr(7, type.size() - 8);
    }
    const std::string letters = plain(type);
    if (letters.find("float8") != std::string::npos) {
        return 1;
    }
    const auto* found = std::find_if(types.begin(), types.end(),
                                     [&](const auto& one) { return one.first == letters; });
    return found == types.end() ? unknown : found->second;
}

bool is_communication_kernel(std::string_view name) {
    const auto has = [&](std::string_view part) {
        return name.find(part) != std::string_view::npos;
    };
    return has("nccl") || has("rccl") || has("mccl") || has("msccl");
}

std::int64_t comm_size(const CommunicationCall& call, std::int64_t members) {
    const auto either = [](std::int64_t bytes, std::int64_t otherwise) {
        return bytes >= 0 ? bytes : otherwise;
    };
    const bool countable = call.out_bytes >= 0 && members > 0 &&
                           call.out_bytes <= std::numeric_limits<std::int64_t>::max() / members;
    const std::int64_t whole = countable ? call.out_bytes * members : unknown;
    const std::int64_t part = countable ? call.out_bytes / members : unknown;
    switch (call.kind) {
        case CallKind::Send:
            return either(call.in_bytes, call.out_bytes);
        case CallKind::Receive:
            return either(call.out_bytes, call.in_bytes);
        case CallKind::Unknown:
            return unknown;
        case CallKind::Collective:
            break;
    }
    switch (call.collective) {
        case CollectiveType::Barrier:
            return 0;
        case CollectiveType::AllGather:
        case CollectiveType::Gather:
            return either(call.in_bytes, part);
        case CollectiveType::ReduceScatter:
        case CollectiveType::ReduceScatterBlock:
            return either(call.in_bytes, whole);
        case CollectiveType::Scatter:
            return std::max(call.in_bytes, whole);
        default:
            return either(call.in_bytes, call.out_bytes);
    }
}

std::vector<std::int64_t> numbers_of(std::string_view list) {
    std::vector<std::int64_t> numbers;
    bool whole = list.find("...") == std::string_view::npos;
    for_each_item(list, [&](std::string_view item) {
        const std::size_t begin = item.find_first_not_of(" \t\n");
        std::int64_t number = 0;
        const auto [end, error] =
            std::from_chars(item.data() + begin, item.data() + item.size(), number);
        whole = whole && error == std::errc();
        numbers.push_back(number);
    });
    return whole ? numbers : std::vector<std::int64_t>();
}

std::vector<std::int64_t> elements_of(std::string_view dims) {
    std::vector<std::int64_t> elements;
    for_each_item(dims, [&](std::string_view item) { elements.push_back(operand_elements(item)); });
    return elements;
}

std::vector<std::string_view> texts_of(std::string_view list) {
    std::vector<std::string_view> texts;
    for (std::size_t begin = list.find('"'); begin != std::string_view::npos;) {
        const std::size_t end = list.find('"', begin + 1);
        if (end == std::string_view::npos) {
            break;
        }
        texts.push_back(list.substr(begin + 1, end - begin - 1));
        begin = list.find('"', end + 1);
    }
    return texts;
}

}  // namespace npunet::generators::profiler
