#include "engine/simulation/program_digest.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "engine/program/fold.h"

namespace npunet::engine {

namespace {

/// The i-th different pair of slot and tag of one stands where that of the other does.
bool same_channels(const RankProgram& left, const RankProgram& right) {
    using Channel = std::tuple<OperationKind, std::int32_t, std::int64_t>;
    std::map<Channel, std::size_t> left_numbers;
    std::map<Channel, std::size_t> right_numbers;
    const auto number = [](std::map<Channel, std::size_t>& numbers,
                           const ProgramOperation& operation) {
        return numbers
            .emplace(Channel{operation.kind, operation.peer, operation.tag}, numbers.size())
            .first->second;
    };
    for (std::size_t i = 0; i < left.operations.size(); ++i) {
        const ProgramOperation& operation = left.operations[i];
        const bool message =
            operation.kind == OperationKind::Send || operation.kind == OperationKind::Receive;
        if (message && !operation.nothing &&
            number(left_numbers, operation) != number(right_numbers, right.operations[i])) {
            return false;
        }
    }
    return true;
}

/// Equal but for the names of nodes and the tags, which may be renamed one to one.
bool do_the_same(const RankProgram& left, const RankProgram& right) {
    return left.child_begin == right.child_begin && left.children == right.children &&
           left.tensor_begin == right.tensor_begin && left.tensor_uses == right.tensor_uses &&
           left.tensor_bytes == right.tensor_bytes && left.tensor_names == right.tensor_names &&
           left.collectives == right.collectives &&
           std::equal(left.operations.begin(), left.operations.end(), right.operations.begin(),
                      right.operations.end(),
                      [](const ProgramOperation& x, const ProgramOperation& y) {
                          return same_work(x, y) && x.group == y.group && x.root == y.root;
                      }) &&
           same_channels(left, right);
}

/// Fills in same_work_as.
void tell_apart(const std::vector<RankProgram>& programs, std::vector<ProgramDigest>& digests) {
    std::multimap<std::uint64_t, std::uint32_t> known;  // by signature
    for (std::uint32_t number = 0; number < programs.size(); ++number) {
        std::uint32_t& equal = digests[number].same_work_as = number;
        const auto range = known.equal_range(programs[number].signature);
        for (auto entry = range.first; entry != range.second; ++entry) {
            if (do_the_same(programs[entry->second], programs[number])) {
                equal = entry->second;
                break;
            }
        }
        if (equal == number) {
            known.emplace(programs[number].signature, number);
        }
    }
}

void add_messages(const RankProgram& program, ProgramDigest& digest) {
    std::vector<ProgramDigest::Channel> sends;
    std::vector<ProgramDigest::Channel> receives;
    for (const ProgramOperation& operation : program.operations) {
        if (operation.nothing) {
            continue;
        }
        if (operation.kind == OperationKind::Send) {
            sends.emplace_back(operation.peer, operation.tag);
        } else if (operation.kind == OperationKind::Receive) {
            receives.emplace_back(operation.peer, operation.tag);
        }
    }
    digest.sends = Listing(std::move(sends)).values();
    digest.receives = Listing(std::move(receives)).values();
}

void add_collectives(const RankProgram& program, ProgramDigest& digest) {
    std::set<std::tuple<std::int32_t, CollectiveKind, std::int64_t, std::int32_t>> seen;
    for (const std::uint32_t number : program.collectives) {
        const ProgramOperation& operation = program.operations[number];
        // Who has nothing to send in an unequal all-to-all may receive.
        const bool idle = operation.collective != CollectiveKind::Barrier &&
                          operation.sizes.empty() && operation.bytes == Bytes();
        if (!idle &&
            (!operation.sizes.empty() || seen.emplace(operation.group, operation.collective,
                                                      operation.bytes.value(), operation.root)
                                             .second)) {
            digest.collectives.push_back(number);
        }
    }
}

}  // namespace

std::vector<ProgramDigest> digest_programs(const Workload& workload) {
    std::vector<ProgramDigest> digests(workload.programs.size());
    tell_apart(workload.programs, digests);
    for (std::size_t program = 0; program < digests.size(); ++program) {
        add_messages(workload.programs[program], digests[program]);
        add_collectives(workload.programs[program], digests[program]);
    }
    return digests;
}

}  // namespace npunet::engine
