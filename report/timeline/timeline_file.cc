#include "report/timeline/timeline_file.h"

#include <fmt/format.h>
#include <timeline.pb.h>

#include <algorithm>
#include <limits>
#include <ostream>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "base/input_text.h"
#include "report/results/saved_results.h"

namespace npunet::report {

namespace {

using analysis::Interval;
using analysis::Intervals;
using analysis::RunTimeline;

constexpr std::uint32_t version = 1;
/// What Protobuf parses.
constexpr std::size_t longest_timeline = std::numeric_limits<int>::max();

void add_rows(timeline::Timeline& message, const Intervals& rows) {
    std::int64_t start = 0;
    std::int64_t id = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        message.add_rank(rows.rank(i).value());
        message.add_lane(rows.lane(i));
        message.add_category(static_cast<std::uint32_t>(rows.category(i)));
        message.add_phase(static_cast<std::uint32_t>(rows.phase(i)));
        message.add_dimension(static_cast<std::uint32_t>(rows.dimension(i)));
        message.add_micro_batch(rows.micro_batch(i));
        message.add_name(rows.name(i));
        message.add_start_ps(rows.start(i).ps() - start);
        start = rows.start(i).ps();
        message.add_duration_ps((rows.end(i) - rows.start(i)).ps());
        message.add_bytes(rows.bytes(i).value());
        message.add_group(rows.group(i));
        message.add_peer(rows.peer(i).value());
        message.add_joint(rows.joint(i));
        // Ids wrap round like the unsigned numbers that they are.
        message.add_id(static_cast<std::int64_t>(rows.id(i) - static_cast<std::uint64_t>(id)));
        id = static_cast<std::int64_t>(rows.id(i));
    }
}

void add_load(timeline::LinkLoad& message, const analysis::LinkLoad& load) {
    message.set_bin_ps(load.bin.ps());
    message.set_bins(static_cast<std::uint32_t>(load.bins));
    for (const analysis::LinkLoad::Link& link : load.links) {
        timeline::Link& entry = *message.add_links();
        entry.set_from(link.from);
        entry.set_to(link.to);
        entry.set_kind(link.kind);
    }
    for (const std::string& kind : load.kinds) {
        message.add_kinds(kind);
    }
    for (const analysis::LinkLoad::Node& node : load.nodes) {
        timeline::Node& entry = *message.add_nodes();
        entry.set_name(node.name);
        entry.set_x(node.x);
        entry.set_y(node.y);
    }
    message.mutable_shares()->Add(load.shares.begin(), load.shares.end());
}

/// Turns a message into a timeline, and trusts nothing.
class Reader {
public:
    Reader(const timeline::Timeline& message, std::string file)
        : message_(message), file_(std::move(file)) {}

    SavedTimeline read() {
        expect(message_.version() == version, "version", fmt::format("{}", message_.version()),
               fmt::format("{}", version));
        RunTimeline& timeline = saved_.timeline;
        timeline.label = message_.label();
        timeline.source =
            message_.measured() ? analysis::RunSource::Measured : analysis::RunSource::Simulated;
        timeline.length = Time::ps(message_.length_ps());
        expect(message_.length_ps() >= 0 && message_.length_ps() <= 2 * latest, "length_ps",
               fmt::format("{}", message_.length_ps()), fmt::format("0 to {}", 2 * latest));
        for (const std::string& name : message_.names()) {
            expect(timeline.names.number_of(name) + 1 == timeline.names.size(), "names",
                   "'" + name + "' twice", "different names");
        }
        for (const timeline::Group& group : message_.groups()) {
            analysis::TimelineGroup& entry = timeline.groups.emplace_back();
            entry.name = group.name();
            for (const std::int32_t rank : group.ranks()) {
                expect(is_rank(rank), "groups", fmt::format("rank {}", rank), rank_range);
                entry.ranks.emplace_back(rank);
            }
        }
        timeline.notes.assign(message_.notes().begin(), message_.notes().end());
        for (const timeline::Input& input : message_.inputs()) {
            saved_.inputs.push_back({input.option(), input.value()});
        }
        read_load();
        read_rows();
        timeline.finish();
        if (message_.has_results()) {
            saved_.results = restored_results(message_.results());
            saved_.results->notes = timeline.notes;
        }
        return std::move(saved_);
    }

private:
    static constexpr std::int32_t most_ranks = 1 << 22;
    static constexpr const char* rank_range = "0 to 4194303";
    static constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max() / 4;

    static bool is_rank(std::int32_t rank) { return rank >= 0 && rank < most_ranks; }

    void expect(bool holds, const char* place, const std::string& found,
                const std::string& expected) const {
        if (!holds) {
            throw InputError({file_, place, found, expected,
                              "Make the folder again with npunet simulate --output-dir"});
        }
    }

    void read_load() {
        const timeline::LinkLoad& from = message_.load();
        analysis::LinkLoad& load = saved_.timeline.load;
        const auto shares = static_cast<std::size_t>(from.shares_size());
        expect(shares == std::size_t{from.bins()} * static_cast<std::size_t>(from.links_size()) ||
                   shares == 0,
               "load", fmt::format("{} shares", shares), "one for each link and bin");
        expect(from.bin_ps() >= 0 && from.bin_ps() < latest / (1 + std::int64_t{from.bins()}),
               "load", fmt::format("bins of {} ps", from.bin_ps()), "a length of time");
        load.bin = Time::ps(from.bin_ps());
        load.bins = shares == 0 ? 0 : from.bins();
        for (const timeline::Link& link : from.links()) {
            expect(std::int64_t{link.kind()} < std::max(1, from.kinds_size()), "load",
                   fmt::format("a link of kind {}", link.kind()),
                   fmt::format("one of {} kinds", from.kinds_size()));
            load.links.push_back({link.from(), link.to(), link.kind()});
        }
        load.kinds.assign(from.kinds().begin(), from.kinds().end());
        for (const timeline::Node& node : from.nodes()) {
            expect(node.x() >= 0 && node.x() < 1e6F && node.y() >= 0 && node.y() < 1e6F, "load",
                   fmt::format("a node at {}, {}", node.x(), node.y()), "0 to 1000000");
            load.nodes.push_back({node.name(), node.x(), node.y()});
        }
        for (const float share : from.shares()) {
            expect(share >= 0 && share <= 1, "load", fmt::format("a share of {}", share), "0 to 1");
            load.shares.push_back(share);
        }
    }

    void read_rows() {
        const int rows = message_.rank_size();
        for (const int size :
             {message_.lane_size(), message_.category_size(), message_.phase_size(),
              message_.dimension_size(), message_.micro_batch_size(), message_.name_size(),
              message_.start_ps_size(), message_.duration_ps_size(), message_.bytes_size(),
              message_.group_size(), message_.peer_size(), message_.joint_size(),
              message_.id_size()}) {
            expect(size == rows, "columns", fmt::format("{} and {} rows", rows, size),
                   "columns of one length");
        }
        saved_.timeline.intervals.reserve(static_cast<std::size_t>(rows));
        std::int64_t start = 0;
        std::uint64_t id = 0;
        for (int i = 0; i < rows; ++i) {
            const std::int64_t step = message_.start_ps(i);
            expect(step > -latest && step < latest, "start_ps", fmt::format("{}", step),
                   "a time of the run");
            start += step;
            id += static_cast<std::uint64_t>(message_.id(i));
            read_row(i, start, id);
        }
    }

    void read_row(int i, std::int64_t start, std::uint64_t id) {
        RunTimeline& timeline = saved_.timeline;
        const auto names = timeline.names.size();
        expect(is_rank(message_.rank(i)), "rank", fmt::format("{}", message_.rank(i)), rank_range);
        expect(message_.lane(i) < names && message_.name(i) < names, "name",
               fmt::format("{} and {}", message_.lane(i), message_.name(i)),
               fmt::format("below {}", names));
        expect(message_.category(i) < analysis::categories &&
                   message_.phase(i) < analysis::phases &&
                   message_.dimension(i) < analysis::dimensions,
               "category, phase, dimension",
               fmt::format("{}, {}, {}", message_.category(i), message_.phase(i),
                           message_.dimension(i)),
               "those of the list");
        const std::int64_t length = message_.duration_ps(i);
        expect(start >= 0 && start < latest && length >= 0 && length < latest, "start_ps",
               fmt::format("{} for {}", start, length), "times of the run");
        expect(message_.group(i) >= -1 &&
                   message_.group(i) < static_cast<std::int64_t>(timeline.groups.size()),
               "group", fmt::format("{}", message_.group(i)), "a group, or -1");
        expect(message_.peer(i) == -1 || is_rank(message_.peer(i)), "peer",
               fmt::format("{}", message_.peer(i)), rank_range);
        expect(message_.joint(i) >= -1 && message_.joint(i) < message_.rank_size(), "joint",
               fmt::format("{}", message_.joint(i)), "-1 to the number of rows");
        Interval row;
        row.rank = Rank(message_.rank(i));
        row.lane = message_.lane(i);
        row.category = static_cast<analysis::Category>(message_.category(i));
        row.phase = static_cast<analysis::Phase>(message_.phase(i));
        row.dimension = static_cast<analysis::Dimension>(message_.dimension(i));
        row.micro_batch = std::max(Interval::none, message_.micro_batch(i));
        row.name = message_.name(i);
        row.start = Time::ps(start);
        row.end = Time::ps(start + length);
        row.bytes = Bytes(std::max<std::int64_t>(-1, message_.bytes(i)));
        row.group = message_.group(i);
        row.peer = message_.peer(i) < 0 ? Rank() : Rank(message_.peer(i));
        row.joint = message_.joint(i);
        row.id = id;
        timeline.intervals.add(row);
    }

    const timeline::Timeline& message_;
    std::string file_;
    SavedTimeline saved_;
};

}  // namespace

void write_timeline(const RunTimeline& timeline, const InputList& inputs,
                    const engine::Results* results, std::ostream& stream) {
    timeline::Timeline message;
    message.set_version(version);
    message.set_label(timeline.label);
    message.set_measured(timeline.source == analysis::RunSource::Measured);
    message.set_length_ps(timeline.length.ps());
    for (std::uint32_t name = 0; name < timeline.names.size(); ++name) {
        message.add_names(timeline.names[name]);
    }
    for (const analysis::TimelineGroup& group : timeline.groups) {
        timeline::Group& entry = *message.add_groups();
        entry.set_name(group.name);
        for (const Rank rank : group.ranks) {
            entry.add_ranks(rank.value());
        }
    }
    for (const std::string& note : timeline.notes) {
        message.add_notes(note);
    }
    for (const NamedInput& input : inputs) {
        timeline::Input& entry = *message.add_inputs();
        entry.set_option(input.name);
        entry.set_value(input.value);
    }
    if (results != nullptr) {
        save_results(*results, *message.mutable_results());
    }
    add_load(*message.mutable_load(), timeline.load);
    add_rows(message, timeline.intervals);
    message.SerializeToOstream(&stream);
}

void write_timeline_file(const RunTimeline& timeline, const InputList& inputs,
                         const engine::Results* results, const std::filesystem::path& path) {
    AtomicFile file(path);
    write_timeline(timeline, inputs, results, file.stream());
    file.commit();
}

SavedTimeline read_timeline(std::string_view bytes, const std::string& label) {
    timeline::Timeline message;
    if (bytes.size() > longest_timeline ||
        !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
        throw InputError({label, "", "no timeline", "a file that npunet has written whole",
                          "Make the folder again with npunet simulate --output-dir"});
    }
    return Reader(message, label).read();
}

SavedTimeline read_timeline_file(const std::filesystem::path& path) {
    return read_timeline(
        read_input_text(path, "timeline.pb in a results folder of a simulation",
                        "npunet simulate --output-dir DIR makes such a folder", longest_timeline),
        path.string());
}

}  // namespace npunet::report
