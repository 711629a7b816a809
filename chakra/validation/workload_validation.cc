#include "chakra/validation/workload_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "base/errors.h"
#include "chakra/trace/comm_groups.h"
#include "chakra/validation/rank_comparison.h"
#include "chakra/validation/rank_validation.h"
#include "chakra/validation/validated_groups.h"

namespace npunet::chakra {

namespace {

class WorkloadValidation {
public:
    explicit WorkloadValidation(const ValidationInput& input) : input_(input) {}

    ValidationResult run() {
        const std::optional<CommGroups> file = read_groups();
        if (file) {
            check_absent_ranks(*file);
        }
        ValidatedGroups groups(file);
        std::vector<RankResult> results;
        for (std::size_t i = 0; i < input_.traces.size(); ++i) {
            results.push_back(validate_rank(input_.traces[i].path, context(i),
                                            {input_.followed, input_.schema}, groups,
                                            result_.findings));
            result_.nodes += results.back().nodes;
        }
        check_work(results);
        if (file && !file->empty() && input_.whole_workload) {
            check_ungrouped_ranks(*file, results);
        }
        const std::vector<ComparedRank> ranks = compared(results);
        match_messages(ranks, result_.findings);
        match_collectives(ranks, groups, result_.findings);
        return std::move(result_);
    }

private:
    std::optional<CommGroups> read_groups() {
        if (input_.groups.empty()) {
            return std::nullopt;
        }
        try {
            return read_comm_groups(input_.groups);
        } catch (const InputError& error) {
            result_.findings.add(Severity::Error, FindingCode::MalformedGroups, no_trace, {},
                                 [&] { return std::string(error.what()); });
            return std::nullopt;
        }
    }

    [[nodiscard]] NodeContext context(std::size_t trace) const {
        return {static_cast<TraceNumber>(trace), input_.traces[trace].rank,
                input_.whole_workload ? static_cast<std::int32_t>(input_.traces.size()) : -1};
    }

    /// Of part of a workload it is only worth knowing that not all ranks are compared.
    void check_absent_ranks(const CommGroups& groups) {
        std::vector<Rank> present;
        for (const TraceFile& trace : input_.traces) {
            if (trace.rank.valid()) {
                present.push_back(trace.rank);
            }
        }
        std::sort(present.begin(), present.end());
        for (const auto& [name, members] : groups) {
            std::vector<Rank> absent;
            std::copy_if(members.begin(), members.end(), std::back_inserter(absent),
                         [&](Rank rank) {
                             return !std::binary_search(present.begin(), present.end(), rank);
                         });
            if (!absent.empty() && (input_.whole_workload || absent.size() < members.size())) {
                report_absent(name, absent);
            }
        }
    }

    void report_absent(const std::string& name, const std::vector<Rank>& absent) {
        const bool whole = input_.whole_workload;
        result_.findings.add(
            whole ? Severity::Error : Severity::Info, FindingCode::AbsentRank, no_trace, {}, [&] {
                return fmt::format(
                    "communicator '{}' has rank {}{}, of which there is no trace{}", name,
                    absent.front().value(),
                    absent.size() == 1 ? std::string()
                                       : fmt::format(" and {} more", absent.size() - 1),
                    whole ? fmt::format(" (there are {}). Do traces and communicator-group file "
                                        "belong together?",
                                        input_.traces.size())
                          : " here; what it runs is not compared. Name the traces of all ranks");
            });
    }

    /// A workload with nothing to simulate is an error unless explicitly allowed.
    void check_work(const std::vector<RankResult>& results) {
        const bool none = std::all_of(results.begin(), results.end(), [](const RankResult& rank) {
            return rank.whole && rank.working_nodes == 0;
        });
        if (none && input_.whole_workload) {
            result_.findings.add(Severity::Error, FindingCode::EmptyTrace, no_trace, {}, [&] {
                return fmt::format(
                    "no node of the {} trace{} does anything. Are they whole? npunet simulate "
                    "--allow-empty-ranks runs them as they are",
                    results.size(), results.size() == 1 ? "" : "s");
            });
        }
    }

    /// A rank that does nothing need not be in a group, nor any where the file has none.
    void check_ungrouped_ranks(const CommGroups& groups, const std::vector<RankResult>& results) {
        std::set<Rank> grouped;
        for (const auto& [name, members] : groups) {
            grouped.insert(members.begin(), members.end());
        }
        std::vector<Rank> ungrouped;
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (results[i].nodes > 0 && grouped.count(input_.traces[i].rank) == 0) {
                ungrouped.push_back(input_.traces[i].rank);
            }
        }
        if (ungrouped.empty()) {
            return;
        }
        const Rank first = *std::min_element(ungrouped.begin(), ungrouped.end());
        result_.findings.add(Severity::Warning, FindingCode::UngroupedRank, no_trace, {}, [&] {
            return fmt::format(
                "rank {}{} in no group of the communicator-group file. Do traces and "
                "communicator-group file belong together?",
                first.value(),
                ungrouped.size() == 1 ? std::string(" is")
                                      : fmt::format(" and {} more are", ungrouped.size() - 1));
        });
    }

    [[nodiscard]] std::vector<ComparedRank> compared(const std::vector<RankResult>& results) const {
        std::vector<ComparedRank> ranks;
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (input_.traces[i].rank.valid() && results[i].whole) {
                ranks.push_back({input_.traces[i].rank, static_cast<TraceNumber>(i),
                                 &results[i].communication});
            }
        }
        std::sort(ranks.begin(), ranks.end(),
                  [](const ComparedRank& a, const ComparedRank& b) { return a.rank < b.rank; });
        return ranks;
    }

    const ValidationInput& input_;
    ValidationResult result_;
};

}  // namespace

ValidationResult validate_traces(const ValidationInput& input) {
    return WorkloadValidation(input).run();
}

}  // namespace npunet::chakra
