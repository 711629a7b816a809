#include "chakra/feeder/trace_feeder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "chakra/dependencies/cycle_text.h"
#include "chakra/feeder/ready_nodes.h"
#include "chakra/feeder/seekable_frames.h"
#include "chakra/feeder/trace_extent.h"
#include "chakra/feeder/waiting_cycle.h"
#include "chakra/feeder/waiting_nodes.h"

namespace npunet::chakra {

namespace {

std::filesystem::path folder_of(const FeederOptions& options) {
    if (!options.temporary_folder.empty()) {
        return options.temporary_folder;
    }
    // Whoever spills into a folder that is not there says so.
    std::error_code error;
    const auto folder = std::filesystem::temp_directory_path(error);
    return error ? std::filesystem::path("/tmp") : folder;
}

/// A number that has nothing to do with the order of ids (the finalizer of MurmurHash3). Of many
/// open dependencies the one with the highest is watched: whatever the order in which they end, a
/// node is looked at a logarithm of their number times.
std::uint64_t scattered(std::uint64_t id) {
    id ^= id >> 33;
    id *= 0xFF51AFD7ED558CCDU;
    id ^= id >> 33;
    id *= 0xC4CEB9FE1A85EC53U;
    return id ^ id >> 33;
}

}  // namespace

class TraceFeeder::Impl {
public:
    Impl(const std::filesystem::path& path, const FeederOptions& options)
        : options_(options),
          frames_(path, options.read, folder_of(options)),
          extent_(frames_),
          cursor_(frames_.begin()),
          waiting_(std::max<std::size_t>(options.window_nodes, 1), folder_of(options)),
          ready_(std::max<std::size_t>(options.window_nodes, 1), folder_of(options)) {}

    const NodeView* next();
    void push_back(std::uint64_t id);
    void finish(std::uint64_t id);
    void remove(std::uint64_t id);
    const NodeView& lookup(std::uint64_t id);

    [[nodiscard]] std::uint64_t node_count() const { return extent_.ids().size(); }

    std::uint64_t finished_count_ = 0;
    std::uint64_t removed_count_ = 0;
    std::uint64_t absent_ctrl_deps_ = 0;

    [[nodiscard]] std::uint64_t taken_count() const { return removed_count_ + taken_.size(); }
    [[nodiscard]] const SeekableFrames& frames() const { return frames_; }

private:
    struct Taken {
        std::uint64_t offset = 0;
        bool finished = false;
    };
    /// What a node still waits for.
    struct Open {
        bool any = false;
        bool only = true;           // there is one, however often it is named
        std::uint64_t watched = 0;  // whose end is the next occasion to look again
    };

    [[nodiscard]] std::uint64_t lowest_unread() const;
    void read_one();
    void place(std::uint64_t id, std::uint64_t offset, const Open& open);
    [[nodiscard]] Open open_deps(const NodeView& node, std::uint64_t offset, bool first_look);
    void look_at(std::uint64_t dep, Open& open) const;
    [[nodiscard]] const NodeView& parse_at(std::uint64_t offset);
    [[nodiscard]] const NodeView& dependencies_at(std::uint64_t offset);
    using TakenNodes = std::unordered_map<std::uint64_t, Taken>;
    TakenNodes::iterator taken(std::uint64_t id, const char* wanted, bool finished);
    [[nodiscard]] std::uint64_t offset_of(std::uint64_t id);
    [[noreturn]] void fail_dangling(std::uint64_t offset, std::uint64_t dep);
    [[noreturn]] void fail_cycle();
    [[noreturn]] void fail_malformed(std::uint64_t offset);
    [[noreturn]] void fail_unknown_type(std::uint64_t offset);

    FeederOptions options_;
    SeekableFrames frames_;
    TraceExtent extent_;
    // The part of the file that was not yet looked at.
    std::uint64_t cursor_;
    std::size_t stretch_ = 0;
    std::uint64_t read_of_stretch_ = 0;
    std::uint64_t last_id_ = 0;

    IdSet finished_;
    WaitingNodes waiting_;
    ReadyNodes ready_;
    TakenNodes taken_;           // and not removed
    std::uint64_t running_ = 0;  // taken and not finished
    NodeView view_;
    NodeView dependencies_;
    std::string canonical_;
};

// Ids of a stretch are at least its lowest; where they ascend, those still to come are higher than
// the last.
std::uint64_t TraceFeeder::Impl::lowest_unread() const {
    const auto& stretches = extent_.stretches();
    if (stretch_ == stretches.size()) {
        return std::numeric_limits<std::uint64_t>::max();
    }
    const auto& stretch = stretches[stretch_];
    if (read_of_stretch_ == 0) {
        return stretch.lowest_from_here;
    }
    const std::uint64_t here = stretch.ascending ? last_id_ + 1 : stretch.lowest;
    return stretch_ + 1 == stretches.size()
               ? here
               : std::min(here, stretches[stretch_ + 1].lowest_from_here);
}

void TraceFeeder::Impl::read_one() {
    const std::uint64_t offset = cursor_;
    const std::string_view frame = frames_.read(cursor_);
    if (!dependencies_.parse_dependencies(frame)) {
        fail_malformed(offset);
    }
    last_id_ = dependencies_.id();
    if (++read_of_stretch_ == extent_.stretches()[stretch_].nodes) {
        ++stretch_;
        read_of_stretch_ = 0;
    }
    place(dependencies_.id(), offset, open_deps(dependencies_, offset, true));
}

void TraceFeeder::Impl::place(std::uint64_t id, std::uint64_t offset, const Open& open) {
    if (open.any) {
        waiting_.add(open.watched, {id, offset, open.only});
    } else {
        ready_.add({id, offset});
    }
}

void TraceFeeder::Impl::look_at(std::uint64_t dep, Open& open) const {
    open.only = !open.any || (open.only && open.watched == dep);
    if (!open.any || scattered(dep) > scattered(open.watched)) {
        open.watched = dep;
    }
    open.any = true;
}

TraceFeeder::Impl::Open TraceFeeder::Impl::open_deps(const NodeView& node, std::uint64_t offset,
                                                     bool first_look) {
    Open open;
    for (const std::uint64_t dep : node.data_deps()) {
        if (finished_.contains(dep)) {
            continue;
        }
        if (extent_.ids().contains(dep)) {
            look_at(dep, open);
        } else if (!options_.ignore_dangling) {
            fail_dangling(offset, dep);
        }
    }
    if (options_.followed == FollowedDeps::Data) {
        return open;
    }
    for (const std::uint64_t dep : node.ctrl_deps()) {
        if (finished_.contains(dep)) {
            continue;
        }
        if (extent_.ids().contains(dep)) {
            look_at(dep, open);
        } else {
            absent_ctrl_deps_ += first_look ? 1 : 0;
        }
    }
    return open;
}

const NodeView* TraceFeeder::Impl::next() {
    while (cursor_ != frames_.end() && (ready_.empty() || ready_.lowest() > lowest_unread())) {
        read_one();
    }
    if (ready_.empty()) {
        if (running_ == 0 && !waiting_.empty()) {
            fail_cycle();
        }
        return nullptr;
    }
    const ReadyNodes::Ready node = ready_.take_lowest();
    const NodeView& view = parse_at(node.offset);
    if (options_.read.unknown_types == UnknownNodeTypes::Refuse &&
        !node_type_from(view.type_number())) {
        fail_unknown_type(node.offset);
    }
    taken_.emplace(node.id, Taken{node.offset, false});
    ++running_;
    return &view;
}

const NodeView& TraceFeeder::Impl::dependencies_at(std::uint64_t offset) {
    std::uint64_t at = offset;
    if (!dependencies_.parse_dependencies(frames_.read(at))) {
        fail_malformed(offset);
    }
    return dependencies_;
}

const NodeView& TraceFeeder::Impl::parse_at(std::uint64_t offset) {
    std::uint64_t at = offset;
    const std::string_view frame = frames_.read(at);
    if (!view_.parse(frame)) {
        auto canonical = canonical_node(frame);
        if (!canonical) {
            fail_malformed(offset);
        }
        canonical_ = *std::move(canonical);
        (void)view_.parse(canonical_);
    }
    return view_;
}

TraceFeeder::Impl::TakenNodes::iterator TraceFeeder::Impl::taken(std::uint64_t id,
                                                                 const char* wanted,
                                                                 bool finished) {
    const auto found = taken_.find(id);
    if (found == taken_.end() || found->second.finished != finished) {
        throw std::logic_error(fmt::format("node {} {}", id, wanted));
    }
    return found;
}

void TraceFeeder::Impl::push_back(std::uint64_t id) {
    const auto node = taken(id, "was not issued, or has ended: it cannot be given back", false);
    ready_.add({id, node->second.offset});
    taken_.erase(node);
    --running_;
}

void TraceFeeder::Impl::finish(std::uint64_t id) {
    taken(id, "was not issued, or has ended before: its children cannot be freed", false)
        ->second.finished = true;
    --running_;
    ++finished_count_;
    finished_.insert(id);
    waiting_.take(id, [this](const WaitingNodes::Waiter& waiter) {
        if (waiter.only) {
            ready_.add({waiter.id, waiter.offset});
        } else {
            const NodeView& node = dependencies_at(waiter.offset);
            place(waiter.id, waiter.offset, open_deps(node, waiter.offset, false));
        }
    });
}

void TraceFeeder::Impl::remove(std::uint64_t id) {
    taken_.erase(taken(id, "has not ended, or was removed before: it cannot be removed", true));
    ++removed_count_;
}

std::uint64_t TraceFeeder::Impl::offset_of(std::uint64_t id) {
    if (const auto node = taken_.find(id); node != taken_.end()) {
        return node->second.offset;
    }
    for (const TraceExtent::Stretch& stretch : extent_.stretches()) {
        if (id < stretch.lowest || id > stretch.highest) {
            continue;
        }
        std::uint64_t at = stretch.begin;
        for (std::uint64_t i = 0; i < stretch.nodes; ++i) {
            const std::uint64_t offset = at;
            if (dependencies_.parse_dependencies(frames_.read(at)) && dependencies_.id() == id) {
                return offset;
            }
        }
    }
    throw std::out_of_range(fmt::format("no node {} in {}", id, frames_.path().string()));
}

const NodeView& TraceFeeder::Impl::lookup(std::uint64_t id) {
    const bool removed = finished_.contains(id) && taken_.find(id) == taken_.end();
    if (removed || !extent_.ids().contains(id)) {
        throw std::out_of_range(fmt::format("no node {} in {}{}", id, frames_.path().string(),
                                            removed ? ": it was removed" : ""));
    }
    return parse_at(offset_of(id));
}

void TraceFeeder::Impl::fail_malformed(std::uint64_t offset) {
    throw InputError({frames_.path().string(), frames_.place(offset), "bytes that are no node",
                      "a Node message of Chakra schema 0.0.4",
                      "The file is damaged. Generate the trace again"});
}

void TraceFeeder::Impl::fail_unknown_type(std::uint64_t offset) {
    throw InputError({frames_.path().string(), frames_.place(offset),
                      fmt::format("node {} of type {}", view_.id(), view_.type_number()),
                      "a node type of Chakra schema 0.0.4 (0 to 7)",
                      "The file is damaged or of another schema. Generate the trace again"});
}

void TraceFeeder::Impl::fail_dangling(std::uint64_t offset, std::uint64_t dep) {
    const NodeView& node = parse_at(offset);
    throw InputError({frames_.path().string(), fmt::format("node {} '{}'", node.id(), node.name()),
                      fmt::format("a data dependency on node {}", dep),
                      "dependencies on nodes of the same trace",
                      "The trace is incomplete; generate it again"});
}

void TraceFeeder::Impl::fail_cycle() {
    const auto cycle = find_waiting_cycle(frames_, finished_, extent_.ids(), options_.followed);
    const std::string expected = "dependencies without cycles";
    const std::string remedy = "Generate the trace again";
    if (cycle.empty()) {
        throw InputError(
            {frames_.path().string(), "",
             fmt::format("{} nodes that wait for each other", node_count() - finished_count_),
             expected, remedy});
    }
    const auto described = [&](std::size_t i) {
        return fmt::format("node {} '{}'", cycle[i].id, parse_at(cycle[i].offset).name());
    };
    throw InputError({frames_.path().string(), described(0), cycle_text(cycle.size(), described),
                      expected, remedy});
}

TraceFeeder::TraceFeeder(const std::filesystem::path& path, const FeederOptions& options)
    : impl_(std::make_unique<Impl>(path, options)) {}

TraceFeeder::~TraceFeeder() = default;
TraceFeeder::TraceFeeder(TraceFeeder&&) noexcept = default;
TraceFeeder& TraceFeeder::operator=(TraceFeeder&&) noexcept = default;

const NodeView* TraceFeeder::next_issuable_node() {
    return impl_->next();
}

void TraceFeeder::push_back_issuable_node(std::uint64_t id) {
    impl_->push_back(id);
}

void TraceFeeder::free_children_nodes(std::uint64_t id) {
    impl_->finish(id);
}

void TraceFeeder::remove_node(std::uint64_t id) {
    impl_->remove(id);
}

bool TraceFeeder::has_nodes_to_issue() const {
    return impl_->removed_count_ != impl_->node_count();
}

const NodeView& TraceFeeder::lookup_node(std::uint64_t id) {
    return impl_->lookup(id);
}

std::uint64_t TraceFeeder::node_count() const {
    return impl_->node_count();
}

std::uint64_t TraceFeeder::taken_count() const {
    return impl_->taken_count();
}

std::uint64_t TraceFeeder::finished_count() const {
    return impl_->finished_count_;
}

std::uint64_t TraceFeeder::absent_ctrl_deps() const {
    return impl_->absent_ctrl_deps_;
}

const TraceMetadata& TraceFeeder::metadata() const {
    return impl_->frames().metadata();
}

const TraceFormat& TraceFeeder::format() const {
    return impl_->frames().format();
}

}  // namespace npunet::chakra
