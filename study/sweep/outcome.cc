#include "study/sweep/outcome.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "study/run_notes.h"

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

/// The whole number at a place of a list. Throws json::exception for whatever else stands there, a
/// fraction or a number beyond 64 bits included.
std::int64_t whole(const json& list, std::size_t place) {
    return list.at(place).get_ref<const json::number_integer_t&>();
}

Figures figures_of(const json& list) {
    return {Time::ps(whole(list, 0)), Time::ps(whole(list, 1)), Time::ps(whole(list, 2)),
            Time::ps(whole(list, 3)), Bytes(whole(list, 4))};
}

json as_json(const engine::StepRates& rates) {
    return {rates.tokens_per_s, rates.samples_per_s,    rates.model_tflops_per_npu,
            rates.mfu_percent,  rates.mfu_palm_percent, rates.peak_tflops_per_npu,
            rates.peak_source};
}

engine::StepRates rates_of(const json& list) {
    return {list.at(0).get<double>(),     list.at(1).get<double>(), list.at(2).get<double>(),
            list.at(3).get<double>(),     list.at(4).get<double>(), list.at(5).get<double>(),
            list.at(6).get<std::string>()};
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
            for (const engine::Parallelism dimension : engine::parallelism_by_precedence) {
                if (npu.dimensions != nullptr) {
                    outcome.slowest.exposed_by_dimension[static_cast<std::size_t>(dimension)] =
                        (*npu.dimensions)[dimension].exposed;
                }
            }
        }
        largest.finish = std::max(largest.finish, figures.finish);
        largest.compute = std::max(largest.compute, figures.compute);
        largest.communication = std::max(largest.communication, figures.communication);
        largest.exposed_communication =
            std::max(largest.exposed_communication, figures.exposed_communication);
        largest.peak_memory = std::max(largest.peak_memory, figures.peak_memory);
        if (npu.memory_capacity > Bytes(0) && npu.peak_memory > Bytes(0)) {
            const Bytes spare = npu.memory_capacity - npu.peak_memory;
            outcome.spare_memory = std::min(outcome.spare_memory.value_or(spare), spare);
        }
    }
    outcome.link_bound = results.link_bound.time;
    outcome.beats_link_bound = beats_link_bound(results);
    outcome.rates = results.rates;
    return outcome;
}

std::optional<bool> fits_memory(const Outcome& outcome, const std::optional<Bytes>& limit) {
    if (!outcome.spare_memory) {
        return std::nullopt;
    }
    return *outcome.spare_memory >= Bytes(0) || (limit && outcome.largest.peak_memory <= *limit);
}

std::string note_of(const Outcome& outcome) {
    return outcome.beats_link_bound ? "finishes before its busiest link could carry its bytes" : "";
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
                     slowest.idle.ps()},
                json{outcome.link_bound.ps(), outcome.beats_link_bound ? 1 : 0}};
        line[3].push_back(outcome.spare_memory ? json(outcome.spare_memory->value())
                                               : json(nullptr));
        for (const Time exposed : slowest.exposed_by_dimension) {
            line[2].push_back(exposed.ps());
        }
        if (outcome.rates) {
            line.push_back(as_json(*outcome.rates));
        }
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
        outcome.slowest = {whole(slowest, 0),           Time::ps(whole(slowest, 1)),
                           Time::ps(whole(slowest, 2)), Time::ps(whole(slowest, 3)),
                           Time::ps(whole(slowest, 4)), Time::ps(whole(slowest, 5))};
        for (std::size_t i = 0; i < outcome.slowest.exposed_by_dimension.size(); ++i) {
            outcome.slowest.exposed_by_dimension[i] = Time::ps(whole(slowest, 6 + i));
        }
        outcome.link_bound = Time::ps(whole(line.at(3), 0));
        outcome.beats_link_bound = whole(line.at(3), 1) != 0;
        if (!line.at(3).at(2).is_null()) {
            outcome.spare_memory = Bytes(whole(line.at(3), 2));
        }
        if (line.size() > 4) {
            outcome.rates = rates_of(line.at(4));
        }
        return outcome;
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

}  // namespace npunet::study
