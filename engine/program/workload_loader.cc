#include "engine/program/workload_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "chakra/dependencies/dependency_check.h"
#include "chakra/files/kept_trace.h"
#include "chakra/files/trace_reader.h"
#include "chakra/trace/comm_groups.h"
#include "chakra/trace/trace_set.h"
#include "engine/program/shared_program.h"

namespace npunet::engine {

namespace {

std::vector<Group> read_groups(const std::string& file, std::int32_t ranks) {
    std::vector<Group> groups;
    if (!file.empty()) {
        const chakra::CommGroups named = chakra::read_comm_groups(file);
        chakra::check_comm_groups(named, ranks, file);
        for (const auto& [name, members] : named) {
            groups.push_back({name, members});
        }
    }
    return groups;
}

/// Ranks whose traces have only metadata, ascending.
std::vector<std::int32_t> empty_ranks(const Workload& workload) {
    std::vector<bool> empty;
    for (const RankProgram& program : workload.programs) {
        empty.push_back(
            std::all_of(program.operations.begin(), program.operations.end(),
                        [](const ProgramOperation& operation) { return operation.nothing; }));
    }
    std::vector<std::int32_t> ranks;
    for (std::size_t rank = 0; rank < workload.ranks(); ++rank) {
        if (empty[workload.program_of[rank]]) {
            ranks.push_back(static_cast<std::int32_t>(rank));
        }
    }
    return ranks;
}

const char* plural(const std::vector<std::int32_t>& list) {
    return list.size() == 1 ? "" : "s";
}

/// "0-3, 7"; a long list is cut off.
std::string in_ranges(const std::vector<std::int32_t>& ranks) {
    constexpr std::size_t most_characters = 80;
    std::string text;
    for (std::size_t begin = 0, end = 0; begin < ranks.size(); begin = end) {
        while (end < ranks.size() &&
               ranks[end] - ranks[begin] == static_cast<std::int32_t>(end - begin)) {
            ++end;
        }
        if (text.size() > most_characters) {
            return text + fmt::format(" and {} more", ranks.size() - begin);
        }
        text += fmt::format("{}{}", text.empty() ? "" : ", ", ranks[begin]);
        text += end - begin == 1 ? "" : fmt::format("-{}", ranks[end - 1]);
    }
    return text;
}

class Loader {
public:
    Loader(chakra::TraceSet traces, const std::vector<Group>& groups,
           const WorkloadOptions& options)
        : traces_(std::move(traces)),
          allowed_(allowed_difference(options.issue_order)),
          empty_(options.empty_traces),
          builder_(static_cast<std::size_t>(traces_.ranks), groups, options) {}

    Workload load() {
        for (std::int32_t rank = 0; rank < traces_.ranks; ++rank) {
            if (!add_alike(Rank(rank))) {
                add(Rank(rank));
            }
        }
        Workload workload = builder_.take();
        const std::vector<std::int32_t> empty = empty_ranks(workload);
        if (empty.size() == workload.ranks() && empty_ == EmptyTraces::Refused) {
            throw InputError({traces_.prefix, "",
                              fmt::format("{} trace{} without a node that does anything",
                                          workload.ranks(), plural(empty)),
                              "nodes that compute, communicate or access memory, of one rank at "
                              "least",
                              "Are the traces whole? npunet simulate --allow-empty-ranks runs "
                              "them as they are"});
        }
        if (!empty.empty()) {
            workload.notes.push_back(fmt::format(
                "the trace{} of rank{} {} {} no node that does anything: nothing to simulate there",
                plural(empty), plural(empty), in_ranges(empty),
                empty.size() == 1 ? "has" : "have"));
        }
        return workload;
    }

private:
    /// A rank that was read in full.
    struct Model {
        Rank rank;
        chakra::KeptTrace trace;
        SharedProgram program;
    };
    /// As many as a pipeline has stages. A node takes about 1 KB, with its frame.
    static constexpr std::size_t most_models = 32;
    static constexpr std::size_t most_nodes = std::size_t{1} << 17;

    bool add_alike(Rank rank) {
        const std::filesystem::path path = traces_.path(rank);
        for (auto model = models_.begin(); model != models_.end(); ++model) {
            const auto difference = model->trace.difference(path, allowed_);
            if (difference && builder_.add_alike(model->rank, model->program, model->trace.nodes(),
                                                 *difference, path.string())) {
                models_.splice(models_.begin(), models_, model);  // the next may be like it too
                return true;
            }
        }
        return false;
    }

    void add(Rank rank) {
        const std::filesystem::path path = traces_.path(rank);
        std::vector<chakra::Node> nodes = chakra::read_trace(path);
        chakra::check_dependencies(nodes, path.string(), chakra::FollowedDeps::DataAndCtrl);
        builder_.add(rank, nodes, path.string());
        if (rank.value() + 1 == traces_.ranks || nodes.size() > most_nodes ||
            !can_be_shared(builder_.program(rank))) {
            return;
        }
        SharedProgram program(nodes, builder_.program(rank), builder_.binding(rank).first_id);
        models_.push_front({rank, chakra::KeptTrace(path, std::move(nodes)), std::move(program)});
        nodes_ += models_.front().trace.nodes().size();
        while (models_.size() > most_models || nodes_ > most_nodes) {
            nodes_ -= models_.back().trace.nodes().size();
            models_.pop_back();
        }
    }

    chakra::TraceSet traces_;
    chakra::KeptTrace::Allowed allowed_;
    EmptyTraces empty_;
    WorkloadBuilder builder_;
    std::list<Model> models_;  ///< the one that fitted last comes first
    std::size_t nodes_ = 0;    ///< of their traces
};

}  // namespace

Workload load_workload(const std::string& prefix, const std::string& group_file, std::size_t npus,
                       const WorkloadOptions& options) {
    chakra::TraceSet traces = chakra::find_traces(prefix);
    chakra::check_rank_count(traces, static_cast<std::int32_t>(npus));
    const std::vector<Group> groups = read_groups(group_file, traces.ranks);
    return Loader(std::move(traces), groups, options).load();
}

}  // namespace npunet::engine
