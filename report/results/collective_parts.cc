#include "report/results/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/units.h"

namespace npunet::report {

namespace {

using engine::Operation;
using engine::OperationKind;

/// The k-th collective of a communicator.
using CollectiveKey = std::pair<std::int32_t, std::size_t>;

struct CollectivePart {
    const Operation* operation;
    CollectiveKey key;
};

/// The k-th collective that a rank starts on a communicator is its part in the k-th of all.
std::vector<CollectivePart> parts_of(const engine::Results& results) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> started;
    std::vector<CollectivePart> parts;
    for (const Operation& operation : results.operations) {
        if (operation.kind == OperationKind::Collective) {
            const std::size_t number = started[{operation.rank.value(), operation.group}]++;
            parts.push_back({&operation, {operation.group, number}});
        }
    }
    return parts;
}

/// Results list collectives by first start, then lowest rank, then communicator, then number. Empty
/// where these are not the ones listed.
std::map<CollectiveKey, std::int64_t> ids_of(const std::vector<CollectivePart>& parts,
                                             const engine::Results& results) {
    std::map<CollectiveKey, std::pair<Time, Rank>> begins;
    for (const CollectivePart& part : parts) {
        const Operation& operation = *part.operation;
        const auto [at, is_new] = begins.try_emplace(part.key, operation.start, operation.rank);
        at->second.first = std::min(at->second.first, operation.start);
        at->second.second = std::min(at->second.second, operation.rank);
    }
    std::vector<std::tuple<Time, Rank, CollectiveKey>> order;
    order.reserve(begins.size());
    for (const auto& [key, begin] : begins) {
        order.emplace_back(begin.first, begin.second, key);
    }
    std::sort(order.begin(), order.end());
    std::map<CollectiveKey, std::int64_t> ids;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (order.size() != results.collectives.size() ||
            std::get<0>(order[i]) != results.collectives[i].first_start) {
            return {};
        }
        ids.emplace(std::get<2>(order[i]), results.collectives[i].id);
    }
    return ids;
}

std::string ranks_of(const engine::Results& results, std::int32_t group) {
    if (group < 0 || static_cast<std::size_t>(group) >= results.groups.size()) {
        return "";
    }
    return blank_separated(results.groups[static_cast<std::size_t>(group)].ranks);
}

}  // namespace

std::string collective_parts_csv(const engine::Results& results) {
    const std::vector<CollectivePart> parts = parts_of(results);
    const std::map<CollectiveKey, std::int64_t> ids = ids_of(parts, results);
    std::string csv = "rank,id,node,name,group,bytes,start_ns,end_ns\n";
    for (const CollectivePart& part : parts) {
        const Operation& operation = *part.operation;
        const auto id = ids.find(part.key);
        fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{}\n", operation.rank.value(),
                       id == ids.end() ? std::string() : std::to_string(id->second), operation.node,
                       csv_field(operation.name), ranks_of(results, operation.group),
                       operation.bytes.value(), format_ns(operation.start),
                       format_ns(operation.end));
    }
    return csv;
}

}  // namespace npunet::report
