#include "generators/recorded/recorded_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/errors.h"

namespace npunet::generators::recorded {

namespace {

using Kind = RecordedEvent::Kind;

/// Messages of different groups do not meet, though their ranks and tags be the same.
constexpr std::int32_t tags_of_a_group = 1 << 16;
constexpr std::int32_t most_groups = 1 << 15;

void add_unless_there(std::vector<std::uint64_t>& ids, std::uint64_t id) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
        ids.push_back(id);
    }
}

/// "all_reduce".
std::string kind_name(const RecordedEvent& event) {
    if (event.kind != Kind::Collective) {
        return event.kind == Kind::Send ? "send" : "receive";
    }
    std::string name(chakra::name_of(event.collective));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
}

}  // namespace

std::string group_name(std::int32_t number) {
    return std::to_string(number + 1);
}

void RecordedMatches::add(const RecordedMatches& other) {
    matched.count += other.matched.count;
    matched.flops += other.matched.flops;
    measured_ns += other.measured_ns;
    for (const auto& [name, operations] : other.unmatched) {
        unmatched[name].count += operations.count;
        unmatched[name].flops += operations.flops;
    }
}

void RecordedTotals::add(const RecordedTotals& other) {
    nodes += other.nodes;
    operations += other.operations;
    product_flops += other.product_flops;
    other_flops += other.other_flops;
    for (const auto& [name, kind] : other.kinds) {
        kinds[name].nodes += kind.nodes;
        kinds[name].bytes += kind.bytes;
    }
    matches.add(other.matches);
}

RecordedTrace::RecordedTrace(const RankSubstitution& substitution, Rank rank, Visitor visitor,
                             const profiler::OperatorTimes* times)
    : substitution_(substitution), rank_(rank), visitor_(std::move(visitor)), times_(times) {}

RecordedTrace::Ids& RecordedTrace::before(std::int32_t stream) {
    const auto place = static_cast<std::size_t>(stream);
    if (place >= before_.size()) {
        before_.resize(place + 1);
    }
    return before_[place];
}

void RecordedTrace::add(const RecordedEvent& event) {
    switch (event.kind) {
        case Kind::Operation:
            add_operation(event);
            return;
        case Kind::Collective:
            add_collective(event);
            return;
        case Kind::Send:
        case Kind::Receive:
            add_message(event);
            return;
        case Kind::Wait:
            if (const auto call = calls_.find(event.number); call != calls_.end()) {
                add_unless_there(before(event.stream), call->second);
            }
            return;
        case Kind::Mark:
            marks_[event.number] = before(event.stream);
            return;
        case Kind::MarkWait:
            if (const auto mark = marks_.find(event.number); mark != marks_.end()) {
                for (const std::uint64_t id : mark->second) {
                    add_unless_there(before(event.stream), id);
                }
            }
            return;
    }
}

chakra::Node RecordedTrace::node(const RecordedEvent& event) {
    chakra::Node node;
    node.id = next_id_++;
    node.data_deps = before(event.stream);
    for (const std::int64_t call : event.after) {
        if (const auto found = calls_.find(call); found != calls_.end()) {
            add_unless_there(node.data_deps, found->second);
        }
    }
    ++totals_.nodes;
    return node;
}

std::int64_t RecordedTrace::measured_ns(const RecordedEvent& event) {
    if (times_ == nullptr) {
        return 0;
    }
    RecordedMatches& matches = totals_.matches;
    if (const auto name = times_->find(event.operation);
        name != times_->end() && !event.inputs.empty()) {
        if (const auto known = name->second.find(event.inputs); known != name->second.end()) {
            const std::vector<std::int64_t>& times = known->second;
            const std::int64_t ns = times[taken_[&times]++ % times.size()];
            ++matches.matched.count;
            matches.matched.flops += event.flops;
            matches.measured_ns += ns;
            return ns;
        }
    }
    RecordedMatches::Operations& unmatched = matches.unmatched[event.operation];
    ++unmatched.count;
    unmatched.flops += event.flops;
    return 0;
}

void RecordedTrace::add_operation(const RecordedEvent& event) {
    chakra::Node one = node(event);
    one.name = event.name;
    one.type = chakra::NodeType::Compute;
    if (const std::int64_t ns = measured_ns(event); ns > 0) {
        one.duration_micros = static_cast<std::uint64_t>((ns + 500) / 1000);
        one.set_integer("duration_ns", ns);
    } else {
        one.set_integer("num_ops", event.flops);
    }
    one.set("tensor_size", static_cast<std::uint64_t>(event.bytes));
    if (!event.kernel.empty()) {
        one.set_text("kernel", event.kernel);
        if (!event.dtype.empty()) {
            one.set_text("dtype", event.dtype);
        }
        one.set("shape", event.shape);
    }
    one.set_bool("is_cpu_op", false);
    before(event.stream) = {one.id};
    ++totals_.operations;
    (event.kernel == "matmul" ? totals_.product_flops : totals_.other_flops) += event.flops;
    visitor_(one);
}

void RecordedTrace::count(const std::string& kind, std::int64_t bytes) {
    RecordedTotals::Kind& total = totals_.kinds[kind];
    ++total.nodes;
    total.bytes += bytes;
}

void RecordedTrace::add_collective(const RecordedEvent& event) {
    const std::int32_t group = substitution_.group(event.group);
    chakra::Node one = node(event);
    one.name = fmt::format("{} {}", kind_name(event), event.place);
    one.type = chakra::NodeType::CommCollective;
    one.set_integer("comm_type", static_cast<std::int64_t>(event.collective));
    one.set_integer("comm_size", event.bytes);
    if (!event.sizes.empty() && std::adjacent_find(event.sizes.begin(), event.sizes.end(),
                                                   std::not_equal_to<>()) != event.sizes.end()) {
        one.set("comm_sizes", event.sizes);
    }
    if (event.peer.valid()) {
        one.set_integer("comm_root", substitution_.root(event.group, event.peer).value());
    }
    one.set_text("pg_name", group_name(group));
    one.set_bool("is_cpu_op", false);
    if (!event.dtype.empty()) {
        one.set_text("dtype", event.dtype);
    }
    const auto [last, is_first] = last_of_group_.try_emplace(group, one.id);
    if (!is_first) {
        add_unless_there(one.data_deps, last->second);
        last->second = one.id;
    }
    const auto place = std::lower_bound(groups_.begin(), groups_.end(), group);
    if (place == groups_.end() || *place != group) {
        groups_.insert(place, group);
    }
    calls_[event.number] = one.id;
    count(kind_name(event), event.bytes);
    visitor_(one);
}

void RecordedTrace::add_message(const RecordedEvent& event) {
    const std::int32_t group = substitution_.group(event.group);
    if (event.tag >= tags_of_a_group || group >= most_groups) {
        throw InputError(
            {event.place, "", fmt::format("tag {} in group {}", event.tag, group),
             fmt::format("tags below {} and fewer than {} groups", tags_of_a_group, most_groups),
             "Use smaller tags"});
    }
    const bool sends = event.kind == Kind::Send;
    const Rank peer = substitution_.peer(event.peer);
    chakra::Node one = node(event);
    one.name = fmt::format("{} {}", kind_name(event), event.place);
    one.type = sends ? chakra::NodeType::CommSend : chakra::NodeType::CommReceive;
    one.set_integer("comm_size", event.bytes);
    one.set_int32("comm_tag", event.tag + tags_of_a_group * group);
    one.set_int32("comm_src", (sends ? rank_ : peer).value());
    one.set_int32("comm_dst", (sends ? peer : rank_).value());
    one.set_bool("is_cpu_op", false);
    calls_[event.number] = one.id;
    count(kind_name(event), event.bytes);
    visitor_(one);
}

}  // namespace npunet::generators::recorded
