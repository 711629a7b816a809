#include "profiles/parallel_groups_file.h"

#include <fmt/format.h>

#include <iterator>

namespace npunet::profiles {

namespace {

constexpr const char* not_available = "\u26a0\ufe0f Full model groups not available.";

const std::string dashes(50, '-');

std::string number(const std::optional<std::int64_t>& value) {
    return value ? fmt::format("{}", *value) : "N/A";
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

std::string text_of(const std::vector<Rank>& ranks) {
    std::string text = "[";
    for (const Rank rank : ranks) {
        fmt::format_to(std::back_inserter(text), "{}{}", text.size() > 1 ? ", " : "", rank.value());
    }
    return text + "]";
}

}  // namespace npunet::profiles
