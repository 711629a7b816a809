#include "study/sweep/outcome.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace npunet::study {

namespace {

using nlohmann::json;

Figures figures_of(const engine::NpuResult& npu) {
    return {npu.finish, npu.compute, npu.communication, npu.exposed_communication, npu.peak_memory};
}

json as_json(const Figures& figures) {
    return {figures.finish.ps(), figures.compute.ps(), figures.communication.ps(),
            figures.exposed_communication.ps(), figures.peak_memory.value()};
}

Figures figures_of(const json& list) {
    return {Time::ps(list.at(0)), Time::ps(list.at(1)), Time::ps(list.at(2)), Time::ps(list.at(3)),
            Bytes(list.at(4).get<std::int64_t>())};
}

}  // namespace

Outcome outcome_of(const engine::Results& results) {
    Outcome outcome;
    for (const engine::NpuResult& npu : results.npus) {
        const Figures figures = figures_of(npu);
        Figures& largest = outcome.largest;
        if (&npu == &results.npus.front()) {
            outcome.first = figures;
        }
        if (&npu == &results.npus.front() || npu.finish > outcome.slowest.finish) {
            outcome.slowest = {npu.rank.value(),          npu.finish,         npu.compute,
                               npu.exposed_communication, npu.exposed_memory, npu.idle};
        }
        largest.finish = std::max(largest.finish, figures.finish);
        largest.compute = std::max(largest.compute, figures.compute);
        largest.communication = std::max(largest.communication, figures.communication);
        largest.exposed_communication =
            std::max(largest.exposed_communication, figures.exposed_communication);
        largest.peak_memory = std::max(largest.peak_memory, figures.peak_memory);
    }
    return outcome;
}

Outcome failed(std::string failure, std::string message) {
    Outcome outcome;
    outcome.failure = std::move(failure);
    outcome.message = std::move(message);
    return outcome;
}

std::string outcome_line(const Outcome& outcome) {
    json line;
    if (outcome.ok()) {
        const SlowestRank& slowest = outcome.slowest;
        line = {as_json(outcome.first), as_json(outcome.largest),
                json{slowest.rank, slowest.finish.ps(), slowest.compute.ps(),
                     slowest.exposed_communication.ps(), slowest.exposed_memory.ps(),
                     slowest.idle.ps()}};
    } else {
        line = {outcome.failure, outcome.message};
    }
    return line.dump(-1, ' ', true, json::error_handler_t::replace);
}

std::optional<Outcome> read_outcome(std::string_view text) {
    try {
        const json line = json::parse(text);
        if (line.size() == 2) {
            return failed(line.at(0), line.at(1));
        }
        Outcome outcome;
        outcome.first = figures_of(line.at(0));
        outcome.largest = figures_of(line.at(1));
        const json& slowest = line.at(2);
        outcome.slowest = {slowest.at(0),           Time::ps(slowest.at(1)),
                           Time::ps(slowest.at(2)), Time::ps(slowest.at(3)),
                           Time::ps(slowest.at(4)), Time::ps(slowest.at(5))};
        return outcome;
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

}  // namespace npunet::study
