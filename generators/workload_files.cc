#include "generators/workload_files.h"

#include <fmt/format.h>

#include <mutex>

#include "base/errors.h"
#include "base/staged_folder.h"
#include "base/thread_pool.h"
#include "chakra/files/trace_writer.h"
#include "chakra/trace/comm_groups.h"

namespace npunet::generators {

namespace {

constexpr const char* rank_mark = "%d";

std::string with_rank_mark(const WorkloadFiles& files) {
    if (files.traces.find(rank_mark) != std::string::npos) {
        return files.traces;
    }
    return files.traces + (files.form == chakra::WrittenForm::Json ? ".%d.json" : ".%d.et");
}

void check_name(const char* option, const std::string& name) {
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
        throw InputError(
            {option, "", fmt::format("'{}'", name), "the name of a file inside --output-dir", ""});
    }
}

void write_groups(const GeneratedWorkload& workload, const std::filesystem::path& file) {
    chakra::CommGroups groups;
    for (const RankGroup& group : workload.groups()) {
        groups[group.id] = group.ranks;
    }
    chakra::write_comm_groups(file, groups, workload.style().groups);
}

}  // namespace

std::filesystem::path trace_pattern(const WorkloadFiles& files) {
    return files.folder / with_rank_mark(files);
}

std::filesystem::path trace_file(const WorkloadFiles& files, Rank rank) {
    std::string name = with_rank_mark(files);
    name.replace(name.find(rank_mark), 2, std::to_string(rank.value()));
    return files.folder / name;
}

void check_workload_names(const WorkloadFiles& files, std::int32_t ranks) {
    check_name("--output-name", files.traces);
    check_name("--comm-group-file", files.groups);
    for (std::int32_t r = 0; r < ranks; ++r) {
        if (trace_file(files, Rank(r)) == files.folder / files.groups) {
            throw InputError({"--comm-group-file", "", fmt::format("'{}'", files.groups),
                              "another name than that of a trace", ""});
        }
    }
}

void remove_further_traces(const WorkloadFiles& files, std::int32_t ranks) {
    std::error_code ignored;
    for (std::int32_t r = ranks; std::filesystem::remove(trace_file(files, Rank(r)), ignored);
         ++r) {
    }
}

chakra::Losses write_workload(const GeneratedWorkload& workload, const WorkloadFiles& files) {
    check_workload_names(files, workload.rank_count());
    StagedFolder staged(files.folder);
    WorkloadFiles staging = files;
    staging.folder = staged.path();
    std::mutex mutex;
    chakra::Losses losses;
    for_each_in_parallel(static_cast<std::size_t>(workload.rank_count()), [&](std::size_t r) {
        chakra::TraceWriter writer(trace_file(staging, Rank(r)), workload.style().metadata,
                                   files.form);
        workload.visit(Rank(r), [&writer](const chakra::Node& node) { writer.write(node); });
        writer.commit();
        const std::lock_guard lock(mutex);
        for (const auto& [reason, nodes] : writer.losses()) {
            losses[reason] += nodes;
        }
    });
    write_groups(workload, staging.folder / files.groups);
    staged.commit();
    remove_further_traces(files, workload.rank_count());
    return losses;
}

}  // namespace npunet::generators
