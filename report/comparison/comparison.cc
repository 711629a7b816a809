#include "report/comparison/comparison.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "report/results/npu_summary.h"
#include "report/tables.h"

namespace npunet::report {

namespace {

using engine::Results;

int detail_of(std::string_view fidelity) {
    if (fidelity == "analytical") {
        return 0;
    }
    return fidelity == "packet" ? 3 : fidelity == "fluid" ? 2 : 1;
}

double divide(double dividend, double divisor) {
    return divisor == 0 ? std::numeric_limits<double>::quiet_NaN() : dividend / divisor;
}

double divide(Time dividend, Time divisor) {
    return divide(static_cast<double>(dividend.ps()), static_cast<double>(divisor.ps()));
}

std::vector<ClassComparison> compare_classes(const std::vector<Results>& runs,
                                             const Comparison& chosen) {
    std::map<std::int32_t, ClassComparison> by_number;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        for (NpuClass& members : npu_classes(runs[run])) {
            ClassComparison& compared = by_number[members.number];
            compared.number = members.number;
            compared.ranks = std::move(members.ranks);
            compared.slowest.resize(runs.size());
            compared.slowest[run] = members.slowest;
        }
    }
    std::vector<ClassComparison> classes;
    for (auto& [number, compared] : by_number) {
        const engine::NpuResult* most = compared.slowest[chosen.most_detailed];
        const engine::NpuResult* least = compared.slowest[chosen.least_detailed];
        assert(most != nullptr && least != nullptr && "the runs must be of one workload");
        compared.ratio = divide(most->finish, least->finish);
        classes.push_back(std::move(compared));
    }
    return classes;
}

std::map<std::string, CollectiveTotal> totals_of(const Results& results) {
    // Thousands of long collectives add up to more than 2^63 ps.
    __extension__ using Wide = __int128;
    std::map<std::string, Wide> sums;
    std::map<std::string, CollectiveTotal> totals;
    for (const engine::CollectiveResult& collective : results.collectives) {
        Wide& sum = sums[collective.type];
        sum += (collective.end - collective.first_start).ps();
        CollectiveTotal& total = totals[collective.type];
        ++total.count;
        total.total_ps = static_cast<double>(sum);
    }
    return totals;
}

std::vector<CollectiveComparison> compare_collectives(const std::vector<Results>& runs,
                                                      const Comparison& chosen) {
    std::map<std::string, std::vector<CollectiveTotal>> by_type;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        for (const auto& [type, total] : totals_of(runs[run])) {
            by_type.try_emplace(type, runs.size()).first->second[run] = total;
        }
    }
    std::vector<CollectiveComparison> collectives;
    for (auto& [type, totals] : by_type) {
        const double quotient =
            divide(totals[chosen.most_detailed].total_ps, totals[chosen.least_detailed].total_ps);
        collectives.push_back({type, std::move(totals), quotient});
    }
    return collectives;
}

/// Runs on one network list its links in the same order; names alone do not tell parallel links.
const engine::LinkResult* same_link(const Results& results, std::size_t index,
                                    const engine::LinkResult& link) {
    if (index >= results.links.size()) {
        return nullptr;
    }
    const engine::LinkResult& candidate = results.links[index];
    return candidate.from == link.from && candidate.to == link.to ? &candidate : nullptr;
}

std::vector<LinkComparison> compare_links(const std::vector<Results>& runs,
                                          const Comparison& chosen, std::size_t count) {
    const Results& detailed = runs[chosen.most_detailed];
    std::vector<LinkComparison> links;
    for (const std::size_t index : hot_links(detailed, count)) {
        LinkComparison compared;
        for (const Results& results : runs) {
            compared.runs.push_back(same_link(results, index, detailed.links[index]));
        }
        links.push_back(std::move(compared));
    }
    return links;
}

}  // namespace

Comparison compare(const std::vector<Results>& runs, std::size_t most_links) {
    assert(runs.size() >= 2 && "a comparison needs two runs");
    Comparison comparison;
    comparison.by_detail.resize(runs.size());
    std::iota(comparison.by_detail.begin(), comparison.by_detail.end(), std::size_t{0});
    std::stable_sort(comparison.by_detail.begin(), comparison.by_detail.end(),
                     [&runs](std::size_t a, std::size_t b) {
                         return detail_of(runs[a].fidelity) < detail_of(runs[b].fidelity);
                     });
    comparison.least_detailed = comparison.by_detail.front();
    comparison.most_detailed = comparison.by_detail.back();
    comparison.ratio =
        finish_ratio(runs[comparison.most_detailed], runs[comparison.least_detailed]);
    comparison.classes = compare_classes(runs, comparison);
    comparison.collectives = compare_collectives(runs, comparison);
    comparison.hot_links = compare_links(runs, comparison, most_links);
    return comparison;
}

double finish_ratio(const Results& more, const Results& less) {
    return divide(more.finish, less.finish);
}

}  // namespace npunet::report
