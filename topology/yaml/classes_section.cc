#include "topology/yaml/network_sections.h"

#include <fmt/format.h>

namespace npunet::topology {

namespace {

void read_arbitration(const YamlField& field, TrafficClasses& classes) {
    const std::string expected =
        fmt::format("strict, or a list of {} whole weights, one a class", classes.count);
    if (!field.is_list()) {
        if (!field.is_text() || field.text(expected) != "strict") {
            field.refuse(field.found(), expected, "For example: [3, 1]");
        }
        return;
    }
    const std::vector<YamlField> weights = field.items();
    if (weights.size() != classes.count) {
        field.refuse(field.found(), expected);
    }
    for (const YamlField& weight : weights) {
        classes.weights.push_back(
            static_cast<std::uint8_t>(weight.whole(1, TrafficClasses::most_weight, "a weight")));
    }
}

}  // namespace

void read_classes(const YamlField& section, const UnknownKeys& unknown,
                  NetworkDescription& network) {
    TrafficClasses& classes = network.packet.classes;
    if (const auto field = section.find("classes")) {
        classes.count =
            static_cast<std::uint8_t>(field->whole(1, TrafficClasses::most, "traffic classes"));
    }
    if (const auto field = section.find("class_arbitration")) {
        read_arbitration(*field, classes);
    }
    if (const auto field = section.find("class_of")) {
        check_keys(*field, communication_names(), unknown);
        for (std::size_t kind = 0; kind < communications; ++kind) {
            if (const auto number = field->find(communication_names()[kind])) {
                classes.class_of[kind] = static_cast<std::uint8_t>(
                    number->whole(0, classes.count - 1, "a class below `classes`"));
            }
        }
    }
}

}  // namespace npunet::topology
