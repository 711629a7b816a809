#include "profiles/event_table.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

namespace npunet::profiles {

namespace {

constexpr std::array<std::pair<std::string_view, std::int64_t>, 28> dtypes = {
    {{"Byte", 1},           {"Char", 1},          {"Bool", 1},          {"Short", 2},
     {"Half", 2},           {"BFloat16", 2},      {"Int", 4},           {"Float", 4},
     {"Long", 8},           {"Double", 8},        {"ComplexHalf", 4},   {"ComplexFloat", 8},
     {"ComplexDouble", 16}, {"UInt16", 2},        {"UInt32", 4},        {"UInt64", 8},
     {"float", 4},          {"double", 8},        {"int", 4},           {"long", 8},
     {"long int", 8},       {"signed char", 1},   {"unsigned char", 1}, {"bool", 1},
     {"c10::Half", 2},      {"c10::BFloat16", 2}, {"short int", 2},     {"short", 2}}};

bool blank(char c) {
    return c == ' ' || c == '\t';
}

}  // namespace

std::string Damage::first_text() const {
    if (first.empty()) {
        return {};
    }
    const Place& place = first.front();
    return place.line == 0 ? fmt::format(", first {}", place.what)
                           : fmt::format(", first at line {} (byte {}): {}", place.line, place.byte,
                                         place.what);
}

std::optional<std::int64_t> element_bytes(std::string_view dtype) {
    if (dtype.starts_with("Float8")) {
        return 1;
    }
    const auto* known = std::find_if(dtypes.begin(), dtypes.end(),
                                     [&](const auto& one) { return one.first == dtype; });
    return known == dtypes.end() ? std::nullopt : std::optional(known->second);
}

std::optional<std::vector<std::int32_t>> ranks_of(std::string_view text) {
    while (!text.empty() && blank(text.back())) {
        text.remove_suffix(1);
    }
    if (text.size() < 2 || text.front() != '[' || text.back() != ']') {
        return std::nullopt;
    }
    const char* at = text.data() + 1;
    const char* const end = text.data() + text.size() - 1;
    std::vector<std::int32_t> ranks;
    while (at != end) {
        while (at != end && (blank(*at) || *at == ',')) {
            ++at;
        }
        if (at == end) {
            break;
        }
        std::int32_t rank = 0;
        const auto [after, error] = std::from_chars(at, end, rank);
        if (error != std::errc()) {
            return std::nullopt;
        }
        ranks.push_back(rank);
        at = after;
    }
    return ranks;
}

}  // namespace npunet::profiles
