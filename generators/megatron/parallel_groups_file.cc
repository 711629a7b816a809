#include "generators/megatron/parallel_groups_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace npunet::generators::megatron {

namespace {

constexpr const char* not_available = "\u26a0\ufe0f Full model groups not available.";

const std::string dashes(50, '-');

std::string number(const std::optional<std::int64_t>& value) {
    return value ? fmt::format("{}", *value) : "N/A";
}

/// The original multiplies tp, ep, pp and cp. Where that is not the number of ranks of a replica,
/// ours has the factors that are.
std::string full_model_of(const Parallelism& p, std::int64_t ranks, GroupsDialect dialect) {
    const std::int64_t product = p.tp * p.ep * p.pp * p.cp;
    if (dialect == GroupsDialect::TraceViz || product == ranks) {
        return fmt::format("TP{} x EP{} x PP{} x CP{} = {} ranks", p.tp, p.ep, p.pp, p.cp, product);
    }
    if (p.tp * p.cp * p.pp == ranks) {
        return fmt::format("TP{} x PP{} x CP{} = {} ranks", p.tp, p.pp, p.cp, ranks);
    }
    return fmt::format("ETP{} x EP{} x PP{} = {} ranks", p.expert_tensor(), p.ep, p.pp, ranks);
}

void add_list(std::string& text, std::size_t group, const std::vector<Rank>& ranks) {
    fmt::format_to(std::back_inserter(text), "Group {}: {}\n", group, text_of(ranks));
}

void add_section(std::string& text, const char* title, const std::optional<RankLists>& lists) {
    text += fmt::format("{}\n{}\n", title, dashes);
    if (!lists || lists->empty()) {
        text += "No groups found.\n\n";
        return;
    }
    for (std::size_t i = 0; i < lists->size(); ++i) {
        add_list(text, i + 1, (*lists)[i]);
    }
    text += fmt::format("Total groups: {}\n\n", lists->size());
}

void add_replicas(std::string& text, const ParallelGroupsFile& file) {
    text += fmt::format(
        "FULL MODEL RANK GROUPS (by DP Rank)\n{}\n"
        "Each DP rank contains ONE complete model replica with ALL shards.\n"
        "Full model = {}\n{}\n",
        dashes, file.full_model, dashes);
    if (!file.replicas) {
        text += fmt::format("{}\n\n", not_available);
        return;
    }
    if (file.replicas->empty()) {
        text += "No full model groups found.\n\n";
        return;
    }
    for (std::size_t i = 0; i < file.replicas->size(); ++i) {
        add_list(text, i, (*file.replicas)[i]);
    }
    text += fmt::format("\nTotal model replicas (DP): {}\n", file.replicas->size());
}

void add_head(std::string& text, const ParallelGroupsFile& file) {
    const std::string rule(80, '=');
    text += fmt::format("{}\nMEGATRON PARALLEL CONFIGURATION\n{}\n", rule, rule);
    text += fmt::format("Timestamp: {}\n", file.timestamp);
    text += fmt::format("TP Size: {}\nPP Size: {}\nCP Size: {}\nEP Size: {}\nWorld Size: {}\n\n",
                        number(file.tp), number(file.pp), number(file.cp), number(file.ep),
                        number(file.world));
    text += fmt::format("Global Batch Size: {}\n\n", number(file.global_batch_size));
    text +=
        fmt::format("STATISTICS\n{}\nTotal Ranks: {}\nValid Ranks: {}\nError Ranks: {}\n\n", dashes,
                    number(file.total_ranks), number(file.valid_ranks), number(file.error_ranks));
}

}  // namespace

ParallelGroupsFile parallel_groups(const ProcessGroups& groups, GroupsDialect dialect) {
    const Parallelism& p = groups.parallelism();
    ParallelGroupsFile file;
    file.tp = p.tp;
    file.pp = p.pp;
    file.cp = p.cp;
    file.ep = p.ep;
    file.dp = p.dp;
    file.world = p.world();
    file.total_ranks = p.world();
    file.valid_ranks = p.world();
    file.error_ranks = 0;
    file.tensor = groups.all(GroupRole::Tensor);
    file.pipeline = groups.all(GroupRole::Pipeline);
    file.data = groups.all(GroupRole::Data);
    if (p.ep > 1) {
        file.expert = groups.all(GroupRole::Expert);
    }
    file.replicas =
        dialect == GroupsDialect::TraceViz ? traceviz_replicas(p) : full_replicas(groups);
    file.full_model =
        full_model_of(p, static_cast<std::int64_t>(file.replicas->front().size()), dialect);
    return file;
}

std::string text_of(const ParallelGroupsFile& file) {
    std::string text;
    add_head(text, file);
    add_section(text, "TENSOR PARALLEL (TP) GROUPS", file.tensor);
    add_section(text, "PIPELINE PARALLEL (PP) GROUPS", file.pipeline);
    add_section(text, "DATA PARALLEL (DP) GROUPS", file.data);
    if (file.expert && !file.expert->empty()) {
        add_section(text, "EXPERT PARALLEL (EP) GROUPS", file.expert);
    }
    add_replicas(text, file);
    if (!file.failures.empty()) {
        text += fmt::format("ERROR INFORMATION\n{}\n", dashes);
        for (const ParallelGroupsFile::Failure& failure : file.failures) {
            text += fmt::format("Rank {}: {}\n", failure.rank.value(), failure.error);
        }
        text += "\n";
    }
    return text;
}

std::string parallel_groups_name(const PythonDatetime& time) {
    return fmt::format("unique_parallel_groups_{}.txt", time.compact());
}

std::string text_of(const std::vector<Rank>& ranks) {
    std::string text = "[";
    for (const Rank rank : ranks) {
        fmt::format_to(std::back_inserter(text), "{}{}", text.size() > 1 ? ", " : "", rank.value());
    }
    return text + "]";
}

}  // namespace npunet::generators::megatron
