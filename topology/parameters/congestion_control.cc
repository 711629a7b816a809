#include "topology/parameters/congestion_control.h"

#include "topology/parameters/congestion_parameters.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace npunet::topology {

namespace {

CongestionControlChoice choice_of(CongestionAlgorithm algorithm,
                                  double CongestionParameter::*preset) {
    CongestionControlChoice choice;
    choice.algorithm = algorithm;
    for (const CongestionParameter& parameter : parameters_of(algorithm)) {
        choice.values.push_back(parameter.*preset);
    }
    return choice;
}

}  // namespace

CongestionControlChoice standard_choice(CongestionAlgorithm algorithm) {
    return choice_of(algorithm, &CongestionParameter::standard);
}

CongestionControlChoice paper_choice(CongestionAlgorithm algorithm) {
    CongestionControlChoice choice = choice_of(algorithm, &CongestionParameter::paper);
    choice.scaled = false;
    return choice;
}

double value_of(const CongestionControlChoice& choice, std::string_view key) {
    const std::vector<CongestionParameter>& parameters = parameters_of(choice.algorithm);
    const auto found =
        std::find_if(parameters.begin(), parameters.end(),
                     [&](const CongestionParameter& parameter) { return parameter.key == key; });
    assert(found != parameters.end());
    return choice.values[static_cast<std::size_t>(found - parameters.begin())];
}

const std::vector<std::string>& congestion_algorithm_names() {
    static const std::vector<std::string> names{"none",  "dcqcn", "hpcc",           "timely",
                                                "swift", "dctcp", "receiver-credit"};
    return names;
}

const std::string& name_of(CongestionAlgorithm algorithm) {
    return congestion_algorithm_names()[static_cast<std::size_t>(algorithm)];
}

std::string name_of(const CongestionControlChoice& choice) {
    return choice.custom ? choice.custom->name() : name_of(choice.algorithm);
}

CongestionNeeds needs_of(const CongestionControlChoice& choice) {
    CongestionNeeds needs;
    switch (choice.algorithm) {
        case CongestionAlgorithm::Dcqcn:
            needs.notification_interval = std::llround(choice.values[DcqcnParameter::cnp_interval]);
            break;
        case CongestionAlgorithm::Hpcc:
            needs.telemetry = true;
            break;
        case CongestionAlgorithm::Dctcp:
            needs.echo = true;
            break;
        case CongestionAlgorithm::Custom:
            return choice.custom->needs();
        case CongestionAlgorithm::None:
        case CongestionAlgorithm::Timely:
        case CongestionAlgorithm::Swift:
        case CongestionAlgorithm::ReceiverCredit:
            break;
    }
    return needs;
}

bool looks_at_marks(const CongestionControlChoice& choice) {
    const CongestionNeeds needs = needs_of(choice);
    return needs.echo || needs.notification_interval > 0;
}

std::optional<CongestionAlgorithm> congestion_algorithm_named(std::string_view name) {
    const std::vector<std::string>& names = congestion_algorithm_names();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        return std::nullopt;
    }
    return static_cast<CongestionAlgorithm>(found - names.begin());
}

}  // namespace npunet::topology
