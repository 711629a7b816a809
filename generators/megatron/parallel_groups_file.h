// unique_parallel_groups_<time>.txt: the groups of a Megatron-LM job as TraceViz's patch for it
// writes them (github.com/WXizhi/Megatron-TraceViz), which its tools and ours read.
//
//     const ProcessGroups groups({.tp = 2, .dp = 2, .pp = 4});
//     ParallelGroupsFile file = parallel_groups(groups, GroupsDialect::Npunet);
//     file.global_batch_size = 256;
//     out << text_of(file);
//
// Reading is parallel_groups_reader.h, comparing parallel_groups_check.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "generators/megatron/model_replicas.h"
#include "generators/megatron/process_groups.h"
#include "generators/megatron/python_datetime.h"

namespace npunet::generators::megatron {

/// Whose full model replicas, and whose line about their size.
enum class GroupsDialect : std::uint8_t {
    Npunet,   ///< full_replicas(): right in every rank order
    TraceViz  ///< traceviz_replicas()
};

struct ParallelGroupsFile {
    struct Failure {
        Rank rank;
        std::string error;  ///< one line or several
    };

    std::string timestamp;  ///< as it stands in the file
    std::optional<std::int64_t> tp;
    std::optional<std::int64_t> pp;
    std::optional<std::int64_t> cp;
    std::optional<std::int64_t> ep;
    std::optional<std::int64_t> dp;  ///< read where it stands, never written
    std::optional<std::int64_t> world;
    std::optional<std::int64_t> global_batch_size;
    std::optional<std::int64_t> total_ranks;
    std::optional<std::int64_t> valid_ranks;
    std::optional<std::int64_t> error_ranks;
    /// None: no such section; empty: "No groups found.".
    std::optional<RankLists> tensor;
    std::optional<RankLists> pipeline;
    std::optional<RankLists> data;      ///< dp, without cp
    std::optional<RankLists> expert;    ///< no section where it is empty
    std::string full_model;             ///< "TP2 x EP1 x PP4 x CP1 = 8 ranks"
    std::optional<RankLists> replicas;  ///< none: not available
    std::vector<Failure> failures;
};

/// What the job's rank 0 would write when no rank fails; without time and global batch size.
[[nodiscard]] ParallelGroupsFile parallel_groups(const ProcessGroups& groups,
                                                 GroupsDialect dialect);

/// The whole file. Sizes that are not known stand as "N/A".
[[nodiscard]] std::string text_of(const ParallelGroupsFile& file);

/// "unique_parallel_groups_20260210_163851.txt"
[[nodiscard]] std::string parallel_groups_name(const PythonDatetime& time);

/// "[0, 1]", as Python prints a list.
[[nodiscard]] std::string text_of(const std::vector<Rank>& ranks);

}  // namespace npunet::generators::megatron
