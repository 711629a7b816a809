#include "generators/profiler/operator_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/errors.h"
#include "generators/profiler/communication_call.h"

namespace npunet::generators::profiler {

namespace {

using Json = nlohmann::json;
using profiles::EventCategory;
using profiles::EventId;
using profiles::EventTable;

/// Types of C++, as profiles have them, by PyTorch's names.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> type_names{{
    {"float", "float32"},
    {"double", "float64"},
    {"c10::Half", "float16"},
    {"c10::BFloat16", "bfloat16"},
    {"c10::Float8_e4m3fn", "float8_e4m3fn"},
    {"c10::Float8_e5m2", "float8_e5m2"},
    {"long int", "int64"},
    {"long", "int64"},
    {"int", "int32"},
    {"short int", "int16"},
    {"short", "int16"},
    {"signed char", "int8"},
    {"unsigned char", "uint8"},
    {"bool", "bool"},
}};

/// "[8,4]"; empty for what are no sizes, and for none.
std::string sizes_text(const Json& sizes) {
    std::string text;
    for (const Json& size : sizes) {
        if (!size.is_number_integer()) {
            return "";
        }
        text += fmt::format("{}{}", text.empty() ? "[" : ",", size.get<std::int64_t>());
    }
    return text.empty() ? text : text + "]";
}

/// "([8,4],[])", of tensors without dimensions, too; empty where one has no sizes.
std::string list_text(const Json& list) {
    std::string text;
    for (const Json& one : list) {
        const bool scalar = one.is_array() && one.empty();
        const std::string sizes = scalar ? "[]" : one.is_array() ? sizes_text(one) : "";
        if (sizes.empty()) {
            return "";
        }
        text += (text.empty() ? "(" : ",") + sizes;
    }
    return text + ")";
}

bool is_list(const Json& dims) {
    return !dims.empty() && dims[0].is_array();
}

/// What a GPU computes or moves in its own memory.
bool is_local_work(const EventTable& table, EventId event) {
    const std::string_view name = table.name_of(event);
    const auto has = [name](std::string_view part) {
        return name.find(part) != std::string_view::npos;
    };
    return is_gpu_work(table.category[event]) && table.collective_of(event) == nullptr &&
           !is_communication_kernel(name) && !has("HtoD") && !has("DtoH");
}

}  // namespace

std::string inputs_text(std::string_view dims_text, std::string_view types_text) {
    const Json dims = Json::parse(dims_text.begin(), dims_text.end(), nullptr, false);
    const Json types = Json::parse(types_text.begin(), types_text.end(), nullptr, false);
    if (!dims.is_array() || !types.is_array() || dims.size() != types.size()) {
        return "";
    }
    std::string text;
    for (std::size_t input = 0; input < dims.size(); ++input) {
        if (!dims[input].is_array() || dims[input].empty()) {
            continue;
        }
        std::string one = is_list(dims[input]) ? list_text(dims[input]) : sizes_text(dims[input]);
        if (!one.empty() && !is_list(dims[input])) {
            const std::string type =
                types[input].is_string() ? types[input].get<std::string>() : "";
            const auto* const known =
                std::find_if(type_names.begin(), type_names.end(),
                             [&type](const auto& pair) { return pair.first == type; });
            one = known == type_names.end() ? "" : std::string(known->second) + one;
        }
        if (one.empty()) {
            return "";
        }
        text += (text.empty() ? "" : " ") + one;
    }
    return text;
}

OperatorNest::OperatorNest(const EventTable& table) {
    constexpr const char* remedy =
        "Profile with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA] and "
        "record_shapes=True (Megatron-LM: --pytorch-profiler-collect-shapes)";
    if (table.operators.empty()) {
        throw InputError({table.file, "", "a profile without the shapes of operators' inputs",
                          "a profile of PyTorch with them", remedy});
    }
    struct Place {
        EventId event;
        std::size_t row;  ///< of the operators; their number for those without shapes
    };
    std::vector<Place> places;
    for (EventId event = 0; event < table.size(); ++event) {
        if (table.category[event] == EventCategory::CpuOp) {
            const profiles::OperatorArgs* const row = EventTable::row_of(table.operators, event);
            places.push_back({event, row == nullptr
                                         ? table.operators.size()
                                         : static_cast<std::size_t>(row - table.operators.data())});
        }
    }
    std::sort(places.begin(), places.end(), [&table](const Place& a, const Place& b) {
        const auto key = [&table](EventId event) {
            return std::tuple(table.start_ns[event], -table.duration_ns[event], event);
        };
        return key(a.event) < key(b.event);
    });
    std::unordered_map<std::int64_t, std::int32_t> by_id;
    std::unordered_map<std::uint32_t, std::vector<std::int32_t>> open;  // by track
    std::vector<std::int64_t> ends;
    for (const Place& place : places) {
        const auto number = static_cast<std::int32_t>(calls_.size());
        std::vector<std::int32_t>& around = open[table.track[place.event]];
        while (!around.empty() &&
               ends[static_cast<std::size_t>(around.back())] <= table.start_ns[place.event]) {
            around.pop_back();
        }
        Call call;
        call.name = table.name_of(place.event);
        call.within = around.empty() ? -1 : around.back();
        if (place.row < table.operators.size()) {
            const profiles::OperatorArgs& row = table.operators[place.row];
            call.inputs =
                inputs_text(table.strings[row.input_dims], table.strings[row.input_types]);
        }
        calls_.push_back(std::move(call));
        ends.push_back(table.end_ns(place.event));
        around.push_back(number);
        if (table.external_id[place.event] > 0) {
            by_id.try_emplace(table.external_id[place.event], number);
        }
    }
    bool any = false;
    for (EventId event = 0; event < table.size(); ++event) {
        const auto call = by_id.find(table.external_id[event]);
        if (call != by_id.end() && is_local_work(table, event)) {
            calls_[static_cast<std::size_t>(call->second)].own_ns += table.duration_ns[event];
            any = true;
        }
    }
    if (!any) {
        throw InputError({table.file, "", "no work of a GPU that operators launched",
                          "a profile of PyTorch on a GPU", remedy});
    }
}

OperatorTimes OperatorNest::times(const std::set<std::string>& names) const {
    std::vector<std::size_t> owner(calls_.size());
    std::vector<std::int64_t> ns(calls_.size(), 0);
    std::vector<bool> counts(calls_.size(), false);
    for (std::size_t call = 0; call < calls_.size(); ++call) {
        const auto within = static_cast<std::size_t>(std::max(calls_[call].within, 0));
        const bool inside = calls_[call].within >= 0 && counts[owner[within]];
        owner[call] = inside ? owner[within] : call;
        counts[call] = !inside && names.count(calls_[call].name) > 0;
        ns[owner[call]] += calls_[call].own_ns;
    }
    OperatorTimes result;
    for (std::size_t call = 0; call < calls_.size(); ++call) {
        if (counts[call] && ns[call] > 0) {
            result[calls_[call].name][calls_[call].inputs].push_back(ns[call]);
        }
    }
    return result;
}

}  // namespace npunet::generators::profiler
