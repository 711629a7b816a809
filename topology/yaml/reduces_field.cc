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
    check_keys(field, {"unit", "entries", "latency"}, unknown);
    constexpr std::int64_t most_unit = std::int64_t{1} << 30;
    if (const auto unit = field.find("unit")) {
        limits.unit = unit->size(128, most_unit);
    }
    if (const auto entries = field.find("entries")) {
        limits.entries = static_cast<std::int32_t>(entries->whole(
            1, std::numeric_limits<std::int32_t>::max(), "how many reductions at a time"));
    }
    if (const auto latency = field.find("latency")) {
        limits.latency = latency_at(*latency).time;
    }
    return limits;
}

}  // namespace npunet::topology
