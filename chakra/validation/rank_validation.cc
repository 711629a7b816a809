#include "chakra/validation/rank_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "chakra/dependencies/cycle_text.h"
#include "chakra/dependencies/trace_order.h"
#include "chakra/files/trace_reader.h"

namespace npunet::chakra {

namespace {

using Place = DependencyGraph::Place;

/// A cycle of a thousand nodes is no better understood than its beginning.

template <class Record>
using Placed = std::vector<std::pair<Place, Record>>;

/// The records in the order of their nodes' numbers.
template <class Record>
std::vector<Record> in_order(Placed<Record> placed, const std::vector<Place>& number) {
    std::sort(placed.begin(), placed.end(),
              [&](const auto& a, const auto& b) { return number[a.first] < number[b.first]; });
    std::vector<Record> records;
    records.reserve(placed.size());
    for (auto& [place, record] : placed) {
        records.push_back(record);
    }
    return records;
}

class RankValidation {
public:
    RankValidation(const NodeContext& context, const RankReading& reading, ValidatedGroups& groups,
                   FindingList& findings)
        : trace_(context.trace),
          reading_(reading),
          findings_(findings),
          nodes_(context, groups, findings) {}

    RankResult run(const std::filesystem::path& path) {
        RankResult result;
        result.whole = read(path);
        result.nodes = graph_.nodes();
        result.working_nodes = working_nodes_;
        graph_.resolve();
        if (result.whole && result.nodes == 0) {
            check_empty();
        }
        check_ids();
        if (result.whole) {  // else whatever is missing stands in the part that is lost
            check_dangling();
        }
        check_repeated();
        check_self();
        check_cycles();
        if (nodes_.named_groups()) {
            report(Severity::Info, FindingCode::UncheckedGroups, {}, [] {
                return std::string(
                    "collectives name communicators, but no communicator-group file was given; "
                    "--comm-group checks them");
            });
        }
        result.communication = communication();
        return result;
    }

private:
    template <class Message>
    void report(Severity severity, FindingCode code, std::optional<std::uint64_t> node,
                Message&& message) {
        findings_.add(severity, code, trace_, node, std::forward<Message>(message));
    }

    /// Errors where the dependency holds a node back, warnings where it is not followed.
    [[nodiscard]] Severity severity_of(DependencyKind kind) const {
        return kind == DependencyKind::Data || reading_.followed == FollowedDeps::DataAndCtrl
                   ? Severity::Error
                   : Severity::Warning;
    }

    /// False when the file could not be read to its end.
    bool read(const std::filesystem::path& path) {
        try {
            TraceReader reader(path, {reading_.schema, UnknownNodeTypes::Keep});
            has_beginning_ = reader.has_metadata() || reader.format().json;
            Node node;
            while (reader.next(node)) {
                add(node);
            }
            return true;
        } catch (const InputError& error) {
            const InputProblem& problem = error.problem();
            report(Severity::Error, FindingCode::MalformedTrace, {}, [&] {
                return fmt::format("{}{}{}; expected {}. {}", problem.place,
                                   problem.place.empty() ? "" : ": ", problem.found,
                                   problem.expected, problem.remedy);
            });
            return false;
        }
    }

    void add(const Node& node) {
        const auto place = static_cast<Place>(graph_.nodes());
        graph_.add(node);
        nodes_.check(node);
        working_nodes_ += node.type == NodeType::Metadata || node.type == NodeType::Invalid ? 0 : 1;
        if (nodes_.message()) {
            messages_.emplace_back(place, *nodes_.message());
        } else if (nodes_.collective()) {
            collectives_.emplace_back(place, *nodes_.collective());
        }
    }

    // A rank without work has a trace with a beginning; 0 bytes may be a failed copy.
    void check_empty() {
        report(has_beginning_ ? Severity::Info : Severity::Warning, FindingCode::EmptyTrace, {},
               [&] {
                   return std::string(has_beginning_
                                          ? "a trace without nodes: the rank does nothing"
                                          : "a file of 0 bytes, decompressed if it is gzip. Copy "
                                            "or generate it again");
               });
    }

    void check_ids() {
        for (const IdIndex::Duplicate& duplicate : graph_.index().duplicates()) {
            const std::uint64_t id = graph_.id_of(duplicate.second);
            report(Severity::Error, FindingCode::DuplicateId, id, [&] {
                return fmt::format(
                    "the id of two nodes, the {}. and the {}. of the trace. Generate the trace "
                    "again",
                    duplicate.first + std::uint64_t{1}, duplicate.second + std::uint64_t{1});
            });
        }
    }

    void check_dangling() {
        for (const DependencyGraph::Dependency& dependency : graph_.dangling()) {
            const std::uint64_t id = graph_.id_of(dependency.node);
            if (dependency.kind == DependencyKind::Data) {
                report(Severity::Error, FindingCode::DanglingDependency, id, [&] {
                    return fmt::format(
                        "a data dependency on node {}, which the trace does not have. The trace "
                        "is incomplete; generate it again",
                        dependency.on);
                });
            } else {
                report(Severity::Warning, FindingCode::DanglingControlDependency, id, [&] {
                    return fmt::format(
                        "a control dependency on node {}, which the trace does not have; it "
                        "counts as satisfied. Correct what writes the trace",
                        dependency.on);
                });
            }
        }
        report_rest(Severity::Error, FindingCode::DanglingDependency,
                    graph_.counts(DependencyKind::Data).dangling);
        report_rest(Severity::Warning, FindingCode::DanglingControlDependency,
                    graph_.counts(DependencyKind::Ctrl).dangling);
    }

    void check_repeated() {
        for (const DependencyGraph::Dependency& dependency : graph_.repeated()) {
            const bool data = dependency.kind == DependencyKind::Data;
            report(Severity::Warning, FindingCode::DuplicateDependency,
                   graph_.id_of(dependency.node), [&] {
                       return fmt::format(
                           "a {} dependency on node {} more than once; some simulators wait for "
                           "ever. Name it once",
                           data ? "data" : "control", dependency.on);
                   });
        }
        for (const DependencyKind kind : {DependencyKind::Data, DependencyKind::Ctrl}) {
            report_rest(Severity::Warning, FindingCode::DuplicateDependency,
                        graph_.counts(kind).repeated);
        }
    }

    void check_self() {
        for (const DependencyGraph::Dependency& dependency : graph_.self()) {
            const bool data = dependency.kind == DependencyKind::Data;
            report(severity_of(dependency.kind), FindingCode::SelfDependency,
                   graph_.id_of(dependency.node), [&] {
                       return fmt::format("a {} dependency on itself. Generate the trace again",
                                          data ? "data" : "control");
                   });
        }
        for (const DependencyKind kind : {DependencyKind::Data, DependencyKind::Ctrl}) {
            report_rest(severity_of(kind), FindingCode::SelfDependency, graph_.counts(kind).self);
        }
    }

    /// Those of a sort that the graph has counted and not kept.
    void report_rest(Severity severity, FindingCode code, std::uint64_t count) {
        constexpr std::uint64_t kept = DependencyGraph::kept;
        static_assert(kept >= FindingList::kept);
        findings_.add_unkept(severity, code, trace_, count - std::min(count, kept));
    }

    // A knot that needs control dependencies is of interest where data alone do not tie it.
    void check_cycles() {
        std::vector<bool> tied(graph_.nodes(), false);
        for (const std::vector<Place>& cycle : graph_.cycles(FollowedDeps::Data)) {
            report_cycle(cycle, DependencyKind::Data);
            for (const Place node : cycle) {
                tied[node] = true;
            }
        }
        for (const std::vector<Place>& cycle : graph_.cycles(FollowedDeps::DataAndCtrl)) {
            if (std::none_of(cycle.begin(), cycle.end(), [&](Place node) { return tied[node]; })) {
                report_cycle(cycle, DependencyKind::Ctrl);
            }
        }
    }

    void report_cycle(const std::vector<Place>& cycle, DependencyKind kind) {
        const std::uint64_t first = graph_.id_of(cycle.front());
        report(severity_of(kind), FindingCode::CyclicDependency, first, [&] {
            return cycle_text(
                       cycle.size(),
                       [&](std::size_t i) { return std::to_string(graph_.id_of(cycle[i])); },
                       kind == DependencyKind::Data ? "" : " through control dependencies") +
                   ". Generate the trace again";
        });
    }

    RankCommunication communication() {
        RankCommunication result;
        if (messages_.empty() && collectives_.empty()) {
            return result;
        }
        // Control dependencies are there for the order, where they can be kept.
        const FollowedDeps kept = graph_.acyclic(FollowedDeps::DataAndCtrl)
                                      ? FollowedDeps::DataAndCtrl
                                      : reading_.followed;
        const std::vector<Place> order = trace_order(graph_, kept);
        std::vector<Place> number(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            number[order[i]] = static_cast<Place>(i);
        }
        result.messages = in_order(std::move(messages_), number);
        result.collectives = in_order(std::move(collectives_), number);
        return result;
    }

    TraceNumber trace_;
    RankReading reading_;
    FindingList& findings_;
    NodeValidation nodes_;
    bool has_beginning_ = false;  // metadata, or the braces of JSON
    std::uint64_t working_nodes_ = 0;
    DependencyGraph graph_;
    Placed<MessageRecord> messages_;
    Placed<CollectiveRecord> collectives_;
};

}  // namespace

RankResult validate_rank(const std::filesystem::path& path, const NodeContext& context,
                         const RankReading& reading, ValidatedGroups& groups,
                         FindingList& findings) {
    return RankValidation(context, reading, groups, findings).run(path);
}

}  // namespace npunet::chakra
