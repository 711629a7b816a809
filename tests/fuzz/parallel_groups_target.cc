// The files of parallel groups: what is read can be written, and reads as the same.
#include <sstream>

#include "generators/megatron/groups/parallel_groups_check.h"
#include "memory_watch.h"
#include "profiles/parallel_groups_reader.h"
#include "targets.h"

namespace npunet::fuzz {

using namespace generators::megatron;
using profiles::read_parallel_groups;

void run_parallel_groups(std::string_view input) {
    ParallelGroupsFile file;
    const bool read = accepts([&] {
        // A byte may be a line, which is a string in an array that grows by doubling.
        const MemoryWatch watch(memory_limit(12 * input.size(), std::size_t{128} << 10));
        std::istringstream stream{std::string(input)};
        file = read_parallel_groups(stream, "groups.txt");
        watch.check();
    });
    if (!read) {
        return;
    }
    static_cast<void>(contradictions(file));
    const std::string text = text_of(file);
    std::istringstream stream(text);
    const ParallelGroupsFile again = read_parallel_groups(stream, "written.txt");
    expect(text_of(again) == text, "a file that reads as another");
    expect(compare(again, again).empty(), "a file that differs from itself");
}

std::vector<std::string> parallel_groups_seeds() {
    std::vector<std::string> seeds;
    for (const std::int64_t ep : {1, 2}) {
        Parallelism p;
        p.tp = 2;
        p.dp = 2;
        p.pp = 2;
        p.ep = ep;
        ParallelGroupsFile file = parallel_groups(ProcessGroups(p), GroupsDialect::Npunet);
        file.timestamp = "2026-01-01 00:00:00";
        seeds.push_back(text_of(file));
        file.failures = {{Rank(1), "boom"}, {Rank(2), "two\nlines"}};
        file.data = RankLists{};
        file.replicas.reset();
        seeds.push_back(text_of(file));
    }
    seeds.push_back(
        "TP (Tensor Parallel) Size: 2\nWorld Size : 4\n\nUNIQUE TP GROUPS:\n----------\n"
        "TP Group 1: [0, 1]\nTP Group 2: [2, 3]\n");
    return seeds;
}

}  // namespace npunet::fuzz
