#include "topology/parameters/congestion_control.h"

#include <algorithm>
#include <cassert>

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

std::optional<CongestionAlgorithm> congestion_algorithm_named(std::string_view name) {
    const std::vector<std::string>& names = congestion_algorithm_names();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        return std::nullopt;
    }
    return static_cast<CongestionAlgorithm>(found - names.begin());
}

}  // namespace npunet::topology
