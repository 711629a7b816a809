// Reads an algorithm from a file of any form that is known.
//
//     const auto ring = read_algorithm("ring.xml", CollectiveKind::AllReduce);
//     const auto mine = read_algorithm("traces/mine", CollectiveKind::AllReduce);  // mine.0.et,
//     ...
//
// C++17-clean.
#pragma once

#include <memory>
#include <string>

#include "engine/collective_files/file_algorithm.h"

namespace npunet::engine {

/// `path`: an MSCCL XML (NAME.xml), or the prefix of traces (NAME.0.et, NAME.1.et, ...). The
/// algorithm is checked and is for that kind. Throws InputError with file and place: MSCCL++'s
/// execution plans (NAME.json) are refused by name.
[[nodiscard]] std::shared_ptr<const FileAlgorithm> read_algorithm(const std::string& path,
                                                                  CollectiveKind kind);

}  // namespace npunet::engine
