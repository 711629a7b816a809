// The file of patterns of `npunet analyze --patterns`, and the names that they match.
#include "analysis/patterns.h"
#include "memory_folder.h"
#include "memory_watch.h"
#include "profiles/string_table.h"
#include "targets.h"

namespace npunet::fuzz {

// The file of patterns, then names.
void run_patterns(std::string_view input) {
    const std::vector<std::string_view> files = files_of(input, 5);
    const MemoryFolder folder;
    folder.write("patterns.json", files[0]);
    accepts_written([&] {
        analysis::PatternTable patterns;
        const MemoryWatch watch(memory_limit(40 * input.size(), reader_buffers));
        patterns.read(folder / "patterns.json");
        watch.check();
        profiles::StringTable names;
        for (std::size_t i = 1; i < files.size(); ++i) {
            static_cast<void>(names.intern(files[i]));
        }
        const analysis::NameMarks marks(patterns, names);
        for (profiles::StringId name = 0; name < names.size(); ++name) {
            expect(marks.marks(name) < 1U << analysis::mark_count, "a mark that is not there");
        }
    });
    for (std::size_t i = 1; i < files.size(); ++i) {
        expect(analysis::matches("*", files[i]), "a text that is none");
        static_cast<void>(analysis::matches(files[0], files[i]));
    }
}

std::vector<std::string> patterns_seeds() {
    const std::string mark(file_mark);
    return {R"({"kernel_comm+": ["*deepep*"], "forward_cpu_slice": ["*my_step*", "a?[b-d]*"]})" +
                mark + "deepep::dispatch nccl" + mark + "my_step(1)",
            "*a[^x-z]?[]]*b" + mark + "aaq]b" + mark + "",
            R"({"kernel_mem": )" + std::string(300, '[')};
}

}  // namespace npunet::fuzz
