#include "study/sweep/sweep_results.h"

#include <string>

#include "base/atomic_file.h"
#include "base/staged_folder.h"

namespace npunet::study {

namespace {

constexpr const char* file_names[] = {"results.csv",     "results.json",  "time_memory.svg",
                                      "time_memory.png", "breakdown.svg", "breakdown.png"};

void write_whole(const std::filesystem::path& path, const std::string& content) {
    AtomicFile file(path);
    file.stream() << content;
    file.commit();
}

void write_figure(const std::filesystem::path& path, const report::Figure& figure) {
    write_whole(path.string() + ".svg", figure.svg);
    write_whole(path.string() + ".png", figure.png);
}

}  // namespace

void write_sweep_folder(const DesignSpace& space, const SweepResults& results,
                        const std::filesystem::path& folder, const std::string& command) {
    StagedFolder staged(folder);
    const std::filesystem::path& files = staged.path();
    write_figure(files / "time_memory", time_memory_figure(time_memory_plot(space, results)));
    write_figure(files / "breakdown", breakdown_figure(breakdown_plot(space, results)));
    write_whole(files / "results.csv", sweep_csv(space, results));
    write_whole(files / "results.json", sweep_json(space, results, command));
    staged.commit({"results.json"});
}

void remove_sweep_results(const std::filesystem::path& folder) {
    for (const char* name : file_names) {
        std::error_code ignored;
        std::filesystem::remove(folder / name, ignored);
    }
}

}  // namespace npunet::study
