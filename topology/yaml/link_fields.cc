#include "topology/yaml/link_fields.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

#include "base/units.h"

namespace npunet::topology {

namespace {

std::vector<YamlField> values_for(const YamlField& field, const std::vector<std::string>& places) {
    if (!field.is_list()) {
        return std::vector<YamlField>(places.size(), field);
    }
    std::vector<YamlField> items = field.items();
    if (items.size() != places.size()) {
        field.refuse(field.found(), fmt::format("one value, or a list of {}: [{}]", places.size(),
                                                joined(places)));
    }
    return items;
}

}  // namespace

Bandwidth bandwidth_at(const YamlField& field, GigaByte gigabyte) {
    const double giga = gigabyte == GigaByte::Decimal ? 1e9 : 1073741824.0;
    const char* expected =
        "a bandwidth above 0 and at most 1000 TB/s: a number of GB/s, or a rate such as 400Gbps";
    const char* remedy = "A plain number counts in GB/s; for bytes per second write 1000000000B/s";
    const std::string& text = field.text(expected);
    if (const std::optional<double> number = field.number()) {
        const double rate = *number * giga;
        if (rate > static_cast<double>(most_link_rate)) {
            field.refuse(field.found(), expected, remedy);
        }
        if (!(rate >= 0.5)) {
            field.refuse(field.found(), expected);
        }
        return {Rate(std::llround(rate)), *number};
    }
    const Rate rate = parse_rate(text, field.where());
    if (rate.bytes_per_second() > most_link_rate) {
        field.refuse(field.found(), expected, remedy);
    }
    return {rate, static_cast<double>(rate.bytes_per_second()) / giga};
}

Latency latency_at(const YamlField& field) {
    const char* expected = "a latency from 0 to 1000 s: a number of ns, or a time such as 2us";
    const std::string& text = field.text(expected);
    if (const std::optional<double> number = field.number()) {
        if (*number < 0 || *number > most_latency_ns) {
            field.refuse(field.found(), expected);
        }
        return {Time::ps(std::llround(*number * 1000)), *number};
    }
    const Time time = parse_time(text, field.where());
    const double ns = static_cast<double>(time.ps()) / 1000;
    if (ns > most_latency_ns) {
        field.refuse(field.found(), expected);
    }
    return {time, ns};
}

std::vector<LinkSpeed> link_speeds_at(const YamlField& section, GigaByte gigabyte,
                                      const std::vector<std::string>& places) {
    const auto bandwidths = values_for(section.at("bandwidth"), places);
    const auto latencies = values_for(section.at("latency"), places);
    std::vector<LinkSpeed> speeds;
    for (std::size_t i = 0; i < places.size(); ++i) {
        speeds.push_back(
            {bandwidth_at(bandwidths[i], gigabyte).rate, latency_at(latencies[i]).time});
    }
    return speeds;
}

}  // namespace npunet::topology
