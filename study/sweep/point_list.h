// An explicit list of points: a CSV file whose first line names parameters.
//
//     dp,tp,schedule
//     8,1,1f1b
//     2,4,gpipe
//
// Fields with commas or quotes are quoted as RFC 4180 says; empty lines and blanks around a field
// do not count.
#pragma once

#include <filesystem>
#include <vector>

#include "study/sweep/parameters.h"

namespace npunet::study {

/// One axis with the columns of the file as its parameters. Throws InputError with the line.
[[nodiscard]] Axis read_point_list(const std::filesystem::path& file,
                                   const std::vector<Parameter>& parameters,
                                   const std::filesystem::path& folder);

}  // namespace npunet::study
