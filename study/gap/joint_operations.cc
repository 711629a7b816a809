#include "study/gap/joint_operations.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace npunet::study {

namespace {

using engine::OperationKind;
using engine::ProgramOperation;
using engine::RankProgram;
using engine::Workload;

void add_collectives(const Workload& workload, std::vector<JointOperation>& list) {
    std::map<std::pair<std::size_t, std::size_t>, JointOperation> by_group_and_number;
    for (std::size_t rank = 0; rank < workload.ranks(); ++rank) {
        const RankProgram& program = workload.program(Rank(rank));
        for (const std::vector<std::uint32_t>& slot : program.collectives_of) {
            for (std::size_t k = 0; k < slot.size(); ++k) {
                const std::size_t group =
                    workload.group_of(Rank(rank), program.operations[slot[k]]);
                if (workload.groups[group].ranks.size() >= 2) {
                    by_group_and_number[{group, k}].parts.push_back({Rank(rank), slot[k]});
                }
            }
        }
    }
    std::vector<std::size_t> member_of(workload.ranks());  // of `group`
    std::size_t group = workload.groups.size();
    for (auto& [key, communication] : by_group_and_number) {
        if (key.first != group) {
            group = key.first;
            const std::vector<Rank>& ranks = workload.groups[group].ranks;
            for (std::size_t member = 0; member < ranks.size(); ++member) {
                member_of[ranks[member].index()] = member;
            }
        }
        communication.collective = true;
        std::sort(communication.parts.begin(), communication.parts.end(),
                  [&member_of](Place a, Place b) {
                      return member_of[a.rank.index()] < member_of[b.rank.index()];
                  });
        list.push_back(std::move(communication));
    }
}

using Channel = std::tuple<std::int32_t, std::int32_t, std::int64_t>;  // source, destination, tag

void add_messages(const Workload& workload, const RunTimes& times,
                  std::vector<JointOperation>& list) {
    std::map<Channel, std::vector<Place>> sends;
    std::map<Channel, std::vector<Place>> receives;
    for (std::size_t rank = 0; rank < workload.ranks(); ++rank) {
        const RankProgram& program = workload.program(Rank(rank));
        for (std::uint32_t number = 0; number < program.operations.size(); ++number) {
            const ProgramOperation& operation = program.operations[number];
            const bool sends_it = operation.kind == OperationKind::Send;
            if (operation.nothing || (!sends_it && operation.kind != OperationKind::Receive)) {
                continue;
            }
            const std::int32_t peer = workload.peer_of(Rank(rank), operation).value();
            const Place place{Rank(rank), number};
            if (sends_it) {
                sends[{place.rank.value(), peer, operation.tag}].push_back(place);
            } else {
                receives[{peer, place.rank.value(), operation.tag}].push_back(place);
            }
        }
    }
    const auto earlier = [&times](Place a, Place b) {
        return std::pair(times.of(a).start, a.number) < std::pair(times.of(b).start, b.number);
    };
    for (auto& [channel, from] : sends) {
        std::vector<Place>& to = receives[channel];
        std::sort(from.begin(), from.end(), earlier);
        std::sort(to.begin(), to.end(), earlier);
        for (std::size_t k = 0; k < from.size(); ++k) {
            JointOperation message;
            message.parts.push_back(from[k]);
            if (k < to.size()) {
                message.parts.push_back(to[k]);
            }
            list.push_back(std::move(message));
        }
    }
}

}  // namespace

RunTimes times_of(const engine::Simulation& simulation) {
    RunTimes times;
    for (const engine::RankRecord& record : simulation.records()) {
        std::vector<Span>& spans = times.spans.emplace_back(record.start.size());
        for (std::size_t i = 0; i < spans.size(); ++i) {
            spans[i] = {record.start[i], record.end[i]};
        }
        times.finish = std::max(times.finish, record.finish);
    }
    return times;
}

Time JointOperation::start(const RunTimes& times) const {
    Time first = Time::max();
    for (const Place part : parts) {
        first = std::min(first, times.of(part).start);
    }
    return first;
}

Time JointOperation::last_start(const RunTimes& times) const {
    Time last;
    for (const Place part : parts) {
        last = std::max(last, times.of(part).start);
    }
    return last;
}

Time JointOperation::end(const RunTimes& times) const {
    Time last;
    for (const Place part : parts) {
        last = std::max(last, times.of(part).end);
    }
    return last;
}

std::vector<Time> JointOperation::starts(const RunTimes& times) const {
    std::vector<Time> list;
    for (const Place part : parts) {
        list.push_back(times.of(part).start);
    }
    return list;
}

std::vector<JointOperation> find_joint_operations(const Workload& workload, const RunTimes& times) {
    std::vector<JointOperation> list;
    add_collectives(workload, list);
    add_messages(workload, times, list);
    const auto key = [&times](const JointOperation& communication) {
        Place lowest = communication.parts.front();
        for (const Place part : communication.parts) {
            lowest = part.rank < lowest.rank ? part : lowest;
        }
        return std::tuple(communication.start(times), lowest.rank.value(), lowest.number);
    };
    std::sort(list.begin(), list.end(),
              [&key](const JointOperation& a, const JointOperation& b) { return key(a) < key(b); });
    return list;
}

}  // namespace npunet::study
