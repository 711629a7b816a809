// What nccl-tests print (all_reduce_perf and its kin), as measured collectives: the out-of-place
// times of every size.
//
//     const auto rows = read_nccl_tests_log("all_reduce.txt", {});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "study/validation/measured_collectives.h"

namespace npunet::study {

/// What a log may leave open.
struct NcclTestsRun {
    std::string type;                ///< "all_reduce"; empty: the log says so
    std::int32_t gpus = 0;           ///< 0: as many ranks as the log lists
    std::int32_t gpus_per_node = 0;  ///< 0: all are on one node
};

/// Whether a file is such a log: a line "# ... time algbw busbw".
[[nodiscard]] bool is_nccl_tests_log(const std::string& path);

/// Throws InputError where the type or the number of GPUs is not known, and for a log without rows.
[[nodiscard]] std::vector<MeasuredCollective> read_nccl_tests_log(const std::string& path,
                                                                  const NcclTestsRun& run);

}  // namespace npunet::study
