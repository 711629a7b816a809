#include "generators/megatron/groups/process_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/errors.h"

namespace npunet::generators::megatron {

namespace {

constexpr std::array<std::string_view, group_roles> role_names = {
    "world", "tp",    "cp",     "dp",        "dp-cp",     "pp",
    "tp-pp", "tp-cp", "tp-dp",  "tp-dp-cp",  "embedding", "position-embedding",
    "ep",    "etp",   "etp-ep", "etp-ep-pp", "edp"};

std::size_t index(GroupRole role) {
    return static_cast<std::size_t>(role);
}

std::array<std::int64_t, grid_axes> decoder_sizes(const Parallelism& p) {
    return {p.tp, p.cp, 1, p.dp, p.pp};
}

void check_degree(const char* name, std::int64_t degree) {
    if (degree < 1 || degree > most_ranks) {
        refuse_plan(fmt::format("{} {}", name, degree), fmt::format("1 to {}", most_ranks),
                    fmt::format("Change --{}", name));
    }
}

bool pipelines_agree(const AxisGrid& decoder, const AxisGrid& experts) {
    return decoder.stride(GridAxis::Pipeline) == experts.stride(GridAxis::Pipeline);
}

}  // namespace

void refuse_plan(std::string found, std::string expected, std::string remedy) {
    throw InputError({"plan", "", std::move(found), std::move(expected), std::move(remedy)});
}

std::string_view name_of(GroupRole role) {
    return role_names[index(role)];
}

std::int64_t group_size(const Parallelism& p, GroupRole role) {
    const std::int64_t etp = p.expert_tensor();
    switch (role) {
        case GroupRole::World:
            return p.world();
        case GroupRole::Tensor:
            return p.tp;
        case GroupRole::Context:
            return p.cp;
        case GroupRole::Data:
            return p.dp;
        case GroupRole::DataContext:
            return p.dp * p.cp;
        case GroupRole::Pipeline:
            return p.pp;
        case GroupRole::Model:
            return p.tp * p.pp;
        case GroupRole::TensorContext:
            return p.tp * p.cp;
        case GroupRole::TensorData:
            return p.tp * p.dp;
        case GroupRole::TensorDataContext:
            return p.tp * p.dp * p.cp;
        case GroupRole::Embedding:
            return std::min<std::int64_t>(p.pp, 2);
        case GroupRole::PositionEmbedding:
            return 1;
        case GroupRole::Expert:
            return p.ep;
        case GroupRole::ExpertTensor:
            return etp;
        case GroupRole::TensorExpert:
            return etp * p.ep;
        case GroupRole::TensorExpertPipeline:
            return etp * p.ep * p.pp;
        case GroupRole::ExpertData:
            break;
    }
    return p.world() / (etp * p.ep * p.pp);
}

bool is_of_most_ranks(const Parallelism& p) {
    // Each is at most 2^20, so the product of two is far below 2^63.
    return p.tp * p.cp <= most_ranks && p.tp * p.cp * p.dp <= most_ranks && p.world() <= most_ranks;
}

AxisGrid expert_grid(const Parallelism& p) {
    return {p.rank_order,
            {p.expert_tensor(), 1, p.ep, p.world() / (p.expert_tensor() * p.ep * p.pp), p.pp}};
}

void check_parallelism(const Parallelism& p) {
    check_degree("tp", p.tp);
    check_degree("cp", p.cp);
    check_degree("dp", p.dp);
    check_degree("pp", p.pp);
    check_degree("ep", p.ep);
    check_degree("etp", p.expert_tensor());
    if (!is_of_most_ranks(p)) {
        refuse_plan(fmt::format("tp {} x cp {} x dp {} x pp {}", p.tp, p.cp, p.dp, p.pp),
                    fmt::format("at most {} ranks", most_ranks), "Make one of the four smaller");
    }
    const std::int64_t expert_world = p.expert_tensor() * p.ep;
    if (expert_world > p.world() || p.world() % (expert_world * p.pp) != 0) {
        refuse_plan(fmt::format("etp {} x ep {} x pp {} in a world of {} ranks", p.expert_tensor(),
                                p.ep, p.pp, p.world()),
                    "a product that divides the world", "Change --ep, --etp or --dp");
    }
    const AxisGrid decoder(p.rank_order, decoder_sizes(p));
    const AxisGrid experts = expert_grid(p);
    if (p.pp > 1 && !pipelines_agree(decoder, experts)) {
        refuse_plan(
            fmt::format("stages {} ranks apart by tp, cp, dp and {} by etp, ep",
                        decoder.stride(GridAxis::Pipeline), experts.stride(GridAxis::Pipeline)),
            "the same pipelines for experts as for the rest",
            "Put pp last in --rank-order, or choose --etp and --ep so that as many ranks come "
            "before pp");
    }
}

ProcessGroups::ProcessGroups(const Parallelism& parallelism) : parallelism_(parallelism) {
    check_parallelism(parallelism);
    const AxisGrid decoder(parallelism.rank_order, decoder_sizes(parallelism));
    const AxisGrid experts = expert_grid(parallelism);
    add(GroupRole::World, decoder,
        {GridAxis::Tensor, GridAxis::Context, GridAxis::Data, GridAxis::Pipeline});
    add(GroupRole::Tensor, decoder, {GridAxis::Tensor});
    add(GroupRole::Context, decoder, {GridAxis::Context});
    add(GroupRole::Data, decoder, {GridAxis::Data});
    add(GroupRole::DataContext, decoder, {GridAxis::Context, GridAxis::Data});
    add(GroupRole::Pipeline, decoder, {GridAxis::Pipeline});
    add(GroupRole::Model, decoder, {GridAxis::Tensor, GridAxis::Pipeline});
    add(GroupRole::TensorContext, decoder, {GridAxis::Tensor, GridAxis::Context});
    add(GroupRole::TensorData, decoder, {GridAxis::Tensor, GridAxis::Data});
    add(GroupRole::TensorDataContext, decoder,
        {GridAxis::Tensor, GridAxis::Context, GridAxis::Data});
    add(GroupRole::Expert, experts, {GridAxis::Expert});
    add(GroupRole::ExpertTensor, experts, {GridAxis::Tensor});
    add(GroupRole::TensorExpert, experts, {GridAxis::Tensor, GridAxis::Expert});
    add(GroupRole::TensorExpertPipeline, experts,
        {GridAxis::Tensor, GridAxis::Expert, GridAxis::Pipeline});
    add(GroupRole::ExpertData, experts, {GridAxis::Data});
    add_ends_of_pipelines();
}

void ProcessGroups::add(GroupRole role, const AxisGrid& grid, const std::vector<GridAxis>& axes) {
    const auto ranks = static_cast<std::size_t>(world());
    Groups& groups = roles_[index(role)];
    groups.of_rank.assign(ranks, -1);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (groups.of_rank[rank] < 0) {
            append(groups, grid.group(Rank(rank), axes));
        }
    }
}

void ProcessGroups::add_ends_of_pipelines() {
    for (const GroupRole role : {GroupRole::Embedding, GroupRole::PositionEmbedding}) {
        roles_[index(role)].of_rank.assign(static_cast<std::size_t>(world()), -1);
    }
    for (const std::vector<Rank>& pipeline : all(GroupRole::Pipeline)) {
        std::vector<Rank> ends{pipeline.front()};
        append(roles_[index(GroupRole::PositionEmbedding)], ends);
        if (pipeline.size() > 1) {
            ends.push_back(pipeline.back());
        }
        append(roles_[index(GroupRole::Embedding)], std::move(ends));
    }
}

void ProcessGroups::append(Groups& groups, std::vector<Rank> ranks) {
    for (const Rank rank : ranks) {
        groups.of_rank[rank.index()] = static_cast<std::int32_t>(groups.lists.size());
    }
    groups.lists.push_back(std::move(ranks));
}

const std::vector<std::vector<Rank>>& ProcessGroups::all(GroupRole role) const {
    return roles_[index(role)].lists;
}

const std::vector<Rank>& ProcessGroups::of(GroupRole role, Rank rank) const {
    static const std::vector<Rank> none;
    const Groups& groups = roles_[index(role)];
    const std::int32_t list = groups.of_rank[rank.index()];
    return list < 0 ? none : groups.lists[static_cast<std::size_t>(list)];
}

std::int64_t ProcessGroups::stage(Rank rank) const {
    return place_in(of(GroupRole::Pipeline, rank), rank);
}

std::int64_t ProcessGroups::tensor_place(Rank rank) const {
    return place_in(of(GroupRole::Tensor, rank), rank);
}

std::int64_t ProcessGroups::place_in(const std::vector<Rank>& group, Rank rank) {
    return std::lower_bound(group.begin(), group.end(), rank) - group.begin();
}

}  // namespace npunet::generators::megatron
