#include "report/results/results_lists.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/link_classes.h"

namespace npunet::report {

namespace {

using engine::CollectiveResult;
using engine::LinkResult;
using Layout = JsonWriter::Layout;

Time duration(const CollectiveResult& collective) {
    return collective.end - collective.first_start;
}

/// Places of the `most_of_many` first ones by the order, ascending.
template <class List, class Before>
std::vector<std::size_t> first_of(const List& list, Before before) {
    std::vector<std::size_t> places(list.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t a, std::size_t b) { return before(list[a], list[b]); });
    places.resize(most_of_many);
    std::sort(places.begin(), places.end());
    return places;
}

void write_collective(JsonWriter& json, const CollectiveResult& collective) {
    json.begin_object()
        .member("id", collective.id)
        .member("name", collective.name)
        .member("type", collective.type)
        .key("group");
    write_ranks(json, collective.group);
    json.member("algorithm", collective.algorithm)
        .member("bytes", collective.bytes)
        .member("first_start_ns", collective.first_start)
        .member("last_start_ns", collective.last_start)
        .member("end_ns", collective.end)
        .member("bandwidth_GBps", collective.bandwidth_gbps)
        .member("bound_ns", collective.least)
        .member("bandwidth_bound_GBps", collective.bandwidth_bound_gbps)
        .end_object();
}

/// Those alike, by their first one.
void write_collective_classes(JsonWriter& json, const std::vector<CollectiveResult>& collectives) {
    struct Alike {
        std::int64_t count = 0;
        Time least = Time::max();
        Time most;
        double sum_ns = 0;
    };
    using Key = std::tuple<std::string, std::size_t, Bytes, std::string>;
    std::map<Key, Alike> classes;
    std::vector<std::map<Key, Alike>::const_iterator> in_order;
    for (const CollectiveResult& each : collectives) {
        const auto [entry, is_new] = classes.try_emplace(
            Key{each.type, each.group.size(), each.bytes, each.algorithm}, Alike());
        if (is_new) {
            in_order.push_back(entry);
        }
        Alike& alike = entry->second;
        ++alike.count;
        alike.least = std::min(alike.least, duration(each));
        alike.most = std::max(alike.most, duration(each));
        alike.sum_ns += static_cast<double>(duration(each).ps()) / 1e3;
    }
    json.key("classes").begin_array(Layout::Lines);
    for (const auto& entry : in_order) {
        const auto& [type, members, bytes, algorithm] = entry->first;
        const Alike& alike = entry->second;
        json.begin_object()
            .member("type", type)
            .member("members", std::uint64_t{members})
            .member("bytes", bytes)
            .member("algorithm", algorithm)
            .member("count", alike.count)
            .member("shortest_ns", alike.least)
            .member("mean_ns", alike.sum_ns / static_cast<double>(alike.count))
            .member("longest_ns", alike.most)
            .end_object();
    }
    json.end_array();
}

void write_link(JsonWriter& json, const LinkResult& link, const std::string& link_class) {
    json.begin_object()
        .member("from", link.from)
        .member("to", link.to)
        .member("class", link_class)
        .member("payload_bytes", link.payload)
        .member("wire_bytes", link.wire)
        .member("utilization_percent", link.utilization_percent)
        .member("max_queue_bytes", link.max_queue)
        .member("packets", link.packets)
        .member("retransmissions", link.retransmissions)
        .member("credit_stall_ns", link.credit_stall);
    for (const auto& [name, count] :
         {std::pair("pauses", link.pauses), std::pair("marked", link.marked),
          std::pair("drops", link.drops), std::pair("notifications", link.notifications)}) {
        if (count > 0) {
            json.member(name, count);
        }
    }
    if (!link.classes_wire.empty()) {
        json.key("classes_wire_bytes").begin_array();
        for (const Bytes bytes : link.classes_wire) {
            json.value(bytes);
        }
        json.end_array();
    }
    if (!link.queue_times.empty()) {
        json.key("queue_ns").begin_array();
        for (const Time time : link.queue_times) {
            json.value(time);
        }
        json.end_array();
    }
    json.end_object();
}

}  // namespace

void write_ranks(JsonWriter& json, const std::vector<Rank>& ranks) {
    json.begin_array();
    for (const Rank rank : ranks) {
        json.value(rank.value());
    }
    json.end_array();
}

void write_collectives(JsonWriter& json, const engine::Results& results, bool full) {
    const std::vector<CollectiveResult>& all = results.collectives;
    const bool truncated = !full && all.size() > most_listed;
    if (truncated) {
        json.key("truncated_collectives")
            .begin_object(Layout::Lines)
            .member("count", std::uint64_t{all.size()});
        write_collective_classes(json, all);
        json.end_object();
    }
    json.key("collectives").begin_array(Layout::Lines);
    if (truncated) {
        for (const std::size_t place :
             first_of(all, [](const CollectiveResult&a, const CollectiveResult&b) {
                 return duration(a) > duration(b);
             })) {
            write_collective(json, all[place]);
        }
    } else {
        for (const CollectiveResult& collective : all) {
            write_collective(json, collective);
        }
    }
    json.end_array();
}

void write_links(JsonWriter& json, const engine::Results& results, bool full) {
    const std::vector<LinkResult>& all = results.links;
    const bool truncated = !full && all.size() > most_listed;
    if (truncated) {
        json.key("truncated_links")
            .begin_object()
            .member("count", std::uint64_t{all.size()})
            .end_object();
    }
    json.key("links").begin_array(Layout::Lines);
    if (truncated) {
        for (const std::size_t place : first_of(all, [](const LinkResult&a, const LinkResult&b) {
                 return a.utilization_percent > b.utilization_percent;
             })) {
            write_link(json, all[place], analysis::class_of(results, all[place]));
        }
    } else {
        for (const LinkResult& link : all) {
            write_link(json, link, analysis::class_of(results, link));
        }
    }
    json.end_array();
}

}  // namespace npunet::report
