#include <cstdint>
#include <limits>

#include "topology/yaml/link_fields.h"
#include "topology/yaml/network_sections.h"

namespace npunet::topology {

std::optional<ReducingSwitch> reduces_at(const YamlField& field, const UnknownKeys& unknown) {
    ReducingSwitch limits;
    if (!field.is_map()) {
        return one_of(field, {"true", "false"}) == "true" ? std::optional(limits) : std::nullopt;
    }
    check_keys(field, {"unit", "entries", "latency", "rate", "radix", "groups"}, unknown);
    const auto count_at = [&](const char* key, std::int64_t least, const char* meaning) {
        const auto value = field.find(key);
        return value ? std::optional(static_cast<std::int32_t>(
                           value->whole(least, std::numeric_limits<std::int32_t>::max(), meaning)))
                     : std::nullopt;
    };
    constexpr std::int64_t most_unit = std::int64_t{1} << 30;
    if (const auto unit = field.find("unit")) {
        limits.unit = unit->size(128, most_unit);
    }
    if (const auto latency = field.find("latency")) {
        limits.latency = latency_at(*latency).time;
    }
    if (const auto rate = field.find("rate")) {
        limits.rate = bandwidth_at(*rate, GigaByte::Decimal).rate;
    }
    limits.entries =
        count_at("entries", 1, "how many reductions at a time").value_or(limits.entries);
    limits.radix = count_at("radix", 2, "how many parts a sum may have").value_or(limits.radix);
    limits.groups =
        count_at("groups", 0, "for how many communicators it reduces").value_or(limits.groups);
    return limits;
}

}  // namespace npunet::topology
