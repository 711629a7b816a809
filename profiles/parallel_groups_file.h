// unique_parallel_groups_<time>.txt: the groups of a Megatron-LM job as TraceViz's patch for it
// writes them (github.com/WXizhi/Megatron-TraceViz), which its tools and ours read.
//
//     ParallelGroupsFile file = read_parallel_groups(path);     // parallel_groups_reader.h
//     file.global_batch_size = 256;
//     out << text_of(file);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"

namespace npunet::profiles {

using RankLists = std::vector<std::vector<Rank>>;

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

/// The whole file. Sizes that are not known stand as "N/A".
[[nodiscard]] std::string text_of(const ParallelGroupsFile& file);

/// "[0, 1]", as Python prints a list.
[[nodiscard]] std::string text_of(const std::vector<Rank>& ranks);

}  // namespace npunet::profiles
