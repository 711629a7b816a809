#include "engine/workload_loader.h"

#include <list>
#include <utility>
#include <vector>

#include "chakra/comm_groups.h"
#include "chakra/dependency_check.h"
#include "chakra/kept_trace.h"
#include "chakra/trace_reader.h"
#include "chakra/trace_set.h"
#include "engine/alike_program.h"

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

class Loader {
public:
    Loader(chakra::TraceSet traces, const std::vector<Group>& groups,
           const WorkloadOptions& options)
        : traces_(std::move(traces)),
          allowed_(allowed_difference(options.issue_order)),
          builder_(static_cast<std::size_t>(traces_.ranks), groups, options) {}

    Workload load() {
        for (std::int32_t rank = 0; rank < traces_.ranks; ++rank) {
            if (!add_alike(Rank(rank))) {
                add(Rank(rank));
            }
        }
        return builder_.take();
    }

private:
    /// A rank that was read in full.
    struct Model {
        Rank rank;
        chakra::KeptTrace trace;
        AlikeProgram program;
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
        AlikeProgram program(nodes, builder_.program(rank), builder_.binding(rank).first_id);
        models_.push_front({rank, chakra::KeptTrace(path, std::move(nodes)), std::move(program)});
        nodes_ += models_.front().trace.nodes().size();
        while (models_.size() > most_models || nodes_ > most_nodes) {
            nodes_ -= models_.back().trace.nodes().size();
            models_.pop_back();
        }
    }

    chakra::TraceSet traces_;
    chakra::KeptTrace::Allowed allowed_;
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
