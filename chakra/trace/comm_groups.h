// Communicator groups: which ranks take part in the collectives of a group.
//
// The file is a JSON object, one entry a group: {"1": [0, 1], "2": [2, 3]}. A node names its group
// in the attribute pg_name. The order of the ranks within a group is theirs in its algorithms.
//
//     const CommGroups groups = read_comm_groups("gpt.json");
//     check_comm_groups(groups, 16, "gpt.json");
//     for (const auto& [name, ranks] : groups) { ... }      // 1, 2, ..., 10, 11
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace npunet::chakra {

/// Group names in the order of people: numbers by value and before words, words by their letters.
struct GroupNameOrder {
    using is_transparent = void;
    [[nodiscard]] bool operator()(std::string_view a, std::string_view b) const;
};

/// The ranks of each group, in the order in which the file lists them.
using CommGroups = std::map<std::string, std::vector<Rank>, GroupNameOrder>;

/// The leading integer of a name ("7" of "007.0"), by which ASTRA-sim identifies a group; the name
/// itself if it has none, or one beyond 32 bits.
[[nodiscard]] std::string leading_number(const std::string& name);

/// Reads a file of groups. Throws InputError (file, group) for what is not an object of lists of
/// ranks (whole numbers from 0 to 2^31 - 1), for an empty group, a rank that a group names twice,
/// and a group that stands there twice; MachineError when the file cannot be opened.
[[nodiscard]] CommGroups read_comm_groups(const std::filesystem::path& path);

/// One group a line, or all on one line without an end, as Python writes JSON.
enum class GroupFileLayout { Lines, OneLine };

/// Writes the groups in their order; the same groups give the same bytes. Throws MachineError when
/// the file cannot be written.
void write_comm_groups(const std::filesystem::path& path, const CommGroups& groups,
                       GroupFileLayout layout = GroupFileLayout::Lines);

/// Throws InputError unless every rank of every group is one of the workload's `ranks` ranks
/// (0 to ranks - 1). `file` is where the groups come from, for the message.
void check_comm_groups(const CommGroups& groups, std::int32_t ranks, const std::string& file);

}  // namespace npunet::chakra
