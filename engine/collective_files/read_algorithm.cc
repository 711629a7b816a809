#include "engine/collective_files/read_algorithm.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/errors.h"
#include "engine/collective_files/algorithm_check.h"
#include "engine/collective_files/msccl_reader.h"
#include "engine/collective_files/trace_reader.h"

namespace npunet::engine {

std::shared_ptr<const FileAlgorithm> read_algorithm(const std::string& path, CollectiveKind kind) {
    const std::string extension = std::filesystem::path(path).extension().string();
    if (extension == ".json") {
        throw InputError({path, "", "a file in JSON, as MSCCL++'s execution plans are",
                          "an MSCCL algorithm (NAME.xml) or the prefix of traces (NAME.0.et, ...)",
                          "One-sided puts and signals of MSCCL++ are not supported: give the "
                          "algorithm in one of these forms"});
    }
    auto algorithm = std::make_shared<FileAlgorithm>(
        extension == ".xml" || !has_traces(path) ? read_msccl(path) : read_trace_algorithm(path));
    if (algorithm->kind && *algorithm->kind != kind) {
        throw InputError(
            {path, "algo, coll", name_of(*algorithm->kind),
             fmt::format("{}, the collective for which the file is named", name_of(kind)),
             "Name it for that collective, or another file for this one"});
    }
    algorithm->kind = kind;
    check_algorithm(*algorithm);
    return algorithm;
}

}  // namespace npunet::engine
