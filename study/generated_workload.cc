#include "study/generated_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "study/parallel_dimensions.h"

namespace npunet::study {

namespace {

using generators::GeneratedWorkload;

/// How the slots of a role's program came from the slots of its first rank's binding.
struct RoleProgram {
    Rank first;
    /// By slot of the program: the generator's slots that stood for the same group or rank.
    std::vector<std::vector<std::size_t>> groups;
    std::vector<std::vector<std::size_t>> peers;
};

/// Of the kinds of groups of the generators.
std::optional<engine::Parallelism> dimension_of_kind(const std::string& kind) {
    using engine::Parallelism;
    static const std::map<std::string, Parallelism> kinds{
        {"tensor", Parallelism::Tensor},        {"expert-tensor", Parallelism::Tensor},
        {"context", Parallelism::Context},      {"sequence", Parallelism::Context},
        {"expert", Parallelism::Expert},        {"expert-block", Parallelism::Expert},
        {"embedding", Parallelism::Pipeline},   {"gradient", Parallelism::Data},
        {"expert-gradient", Parallelism::Data}, {"data", Parallelism::Data}};
    const auto found = kinds.find(kind);
    return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

/// The places at which `value` stands.
template <class Value>
std::vector<std::size_t> places_of(const std::vector<Value>& values, const Value& value) {
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < values.size(); ++place) {
        if (values[place] == value) {
            places.push_back(place);
        }
    }
    return places;
}

/// What stands in the program's slots for another rank; nothing where generator's slots that were
/// one for the first rank are not, so that the rank needs a program of its own.
template <class Value>
std::optional<std::vector<Value>> rebound(const std::vector<std::vector<std::size_t>>& slots,
                                          const std::vector<Value>& values) {
    std::vector<Value> result;
    for (const std::vector<std::size_t>& places : slots) {
        const Value value = values[places.front()];
        if (std::any_of(places.begin(), places.end(),
                        [&](std::size_t place) { return values[place] != value; }) ||
            std::find(result.begin(), result.end(), value) != result.end()) {
            return std::nullopt;
        }
        result.push_back(value);
    }
    return result;
}

class Loader {
public:
    Loader(const GeneratedWorkload& generated, const engine::WorkloadOptions& options)
        : generated_(generated),
          by_id_(options.issue_order == engine::IssueOrder::HashWalk),
          builder_(static_cast<std::size_t>(generated.rank_count()), groups(), options) {
        for (const generators::Role& role : generated.roles()) {
            // Messages that are numbered apart do not move with the ids of the rank.
            varies_.push_back(std::any_of(role.nodes.begin(), role.nodes.end(),
                                          [](const generators::NodeTemplate& node) {
                                              return node.varying >= 0 ||
                                                     node.id_space != generators::IdSpace::Rank;
                                          }) ||
                              std::any_of(role.tensors.begin(), role.tensors.end(),
                                          [](const generators::TensorTemplate& tensor) {
                                              return tensor.varying >= 0;
                                          }));
        }
    }

    engine::Workload load() {
        for (std::int32_t rank = 0; rank < generated_.rank_count(); ++rank) {
            if (!add_like_first(Rank(rank))) {
                add(Rank(rank));
            }
        }
        return builder_.take();
    }

private:
    [[nodiscard]] std::vector<engine::Group> groups() const {
        std::vector<engine::Group> list;
        for (const generators::RankGroup& group : generated_.groups()) {
            list.push_back({group.id, group.ranks});
        }
        return list;
    }

    /// Ranks of a role share a program where nothing else differs: amounts, tags, some of the ids.
    [[nodiscard]] bool shares(const generators::RankBinding& binding) const {
        return !by_id_ && !varies_[static_cast<std::size_t>(binding.role)] &&
               binding.first_tag == 0;
    }

    void add(Rank rank) {
        builder_.add(rank, generated_.nodes(rank),
                     fmt::format("generated trace of rank {}", rank.value()));
        const generators::RankBinding& binding = generated_.binding(rank);
        if (!shares(binding) || known_.count(binding.role) != 0) {
            return;
        }
        RoleProgram role;
        role.first = rank;
        for (const std::int32_t group : builder_.binding(rank).groups) {
            role.groups.push_back(places_of(binding.groups, group));
        }
        for (const Rank peer : builder_.binding(rank).peers) {
            role.peers.push_back(places_of(binding.peers, peer));
        }
        known_.emplace(binding.role, std::move(role));
    }

    [[nodiscard]] bool add_like_first(Rank rank) {
        const generators::RankBinding& binding = generated_.binding(rank);
        const auto role = known_.find(binding.role);
        if (role == known_.end() || !shares(binding)) {
            return false;
        }
        auto groups = rebound(role->second.groups, binding.groups);
        auto peers = rebound(role->second.peers, binding.peers);
        if (!groups || !peers) {
            return false;
        }
        const std::uint64_t first_id = builder_.binding(role->second.first).first_id +
                                       binding.first_id -
                                       generated_.binding(role->second.first).first_id;
        builder_.add_like(role->second.first, {std::move(*groups), std::move(*peers), first_id});
        return true;
    }

    const GeneratedWorkload& generated_;
    bool by_id_;
    std::vector<bool> varies_;  ///< by role: amounts, tensors or ids differ from rank to rank
    engine::WorkloadBuilder builder_;
    std::map<std::int32_t, RoleProgram> known_;
};

}  // namespace

engine::Workload workload_from(const GeneratedWorkload& generated,
                               const engine::WorkloadOptions& options) {
    engine::Workload workload = Loader(generated, options).load();
    std::map<std::string, engine::Parallelism> known;
    for (const generators::RankGroup& group : generated.groups()) {
        if (const auto dimension = dimension_of_kind(group.kind)) {
            known.emplace(group.id, *dimension);
        }
    }
    mark_dimensions(workload, known);
    return workload;
}

}  // namespace npunet::study
