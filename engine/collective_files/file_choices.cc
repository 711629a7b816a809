#include "engine/collective_files/file_choices.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"

namespace npunet::engine {

namespace {

std::string key_of_choices(CollectiveKind kind) {
    std::string key = name_of(kind);
    std::replace(key.begin(), key.end(), '_', '-');
    return key + "-implementation";
}

[[noreturn]] void refuse_members(const CollectiveToRun& collective, const FileAlgorithm& file) {
    throw InputError(
        {collective.system_file, key_of_choices(collective.kind),
         fmt::format("{}, which is for {} members, and a communicator of {}", file.file,
                     file.gpus.size(), collective.members),
         fmt::format("a file for {} members", collective.members),
         fmt::format("Give the file \"members\": {}, and name another algorithm after it",
                     file.gpus.size())});
}

[[noreturn]] void refuse_size(const CollectiveToRun& collective, Bytes size) {
    throw InputError(
        {collective.system_file, key_of_choices(collective.kind),
         fmt::format("no file for {} bytes among {} members", size.value(), collective.members),
         "a file, or a built-in algorithm, for every size and communicator",
         "Add one at the end of the list, such as \"ring\""});
}

}  // namespace

const FileAlgorithm* FileChoices::choose(const CollectiveToRun& collective) const {
    if (list.empty()) {
        return nullptr;
    }
    const Bytes size = size_of_collective(collective.kind, collective.bytes, collective.members);
    for (const FileChoice& choice : list) {
        if (size < choice.least || size > choice.most ||
            (choice.members > 0 &&
             static_cast<std::size_t>(choice.members) != collective.members)) {
            continue;
        }
        if (choice.algorithm->gpus.size() != collective.members) {
            refuse_members(collective, *choice.algorithm);
        }
        return choice.algorithm.get();
    }
    if (!others) {
        refuse_size(collective, size);
    }
    return nullptr;
}

}  // namespace npunet::engine
