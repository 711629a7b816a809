#include "generators/workload_files.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "chakra/comm_groups.h"
#include "chakra/trace_writer.h"

namespace npunet::generators {

namespace {

constexpr const char* rank_mark = "%d";

std::string with_rank_mark(const std::string& name) {
    return name.find(rank_mark) == std::string::npos ? name + ".%d.et" : name;
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
    return files.folder / with_rank_mark(files.traces);
}

std::filesystem::path trace_file(const WorkloadFiles& files, Rank rank) {
    std::string name = with_rank_mark(files.traces);
    name.replace(name.find(rank_mark), 2, std::to_string(rank.value()));
    return files.folder / name;
}

void write_workload(const GeneratedWorkload& workload, const WorkloadFiles& files) {
    check_name("--output-name", files.traces);
    check_name("--comm-group-file", files.groups);
    for (std::int32_t r = 0; r < workload.rank_count(); ++r) {
        const std::filesystem::path path = trace_file(files, Rank(r));
        if (path == files.folder / files.groups) {
            throw InputError({"--comm-group-file", "", fmt::format("'{}'", files.groups),
                              "another name than that of a trace", ""});
        }
        chakra::TraceWriter writer(path, workload.style().metadata);
        workload.visit(Rank(r), [&writer](const chakra::Node& node) { writer.write(node); });
        writer.commit();
    }
    write_groups(workload, files.folder / files.groups);
}

}  // namespace npunet::generators
