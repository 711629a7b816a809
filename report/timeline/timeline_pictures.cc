#include "report/timeline/timeline_pictures.h"

#include <fmt/format.h>

#include "analysis/rank_groups.h"
#include "base/atomic_file.h"
#include "base/units.h"
#include "report/figures/gantt_figure.h"
#include "report/figures/link_map_figure.h"
#include "report/figures/link_matrix_figure.h"
#include "report/figures/overlap_figure.h"

namespace npunet::report {

namespace {

using analysis::RunTimeline;

class PictureFolder {
public:
    explicit PictureFolder(const std::filesystem::path& folder) : folder_(folder) {}

    void add(const std::string& name, const Figure& figure) {
        write(name + ".svg", figure.svg);
        write(name + ".png", figure.png);
    }
    [[nodiscard]] std::vector<std::string> names() const { return names_; }

private:
    void write(const std::string& name, const std::string& content) {
        AtomicFile file(folder_ / name);
        file.stream() << content;
        file.commit();
        names_.push_back(name);
    }

    std::filesystem::path folder_;
    std::vector<std::string> names_;
};

std::string what_of(const RunTimeline& timeline) {
    return fmt::format("{}, {}", timeline.label, format_time(timeline.length));
}

void add_parts(PictureFolder& folder, const RunTimeline& timeline, const char* kind,
               const std::vector<std::vector<Rank>>& parts) {
    for (std::size_t i = 0; i < std::min(parts.size(), most_pictured); ++i) {
        if (parts.size() > 1 && parts[i].size() > 1) {
            folder.add(fmt::format("gantt-{}-{}", kind, i),
                       gantt_figure({fmt::format("Ranks of {} {}", kind, i),
                                     what_of(timeline),
                                     {{"", &timeline, parts[i]}}}));
        }
    }
}

}  // namespace

std::vector<std::string> write_pictures(const RunTimeline& timeline,
                                        const std::filesystem::path& folder) {
    PictureFolder pictures(folder);
    const std::vector<Rank> ranks = timeline.ranks();
    pictures.add("gantt", gantt_figure({fmt::format("{} ranks", ranks.size()),
                                        what_of(timeline),
                                        {{"", &timeline, ranks}}}));
    const analysis::RankGroups groups = analysis::find_rank_groups(timeline);
    add_parts(pictures, timeline, "pipeline", groups.pipelines);
    add_parts(pictures, timeline, "replica", groups.replicas);
    const OverlapPlot overlap{"Computation and communication of micro-batches",
                              what_of(timeline) + ", mean over the ranks", &timeline, ranks};
    if (!overlap_bars(overlap, true).empty() || !overlap_bars(overlap, false).empty()) {
        pictures.add("overlap", overlap_figure(overlap));
    }
    if (!timeline.load.empty()) {
        const LinkMapPlot links{"How busy the links are", what_of(timeline), &timeline.load,
                                timeline.length};
        if (is_legible(timeline.load)) {
            pictures.add("links", link_map_figure(links));
        }
        pictures.add("link-matrix", draw_figure(link_matrix_sheet(links)));
    }
    return pictures.names();
}

std::vector<std::string> write_pictures(const RunTimeline& first, const RunTimeline& second,
                                        const std::filesystem::path& folder) {
    PictureFolder pictures(folder);
    pictures.add("gantt", gantt_figure({"Two runs on one axis",
                                        "",
                                        {{what_of(first), &first, first.ranks()},
                                         {what_of(second), &second, second.ranks()}}}));
    return pictures.names();
}

}  // namespace npunet::report
