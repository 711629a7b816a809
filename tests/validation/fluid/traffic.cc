#include "traffic.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "generators/transformer/training_step.h"
#include "study/generated_workload.h"
#include "tests/support/collectives.h"
#include "tests/support/draw.h"

namespace npunet::validation {

namespace {

using chakra::CollectiveType;
using chakra::Node;

CollectiveType type_of(TrafficClass kind) {
    switch (kind) {
        case TrafficClass::AllGather:
            return CollectiveType::AllGather;
        case TrafficClass::ReduceScatter:
            return CollectiveType::ReduceScatter;
        case TrafficClass::AllToAll:
            return CollectiveType::AllToAll;
        default:
            return CollectiveType::AllReduce;
    }
}

std::vector<NodeId> all_npus(std::size_t npus) {
    std::vector<NodeId> list;
    for (std::size_t npu = 0; npu < npus; ++npu) {
        list.emplace_back(npu);
    }
    return list;
}

study::Job job(const study::Machine& machine, std::string name, std::vector<NodeId> npus,
               Time start, const test::NodesOf& nodes) {
    const study::Machine own = study::machine_of(machine, npus);
    return {std::move(name),
            test::workload_of(npus.size(), nodes, {}, study::workload_options(own)),
            std::move(npus), start};
}

JobMaker one_job(std::size_t npus, test::NodesOf nodes) {
    return [npus, nodes = std::move(nodes)](const study::Machine& machine) {
        std::vector<study::Job> jobs;
        jobs.push_back(job(machine, "all", all_npus(npus), Time(), nodes));
        return jobs;
    };
}

/// Messages between ranks, of which each has its own tag.
class Messages {
public:
    explicit Messages(std::size_t npus) : nodes_(npus), last_(npus, 0) {}

    /// `micros` of computation of the sender, one after the other, come before.
    void add(std::size_t from, std::size_t to, std::int64_t bytes, std::uint64_t micros = 0) {
        const auto id = static_cast<std::uint64_t>(++tag_) * 2;
        std::vector<std::uint64_t> after;
        if (micros > 0) {
            std::vector<std::uint64_t> before;
            if (last_[from] != 0) {
                before.push_back(last_[from]);
            }
            nodes_[from].push_back(test::compute_node(id - 1, micros, std::move(before)));
            last_[from] = id - 1;
            after.push_back(id - 1);
        }
        nodes_[from].push_back(
            test::send_node(id, static_cast<std::int32_t>(to), bytes, tag_, std::move(after)));
        nodes_[to].push_back(test::receive_node(id, static_cast<std::int32_t>(from), bytes, tag_));
    }

    [[nodiscard]] JobMaker jobs() && {
        const std::size_t npus = nodes_.size();
        return one_job(npus,
                       [nodes = std::move(nodes_)](Rank rank) { return nodes[rank.index()]; });
    }

private:
    std::vector<std::vector<Node>> nodes_;  ///< by rank
    std::vector<std::uint64_t> last_;       ///< computation of each rank; 0: none
    std::int32_t tag_ = 0;
};

std::vector<std::size_t> drawn_order(std::size_t npus, test::Draw& draw) {
    std::vector<std::size_t> order(npus);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = npus; i > 1; --i) {
        std::swap(order[i - 1],
                  order[static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(i)))]);
    }
    return order;
}

/// What the four kinds send of their size.
std::int64_t sent_by_npu(TrafficClass kind, std::int64_t bytes) {
    return kind == TrafficClass::AllReduce ? 2 * bytes : bytes;
}

}  // namespace

const char* name_of(TrafficClass kind) {
    switch (kind) {
        case TrafficClass::Step:
            return "step";
        case TrafficClass::AllReduce:
            return "all-reduce";
        case TrafficClass::AllGather:
            return "all-gather";
        case TrafficClass::ReduceScatter:
            return "reduce-scatter";
        case TrafficClass::AllToAll:
            return "all-to-all";
        case TrafficClass::Permutation:
            return "permutation";
        case TrafficClass::Incast:
            return "incast";
        case TrafficClass::Mix:
            return "mix";
        case TrafficClass::TwoJobs:
            break;
    }
    return "two jobs";
}

std::string size_text(std::int64_t bytes) {
    constexpr std::int64_t kib = 1024;
    if (bytes % (kib * kib) == 0) {
        return fmt::format("{}MiB", bytes / (kib * kib));
    }
    return bytes % kib == 0 ? fmt::format("{}KiB", bytes / kib) : fmt::format("{}B", bytes);
}

engine::SystemConfig system_with(const std::string& algorithm, const std::string& all_to_all,
                                 std::int32_t chunks, std::int32_t active) {
    using engine::CollectiveKind;
    engine::SystemConfig system;
    for (const CollectiveKind kind :
         {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter}) {
        system.implementations(kind) = {test::implementation(algorithm)};
    }
    system.implementations(CollectiveKind::AllToAll) = {test::implementation(all_to_all)};
    system.preferred_dataset_splits = chunks;
    system.active_chunks_per_dimension = active;
    system.roofline = true;
    system.compute = {300, 2000};
    return system;
}

Traffic collective(TrafficClass kind, std::int64_t bytes, std::size_t npus,
                   engine::SystemConfig system) {
    const CollectiveType type = type_of(kind);
    const std::int64_t part =
        type == CollectiveType::AllGather
            ? std::max<std::int64_t>(1, bytes / static_cast<std::int64_t>(npus))
            : bytes;
    return {fmt::format("{}-{}", name_of(kind), size_text(bytes)),
            kind,
            sent_by_npu(kind, bytes),
            std::move(system),
            one_job(npus, [type, part](
                              Rank) { return std::vector{test::collective_node(1, type, part)}; }),
            ""};
}

Traffic permutation(std::int64_t bytes, std::size_t npus, std::uint64_t seed) {
    test::Draw draw(seed);
    std::vector<std::size_t> order = drawn_order(npus, draw);
    Messages messages(npus);
    // One round through all of them, so that none sends to itself.
    for (std::size_t i = 0; i < npus; ++i) {
        messages.add(order[i], order[(i + 1) % npus], bytes);
    }
    return {"permutation-" + size_text(bytes),
            TrafficClass::Permutation,
            bytes,
            engine::SystemConfig(),
            std::move(messages).jobs(),
            ""};
}

Traffic incast(std::int64_t bytes, std::size_t npus, std::size_t senders) {
    Traffic traffic{fmt::format("incast{}-{}", senders, size_text(bytes)),
                    TrafficClass::Incast,
                    bytes * static_cast<std::int64_t>(senders) / static_cast<std::int64_t>(npus),
                    engine::SystemConfig(),
                    {},
                    ""};
    if (npus <= senders) {
        traffic.unable = fmt::format("{} NPUs have no {} senders and a receiver", npus, senders);
        return traffic;
    }
    Messages messages(npus);
    for (std::size_t i = 1; i <= senders; ++i) {
        messages.add(i * npus / (senders + 1), 0, bytes);
    }
    traffic.jobs = std::move(messages).jobs();
    return traffic;
}

Traffic mix(std::size_t npus, std::size_t messages_each, std::int64_t most, std::uint64_t seed) {
    constexpr double least = 1024;
    test::Draw draw(seed);
    Messages messages(npus);
    const auto count = static_cast<std::int64_t>(npus);
    std::int64_t sum = 0;
    for (std::int64_t from = 0; from < count; ++from) {
        for (std::size_t i = 0; i < messages_each; ++i) {
            const std::int64_t to = (from + draw.from_to(1, count - 1)) % count;
            const double part = static_cast<double>(draw.below(1000)) / 1000;
            const auto bytes = std::llround(
                least * std::exp2(part * std::log2(static_cast<double>(most) / least)));
            messages.add(static_cast<std::size_t>(from), static_cast<std::size_t>(to), bytes,
                         static_cast<std::uint64_t>(draw.from_to(0, 40)));
            sum += bytes;
        }
    }
    return {fmt::format("mix-{}-{}", size_text(most), seed),
            TrafficClass::Mix,
            sum / count,
            engine::SystemConfig(),
            std::move(messages).jobs(),
            ""};
}

Traffic two_jobs(std::int64_t bytes, std::size_t npus, std::uint64_t seed, Time start,
                 engine::SystemConfig system) {
    std::vector<std::size_t> order(npus);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (seed != 0) {
        test::Draw draw(seed);
        order = drawn_order(npus, draw);
    }
    std::vector<NodeId> first;
    std::vector<NodeId> second;
    for (std::size_t i = 0; i < npus; ++i) {
        (i % 2 == 0 ? first : second).emplace_back(order[i]);
    }
    const auto make = [bytes, first, second, start](const study::Machine& machine) {
        std::vector<study::Job> jobs;
        jobs.push_back(job(machine, "reduces", first, Time(), [bytes](Rank) {
            return std::vector{test::collective_node(1, CollectiveType::AllReduce, bytes),
                               test::collective_node(2, CollectiveType::AllReduce, bytes, "", {1})};
        }));
        jobs.push_back(job(machine, "exchanges", second, start, [bytes](Rank) {
            return std::vector{test::collective_node(1, CollectiveType::AllToAll, bytes)};
        }));
        return jobs;
    };
    return {fmt::format("jobs-{}-{}", seed == 0 ? "alternate" : "drawn", size_text(bytes)),
            TrafficClass::TwoJobs,
            5 * bytes / 2,
            std::move(system),
            make,
            ""};
}

Traffic step(const generators::ModelSpec& model, const generators::Plan& plan, std::size_t npus,
             engine::SystemConfig system) {
    Traffic traffic{fmt::format("step-tp{}-pp{}-dp{}", plan.tp, plan.pp, plan.dp),
                    TrafficClass::Step,
                    0,
                    std::move(system),
                    {},
                    ""};
    const auto count = static_cast<std::int64_t>(npus);
    if (plan.world() != count) {
        traffic.unable =
            fmt::format("tp {} x pp {} does not divide {} NPUs", plan.tp, plan.pp, npus);
        return traffic;
    }
    const std::int64_t gradients =
        generators::parameter_count(model) * model.dtypes.gradients / (plan.tp * plan.pp);
    const std::int64_t activations = model.seq * model.hidden * model.dtypes.activations;
    traffic.bytes =
        (plan.dp > 1 ? 2 * gradients : 0) +
        (plan.tp > 1 ? 8 * activations * model.layers / plan.pp * plan.batch / plan.dp : 0);
    traffic.jobs = [model, plan, npus](const study::Machine& machine) {
        std::vector<study::Job> jobs;
        jobs.push_back({"step",
                        study::workload_from(generators::generate(model, plan),
                                             study::workload_options(machine)),
                        all_npus(npus), Time()});
        return jobs;
    };
    return traffic;
}

}  // namespace npunet::validation
