// Which file carries out a collective: the files named for one kind of collective in system.json,
// each for a band of sizes, and what is done with collectives that are in no band.
//
//     const FileAlgorithm* file = choices.choose({kind, bytes, members, "system.json"});
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine/collective_files/file_algorithm.h"

namespace npunet::engine {

struct FileChoice {
    std::shared_ptr<const FileAlgorithm> algorithm;
    /// Sizes for which it is taken, both ends included (size_of_collective()).
    Bytes least;
    Bytes most = Bytes(std::numeric_limits<std::int64_t>::max());
    /// The members of the communicators that it is for; 0: of all.
    std::int32_t members = 0;
};

struct CollectiveToRun {
    CollectiveKind kind = CollectiveKind::AllReduce;
    Bytes bytes;  ///< as in the trace
    std::size_t members = 0;
    std::string system_file;  ///< for messages
};

struct FileChoices {
    std::vector<FileChoice> list;
    /// Built-in algorithms are named, too: for what is in no band.
    bool others = false;

    /// The first one in whose band the collective is; null where none is, and a built-in algorithm
    /// is to take it. Throws InputError where there is no such algorithm, and where the file is for
    /// another number of members.
    [[nodiscard]] const FileAlgorithm* choose(const CollectiveToRun& collective) const;
};

}  // namespace npunet::engine
