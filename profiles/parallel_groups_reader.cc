#include "profiles/parallel_groups_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "profiles/text_scan.h"

namespace npunet::profiles {

namespace {

using MaybeNumber = std::optional<std::int64_t>;
using MaybeLists = std::optional<RankLists>;

constexpr std::int64_t most_ranks = std::int64_t{1} << 20;
constexpr const char* rewrite = "Write the file again: it looks damaged";

struct SectionTitle {
    std::string_view title;
    MaybeLists ParallelGroupsFile::*lists;
};
constexpr std::array<SectionTitle, 9> section_titles = {
    {{"TENSOR PARALLEL (TP) GROUPS", &ParallelGroupsFile::tensor},
     {"UNIQUE TP GROUPS", &ParallelGroupsFile::tensor},
     {"PIPELINE PARALLEL (PP) GROUPS", &ParallelGroupsFile::pipeline},
     {"UNIQUE PP GROUPS", &ParallelGroupsFile::pipeline},
     {"DATA PARALLEL (DP) GROUPS", &ParallelGroupsFile::data},
     {"UNIQUE DP GROUPS", &ParallelGroupsFile::data},
     {"EXPERT PARALLEL (EP) GROUPS", &ParallelGroupsFile::expert},
     {"UNIQUE EP GROUPS", &ParallelGroupsFile::expert},
     {"EXPERT GROUPS", &ParallelGroupsFile::expert}}};
constexpr std::string_view replicas_title = "FULL MODEL RANK GROUPS";
constexpr std::string_view errors_title = "ERROR INFORMATION";

struct NamedNumber {
    std::string_view name;
    MaybeNumber ParallelGroupsFile::*number;
    std::int64_t least;
    std::int64_t most;
};
constexpr std::array<NamedNumber, 15> named_numbers = {
    {{"TP Size", &ParallelGroupsFile::tp, 1, most_ranks},
     {"TP (Tensor Parallel) Size", &ParallelGroupsFile::tp, 1, most_ranks},
     {"PP Size", &ParallelGroupsFile::pp, 1, most_ranks},
     {"PP (Pipeline Parallel) Size", &ParallelGroupsFile::pp, 1, most_ranks},
     {"CP Size", &ParallelGroupsFile::cp, 1, most_ranks},
     {"CP (Context Parallel) Size", &ParallelGroupsFile::cp, 1, most_ranks},
     {"EP Size", &ParallelGroupsFile::ep, 1, most_ranks},
     {"EP (Expert Parallel) Size", &ParallelGroupsFile::ep, 1, most_ranks},
     {"DP Size", &ParallelGroupsFile::dp, 1, most_ranks},
     {"DP (Data Parallel) Size", &ParallelGroupsFile::dp, 1, most_ranks},
     {"World Size", &ParallelGroupsFile::world, 1, most_ranks},
     {"Global Batch Size", &ParallelGroupsFile::global_batch_size, 1,
      std::numeric_limits<std::int64_t>::max()},
     {"Total Ranks", &ParallelGroupsFile::total_ranks, 0, most_ranks},
     {"Valid Ranks", &ParallelGroupsFile::valid_ranks, 0, most_ranks},
     {"Error Ranks", &ParallelGroupsFile::error_ranks, 0, most_ranks}}};

/// The lines of one file, from first to last, and what they have told so far.
class GroupsReader {
public:
    GroupsReader(std::istream& stream, std::string name) : name_(std::move(name)) {
        for (std::string line; std::getline(stream, line);) {
            while (!line.empty() && line.back() == '\r') {
                line.pop_back();
            }
            lines_.push_back(std::move(line));
        }
        if (!lines_.empty() && starts(lines_.front(), "\xEF\xBB\xBF")) {
            lines_.front().erase(0, 3);
        }
    }

    ParallelGroupsFile read() {
        while (at_ < lines_.size()) {
            if (at_title(at_)) {
                read_section();
            } else {
                read_named(trimmed(lines_[at_]));
                ++at_;
            }
        }
        check_whole();
        check_statistics();
        return std::move(file_);
    }

private:
    [[noreturn]] void refuse(std::size_t line, std::string found, std::string expected,
                             std::string remedy = rewrite) const {
        throw InputError({name_, fmt::format("line {}", line + 1), std::move(found),
                          std::move(expected), std::move(remedy)});
    }

    [[nodiscard]] std::string_view title(std::size_t line) const {
        std::string_view text = trimmed(lines_[line]);
        if (!text.empty() && text.back() == ':') {
            text.remove_suffix(1);
        }
        return text;
    }

    [[nodiscard]] bool at_title(std::size_t line) const {
        const std::string_view text = title(line);
        return (could_be_title(text) || starts(text, replicas_title)) && line + 1 < lines_.size() &&
               is_rule(lines_[line + 1]);
    }

    void read_section() {
        const std::string_view name = title(at_);
        const std::size_t first = at_;
        at_ += 2;
        if (starts(name, replicas_title)) {
            read_replicas(first);
        } else if (name == errors_title) {
            read_errors();
        } else {
            const auto* known = std::find_if(section_titles.begin(), section_titles.end(),
                                             [&](const auto& one) { return one.title == name; });
            if (known != section_titles.end()) {
                read_groups(first, file_.*known->lists);
            }
        }
    }

    /// "TP Size: 2" and the like; whatever else is nothing to us.
    void read_named(std::string_view text) {
        has_banner_ = has_banner_ || text == "MEGATRON PARALLEL CONFIGURATION";
        const std::size_t colon = text.find(':');
        const std::string_view name = trimmed(text.substr(0, colon));
        if (colon == std::string_view::npos) {
            return;
        }
        const std::string_view value = trimmed(text.substr(colon + 1));
        if (name == "Timestamp" && file_.timestamp.empty()) {
            file_.timestamp = value;
        }
        for (const NamedNumber& known : named_numbers) {
            if (known.name == name) {
                read_number(known, value);
            }
        }
    }

    void read_number(const NamedNumber& known, std::string_view value) {
        if (value == "N/A" || value == "None") {
            return;
        }
        std::string_view rest = value;
        const MaybeNumber number = rest.empty() ? std::nullopt : take_number(rest);
        if (!number || !rest.empty() || *number < known.least || *number > known.most) {
            refuse(at_, fmt::format("{} {}", known.name, excerpt(value)),
                   fmt::format("a whole number from {} to {}", known.least, known.most));
        }
        MaybeNumber& kept = file_.*known.number;
        if (kept && *kept != *number) {
            refuse(at_, fmt::format("{} {} after {}", known.name, *number, *kept), "one value",
                   "Take one of the two away");
        }
        kept = number;
        place_of_[known.number == &ParallelGroupsFile::total_ranks ? "total" : known.name] = at_;
    }

    void read_groups(std::size_t first, MaybeLists& lists) {
        begin_section(first, lists);
        bool complete = false;
        for (; at_ < lines_.size() && !at_title(at_); ++at_) {
            const std::string_view text = trimmed(lines_[at_]);
            if (text.empty()) {
                continue;
            }
            if (complete) {
                refuse(at_, excerpt(text), "nothing more in a section after its total");
            }
            if (text == "No groups found." && lists->empty()) {
                complete = true;
            } else if (starts(text, "Total groups")) {
                check_total(text, "Total groups", lists->size());
                complete = true;
            } else {
                read_list(text, *lists);
            }
        }
        if (!complete && has_banner_) {
            refuse(last_line(), "the end of a section",
                   fmt::format("a line 'Total groups: {}' or further groups", lists->size()));
        }
    }

    void read_replicas(std::size_t first) {
        while (at_ < lines_.size() && !is_rule(lines_[at_]) && !at_title(at_)) {
            std::string_view text = trimmed(lines_[at_]);
            if (take(text, "Full model = ")) {
                file_.full_model = text;
            }
            ++at_;
        }
        if (at_ >= lines_.size() || !is_rule(lines_[at_])) {
            refuse(last_line(), "the end of a section",
                   "a line of dashes before the groups of full models");
        }
        begin_section(first, file_.replicas);
        for (++at_; at_ < lines_.size() && !at_title(at_); ++at_) {
            const std::string_view text = trimmed(lines_[at_]);
            if (text.empty()) {
                continue;
            }
            if (has_end_) {
                refuse(at_, excerpt(text), "nothing more in the section after its total");
            }
            read_replica_line(text);
        }
        if (!has_end_ && has_banner_) {
            refuse(last_line(), "the end of the section",
                   fmt::format("a line 'Total model replicas (DP): {}' or further groups",
                               file_.replicas->size()));
        }
        if (not_available_) {
            file_.replicas.reset();
        }
    }

    void read_replica_line(std::string_view text) {
        if (starts(text, "Total model replicas")) {
            check_total(text, "Total model replicas (DP)", file_.replicas->size());
            has_end_ = true;
        } else if (text.find("Full model groups not available.") != std::string_view::npos &&
                   file_.replicas->empty()) {
            not_available_ = true;
            has_end_ = true;
        } else if (text == "No full model groups found." && file_.replicas->empty()) {
            has_end_ = true;
        } else {
            read_list(text, *file_.replicas);
        }
    }

    /// To the end of the file: errors may have several lines, of any text.
    void read_errors() {
        for (; at_ < lines_.size(); ++at_) {
            std::string_view rest = lines_[at_];
            MaybeNumber rank;
            if (take(rest, "Rank ")) {
                rank = rest.empty() ? std::nullopt : take_number(rest);
            }
            if (rank && *rank < ranks() && take(rest, ":")) {
                note_rank(*rank);
                take(rest, " ");
                file_.failures.push_back(
                    {Rank(static_cast<std::int32_t>(*rank)), std::string(rest)});
            } else if (!file_.failures.empty()) {
                file_.failures.back().error += "\n" + lines_[at_];
            } else if (!trimmed(lines_[at_]).empty()) {
                refuse(at_, excerpt(lines_[at_]),
                       fmt::format("'Rank N: error' with N from 0 to {}", ranks() - 1));
            }
        }
        if (!file_.failures.empty()) {
            std::string& last = file_.failures.back().error;
            if (!last.empty() && last.back() == '\n') {
                last.pop_back();
            }
        }
    }

    void begin_section(std::size_t line, MaybeLists& lists) {
        if (lists) {
            refuse(line, fmt::format("a second section {}", excerpt(title(line))), "one of each",
                   "Take one of the two away");
        }
        lists.emplace();
        seen_.clear();
        first_number_.reset();
    }

    /// "Group 1: [0, 1]", "TP Group 1: [0, 1]".
    void read_list(std::string_view text, RankLists& lists) {
        std::string_view rest = text;
        for (const std::string_view kind : {"TP ", "PP ", "DP ", "EP ", "Model "}) {
            if (take(rest, kind)) {
                break;
            }
        }
        const bool group = take(rest, "Group ");
        skip_blanks(rest);
        const MaybeNumber number = group && !rest.empty() ? take_number(rest) : std::nullopt;
        if (!number || !take(rest, ":")) {
            refuse(at_, excerpt(text), "'Group N: [ranks]' or the section's total");
        }
        if (!first_number_) {
            first_number_ = std::min<std::int64_t>(*number, 1);
        }
        const std::int64_t expected = *first_number_ + static_cast<std::int64_t>(lists.size());
        if (*number != expected) {
            refuse(at_, fmt::format("Group {}", *number), fmt::format("Group {}", expected));
        }
        skip_blanks(rest);
        lists.push_back(ranks_of(rest, text));
    }

    std::vector<Rank> ranks_of(std::string_view rest, std::string_view line) {
        std::vector<Rank> list;
        bool more = take(rest, "[");
        while (more) {
            skip_blanks(rest);
            const MaybeNumber rank = rest.empty() ? std::nullopt : take_number(rest);
            if (!rank) {
                break;
            }
            list.push_back(checked_rank(*rank));
            skip_blanks(rest);
            more = take(rest, ",");
        }
        if (list.empty() || more || rest != "]") {
            refuse(at_, excerpt(line), "a list of ranks such as [0, 1]");
        }
        return list;
    }

    void note_rank(std::int64_t rank) {
        if (rank > largest_rank_) {
            largest_rank_ = rank;
            place_of_["largest rank"] = at_;
        }
    }

    Rank checked_rank(std::int64_t rank) {
        if (rank >= ranks()) {
            refuse(at_, fmt::format("rank {}", rank),
                   fmt::format("a rank of the world: 0 to {}", ranks() - 1));
        }
        note_rank(rank);
        const auto [before, first] = seen_.emplace(rank, at_ + 1);
        if (!first) {
            refuse(at_, fmt::format("rank {}, which is also on line {}", rank, before->second),
                   "each rank in one group of a section");
        }
        return Rank(static_cast<std::int32_t>(rank));
    }

    void check_total(std::string_view text, std::string_view name, std::size_t listed) const {
        std::string_view rest = text;
        const bool named = take(rest, name) && take(rest, ":");
        skip_blanks(rest);
        const MaybeNumber total = named && !rest.empty() ? take_number(rest) : std::nullopt;
        if (!total || !rest.empty()) {
            refuse(at_, excerpt(text), fmt::format("'{}: {}'", name, listed));
        }
        if (*total != static_cast<std::int64_t>(listed)) {
            refuse(at_, fmt::format("{}: {}", name, *total),
                   fmt::format("{}, as many as are listed", listed));
        }
    }

    void check_whole() const {
        if (!file_.tensor && !file_.pipeline && !file_.data && !file_.expert && !file_.replicas &&
            !has_end_) {
            refuse(last_line(), lines_.empty() ? "an empty file" : "no section of groups",
                   "sections such as 'TENSOR PARALLEL (TP) GROUPS'",
                   "Give a file unique_parallel_groups_*.txt; npunet megatron groups writes one");
        }
        if (has_banner_ && !has_end_) {
            refuse(last_line(), "the end of the file",
                   fmt::format("the section '{}' to its total", replicas_title));
        }
    }

    void check_statistics() const {
        // The world size may come after the groups.
        if (largest_rank_ >= ranks()) {
            refuse(place_of_.at("largest rank"), fmt::format("rank {}", largest_rank_),
                   fmt::format("a rank of the world: 0 to {}", ranks() - 1));
        }
        const auto line = place_of_.find("total");
        const std::size_t place = line == place_of_.end() ? 0 : line->second;
        if (file_.total_ranks && file_.world && *file_.total_ranks != *file_.world) {
            refuse(place, fmt::format("Total Ranks: {}", *file_.total_ranks),
                   fmt::format("{}, the World Size", *file_.world));
        }
        const std::int64_t reported = file_.valid_ranks.value_or(0) + file_.error_ranks.value_or(0);
        if (file_.total_ranks && reported > *file_.total_ranks) {
            refuse(place, fmt::format("{} valid and failed ranks", reported),
                   fmt::format("at most the Total Ranks, {}", *file_.total_ranks));
        }
    }

    /// Ranks are below this.
    [[nodiscard]] std::int64_t ranks() const { return file_.world.value_or(most_ranks); }
    [[nodiscard]] std::size_t last_line() const {
        return std::min(at_, lines_.size()) - (at_ > 0 && !lines_.empty() ? 1 : 0);
    }

    std::string name_;
    std::vector<std::string> lines_;
    std::size_t at_ = 0;  ///< the line that is next
    ParallelGroupsFile file_;
    bool has_banner_ = false;
    bool has_end_ = false;  ///< of the section of full models
    bool not_available_ = false;
    std::unordered_map<std::int64_t, std::size_t> seen_;  ///< in this section, and on which line
    MaybeNumber first_number_;                            ///< of this section's groups
    std::int64_t largest_rank_ = -1;
    std::map<std::string_view, std::size_t> place_of_;
};

}  // namespace

ParallelGroupsFile read_parallel_groups(std::istream& stream, const std::string& name) {
    return GroupsReader(stream, name).read();
}

ParallelGroupsFile read_parallel_groups(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream || std::filesystem::is_directory(path)) {
        throw InputError({path.string(), "", "nothing that can be read",
                          "a file unique_parallel_groups_*.txt", "Check the path"});
    }
    ParallelGroupsFile groups = read_parallel_groups(stream, path.string());
    if (stream.bad()) {
        throw MachineError(path.string() + ": cannot read to the end. Check the disk");
    }
    return groups;
}

}  // namespace npunet::profiles
