// What a reference search is asked: the options of Metis's program and what it leaves to chance.
//
// Metis takes the order of the device types from a set whose order changes from run to run, and the
// first profile from the order of a directory. Both change costs; here they are arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "planner/cluster_file.h"
#include "planner/hostfile.h"
#include "planner/profile.h"

namespace npunet::planner::metis {

/// Which stage gives up data parallelism for tensor parallelism next. The two differ only after a
/// division of the layers that did not fit the memory at the first attempt.
enum class Strategy {
    Metis,    ///< the one with the least headroom of the last attempt, or the largest dp
    Headroom  ///< the one with the least headroom of the first attempt
};

struct Arguments {
    std::int64_t num_layers = 0;  ///< from 2
    std::int64_t gbs = 0;         ///< samples of a step, from 1
    std::int64_t hidden_size = 4096;
    std::int64_t sequence_length = 1024;
    std::int64_t vocab_size = 51200;
    std::int64_t max_profiled_tp_degree = 0;
    std::int64_t max_profiled_batch_size = 0;
    std::int64_t min_group_scale_variance = 1;  ///< from 0
    std::int64_t max_permute_len = 4;
    /// All types of the hostfile once; empty: as they first appear there.
    std::vector<std::string> device_order;
    std::string first_profile;  ///< name of a file; empty: the first name
    Strategy strategy = Strategy::Metis;
    std::size_t keep = 0;     ///< so many of the best plans; 0: all
    std::size_t threads = 0;  ///< 0: as many as the machine has cores. The result is the same
};

/// The files of a search, read, and their names for messages.
struct Inputs {
    std::vector<Host> hosts;
    std::vector<ClusterEntry> cluster;
    ProfileSet profiles;
    std::filesystem::path hostfile;
    std::filesystem::path cluster_file;
    std::filesystem::path profile_folder;
};

/// Reads the three by Metis's rules. Throws InputError.
[[nodiscard]] Inputs read_inputs(const std::filesystem::path& hostfile,
                                 const std::filesystem::path& cluster_file,
                                 const std::filesystem::path& profile_folder);

/// Is told how many of the inter-stage plans are done, of how many (0: too many to count); false
/// stops the search. Called between batches of plans, in the caller's thread.
using Progress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

/// Throws InputError for a number out of range.
void check(const Arguments& arguments);

}  // namespace npunet::planner::metis
