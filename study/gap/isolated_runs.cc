#include "study/gap/isolated_runs.h"

#include <algorithm>

#include "base/errors.h"

namespace npunet::study {

namespace {

using engine::ProgramOperation;
using engine::RankProgram;

RankProgram idle_program() {
    RankProgram program;
    program.child_begin = {0};
    return program;
}

/// One operation without dependencies.
RankProgram program_of(const ProgramOperation& operation, const std::string& name,
                       std::size_t slots) {
    RankProgram program;
    program.operations = {operation};
    program.operations.front().dependencies = 0;
    program.names = {name};
    program.child_begin = {0, 0};
    program.first_ready = {0};
    program.collectives_of.resize(slots);
    if (engine::exchanges_messages(operation)) {
        program.collectives = {0};
        program.collectives_of[static_cast<std::size_t>(operation.group)] = {0};
    }
    return program;
}

}  // namespace

IsolatedRuns::IsolatedRuns(const engine::Workload& workload, const Machine& machine,
                           EffectLevels& levels, std::size_t most)
    : workload_(workload),
      levels_(levels),
      shifts_(machine.network.faults.links.empty()),
      left_(most) {
    isolated_.programs = {idle_program()};
    isolated_.program_of.assign(workload.ranks(), 0);
    isolated_.bindings = workload.bindings;
    isolated_.groups = workload.groups;
    isolated_.world = workload.world;
}

IsolatedRuns::Key IsolatedRuns::key_of(EffectLevel level, const JointOperation& communication,
                                       const std::vector<Time>& starts) const {
    Key key{static_cast<std::int64_t>(level)};
    for (const Place part : communication.parts) {
        const ProgramOperation& operation = workload_.program(part.rank).operations[part.number];
        key.push_back(part.rank.value());
        key.push_back(operation.bytes.value());
        if (communication.collective) {
            key.push_back(static_cast<std::int64_t>(workload_.group_of(part.rank, operation)));
            key.push_back(static_cast<std::int64_t>(operation.collective));
            key.push_back(operation.root);
            key.insert(key.end(), operation.sizes.begin(), operation.sizes.end());
        } else {
            key.push_back(workload_.peer_of(part.rank, operation).value());
        }
    }
    for (const Time start : starts) {
        key.push_back(start.ps());
    }
    return key;
}

std::vector<Time> IsolatedRuns::ends(EffectLevel level, const JointOperation& communication,
                                     const std::vector<Time>& starts) {
    const Time shift = shifts_ ? *std::min_element(starts.begin(), starts.end()) : Time();
    std::vector<Time> shifted = starts;
    for (Time& start : shifted) {
        start -= shift;
    }
    const auto [known, is_new] = known_.try_emplace(key_of(level, communication, shifted));
    if (is_new && left_ > 0) {
        --left_;
        known->second = simulate(level, communication, shifted);
    }
    std::vector<Time> ends = known->second;
    for (Time& end : ends) {
        end += shift;
    }
    return ends;
}

void IsolatedRuns::put_in_programs(const JointOperation& communication) {
    isolated_.programs.resize(1);
    for (const Place part : communication.parts) {
        const RankProgram& program = workload_.program(part.rank);
        isolated_.program_of[part.rank.index()] =
            static_cast<std::uint32_t>(isolated_.programs.size());
        isolated_.programs.push_back(
            program_of(program.operations[part.number], program.names[part.number],
                       workload_.bindings[part.rank.index()].groups.size()));
    }
}

std::vector<Time> IsolatedRuns::simulate(EffectLevel level, const JointOperation& communication,
                                         const std::vector<Time>& starts) {
    put_in_programs(communication);
    engine::FixedTimes fixed(workload_.ranks());
    for (std::size_t part = 0; part < starts.size(); ++part) {
        fixed.set(communication.parts[part].rank, 0, starts[part]);
    }
    std::vector<Time> ends;
    try {
        const RunTimes times = levels_.run(isolated_, level, &fixed);
        for (const Place part : communication.parts) {
            ends.push_back(times.of({part.rank, 0}).end);
        }
    } catch (const StallError&) {
        ends.clear();
    }
    for (const Place part : communication.parts) {
        isolated_.program_of[part.rank.index()] = 0;
    }
    return ends;
}

}  // namespace npunet::study
