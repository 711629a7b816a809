// Profiles of a model of any number of layers, batches and degrees of tensor parallelism, stretched
// from a few measured ones as the generator beside Metis does (docs/planner.md).
//
//     std::vector<ProfileFile> files = stretched_profiles(read_profile_files("samples"), {40, 128,
//     128}); add_scaled_types(files, {{"V100", 3.5}}); write_profile_files(files, "profiles");
//
// The samples' lists become first, second, ..., second, last; what the optimizer and the sums of
// norms take grows with the number of layers. Then a batch twice as large takes twice as long, and
// a degree twice as large half as long: passes alone, not the optimizer, nor memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/profile_file.h"

namespace npunet::planner {

struct ProfileGrid {
    std::int64_t layers = 0;     ///< from 3: embedding, blocks, output layer
    std::int64_t max_batch = 1;  ///< the largest micro-batch
    std::int64_t max_tp = 1;     ///< the largest degree of tensor parallelism
};

/// A type of device that takes so many times as long.
struct ScaledType {
    std::string type;
    double factor = 1;
};

/// The same degree and batch of a model of so many layers, from 3.
[[nodiscard]] ProfileFile with_layers(const ProfileFile& sample, std::int64_t layers);

/// By type, tp, batch. Sampled degrees and batches beyond the grid are left out. Throws InputError
/// for a degree and a batch of which each is sampled but not both together.
[[nodiscard]] std::vector<ProfileFile> stretched_profiles(const std::vector<ProfileFile>& samples,
                                                          const ProfileGrid& grid);

/// Appends copies whose times, all of them, are multiplied. Throws InputError (`source` names the
/// option) where `files` have several types, or that type already.
void add_scaled_types(std::vector<ProfileFile>& files, const std::vector<ScaledType>& scales,
                      const std::string& source = "--scale");

}  // namespace npunet::planner
