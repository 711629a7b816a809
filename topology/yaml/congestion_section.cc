#include "topology/yaml/network_sections.h"

#include <fmt/format.h>

#include <cmath>

#include "base/units.h"

namespace npunet::topology {

namespace {

/// "1.5us", "40Mbps", "10MB": a number of the parameter's unit as it may be written in the file.
std::string written(double value, ParameterUnit unit) {
    switch (unit) {
        case ParameterUnit::Time:
            return value == 0 ? "0" : format_time(Time::ps(std::llround(value)));
        case ParameterUnit::Rate:
            return fmt::format("{:g} Mbps", value * 8 / 1e6);
        case ParameterUnit::Size:
            return fmt::format("{:g} B", value);
        case ParameterUnit::Ratio:
        case ParameterUnit::Count:
        case ParameterUnit::Flag:
            break;
    }
    return fmt::format("{:g}", value);
}

const char* kind_of(ParameterUnit unit) {
    switch (unit) {
        case ParameterUnit::Time:
            return "a time with its unit";
        case ParameterUnit::Rate:
            return "a rate with its unit";
        case ParameterUnit::Size:
            return "a size with its unit";
        case ParameterUnit::Ratio:
            return "a plain number";
        case ParameterUnit::Count:
            return "a whole number";
        case ParameterUnit::Flag:
            break;
    }
    return "true or false";
}

std::string expectation(const CongestionParameter& parameter) {
    if (parameter.unit == ParameterUnit::Flag) {
        return kind_of(parameter.unit);
    }
    return fmt::format("{} from {} to {}", kind_of(parameter.unit),
                       written(parameter.least, parameter.unit),
                       written(parameter.most, parameter.unit));
}

/// The number as it stands, with its unit where it has one; not yet compared with the range.
double number_at(const YamlField& field, const CongestionParameter& parameter) {
    const std::string expected = expectation(parameter);
    const std::string& text = field.text(expected);
    const std::string where = field.where();
    const std::optional<double> plain = field.number();
    switch (parameter.unit) {
        case ParameterUnit::Time:
            return static_cast<double>(parse_time(text, where).ps());
        case ParameterUnit::Rate:
            return static_cast<double>(parse_rate(text, where).bytes_per_second());
        case ParameterUnit::Size:
            // Elsewhere a plain number counts bytes; here every unit is written.
            if (plain) {
                field.refuse(field.found(), expected, "For example: 16KB");
            }
            return static_cast<double>(parse_bytes(text, where).value());
        case ParameterUnit::Flag:
            return one_of(field, {"false", "true"}) == "true" ? 1 : 0;
        case ParameterUnit::Ratio:
        case ParameterUnit::Count:
            break;
    }
    if (!plain || (parameter.unit == ParameterUnit::Count && *plain != std::floor(*plain))) {
        field.refuse(field.found(), expected);
    }
    return *plain;
}

double value_at(const YamlField& field, const CongestionParameter& parameter) {
    const double value = number_at(field, parameter);
    if (value < parameter.least || value > parameter.most) {
        field.refuse(field.found(), expectation(parameter));
    }
    return value;
}

CongestionControlChoice choice_at(const YamlField& section, CongestionAlgorithm algorithm,
                                  const UnknownKeys& unknown) {
    const std::vector<CongestionParameter>& parameters = parameters_of(algorithm);
    std::vector<std::string> keys{"preset"};
    for (const CongestionParameter& parameter : parameters) {
        keys.emplace_back(parameter.key);
    }
    check_keys(section, keys, unknown);
    const auto preset = section.find("preset");
    const bool paper = preset && one_of(*preset, {"standard", "paper"}) == "paper";
    CongestionControlChoice choice = paper ? paper_choice(algorithm) : standard_choice(algorithm);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (const auto field = section.find(parameters[i].key)) {
            choice.values[i] = value_at(*field, parameters[i]);
        }
    }
    return choice;
}

}  // namespace

CongestionControlChoice read_congestion_control(const YamlField& packet,
                                                const UnknownKeys& unknown) {
    const std::vector<std::string>& names = congestion_algorithm_names();
    const auto field = packet.find("congestion_control");
    const std::string chosen = field ? one_of(*field, names) : names.front();
    const CongestionAlgorithm algorithm = *congestion_algorithm_named(chosen);
    CongestionControlChoice choice = standard_choice(algorithm);
    for (const std::string& name : names) {
        const auto section = packet.find(name);
        if (!section || name == names.front()) {
            continue;
        }
        if (name != chosen) {
            section->refuse(
                fmt::format("parameters of {} with congestion_control: {}", name, chosen),
                "parameters of the algorithm that is chosen",
                fmt::format("Leave them out, or use congestion_control: {}", name));
        }
        choice = choice_at(*section, algorithm, unknown);
    }
    return choice;
}

}  // namespace npunet::topology
