#include <fmt/format.h>

#include "tests/support/draw.h"
#include "traffic.h"

namespace npunet::validation {

namespace {

constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = 1024 * kib;

constexpr TrafficClass collectives[] = {TrafficClass::AllReduce, TrafficClass::AllGather,
                                        TrafficClass::ReduceScatter, TrafficClass::AllToAll};

/// From this size on collectives go in several chunks.
constexpr std::int64_t in_chunks = 16 * mib;

engine::SystemConfig standard_system(std::int64_t bytes) {
    return bytes < in_chunks ? system_with("ring", "direct", 1, 1)
                             : system_with("ring", "direct", 4, 2);
}

/// Small enough for packets: a step of 128 NPUs takes tens of millions of packet-hops.
generators::ModelSpec step_model() {
    generators::ModelSpec model = generators::dense_model(
        {.hidden = 1024, .layers = 4, .heads = 16, .vocab = 4096, .seq = 1024});
    model.name = "validation";
    return model;
}

Traffic product_step(std::int64_t tp, std::int64_t pp, std::size_t npus) {
    generators::Plan plan;
    plan.tp = tp;
    plan.pp = pp;
    plan.dp = std::max<std::int64_t>(1, static_cast<std::int64_t>(npus) / (tp * pp));
    plan.batch = plan.dp * 2 * pp;
    plan.overlap_grad_reduce = pp == 1 && plan.dp > 1;
    return step(step_model(), plan, npus, standard_system(in_chunks));
}

/// The largest of the divisors of `count` up to `most` that are kept: 1, and two of three others.
std::int64_t drawn_divisor(std::int64_t count, std::int64_t most, test::Draw& draw) {
    std::int64_t found = 1;
    for (std::int64_t part = 2; part <= most; ++part) {
        if (count % part == 0 && !draw.one_in(3)) {
            found = part;
        }
    }
    return found;
}

Traffic hold_out_step(std::size_t npus, test::Draw& draw) {
    generators::ModelSpec model =
        generators::gpt_model({.hidden = 960, .layers = 6, .heads = 60, .vocab = 3600, .seq = 700});
    model.name = "hold-out";
    const auto count = static_cast<std::int64_t>(npus);
    generators::Plan plan;
    plan.tp = drawn_divisor(count, 6, draw);
    plan.pp = drawn_divisor(count / plan.tp, 3, draw);
    plan.dp = count / (plan.tp * plan.pp);
    plan.batch = plan.dp * plan.pp * draw.from_to(1, 2);
    const std::int32_t chunks = draw.any_of({1, 3});
    return step(model, plan, npus, system_with("ring", "direct", chunks, 1));
}

engine::SystemConfig hold_out_system(test::Draw& draw) {
    const char* const algorithm =
        draw.any_of({"ring", "ring", "bidirectionalRing", "halvingDoubling"});
    const char* const all_to_all = draw.any_of({"direct", "direct", "direct3", "ring"});
    const std::int32_t chunks = draw.any_of({1, 2, 5});
    return system_with(algorithm, all_to_all, chunks, draw.any_of({1, 3}));
}

/// 10 kB to 30 MB, the logarithm drawn roughly evenly, in whole hundreds.
std::int64_t hold_out_size(test::Draw& draw) {
    std::int64_t bytes = draw.from_to(100, 300);
    for (std::int64_t doublings = draw.from_to(0, 10); doublings > 0; --doublings) {
        bytes *= 2;
    }
    return 100 * bytes;
}

}  // namespace

std::vector<Traffic> product_traffic(std::size_t npus) {
    std::vector<Traffic> all;
    for (const auto& [tp, pp] : {std::pair{8, 1}, {4, 2}, {2, 4}, {1, 1}}) {
        all.push_back(product_step(tp, pp, npus));
    }
    for (const std::int64_t bytes : {64 * kib, mib, 16 * mib, 64 * mib}) {
        for (const TrafficClass kind : collectives) {
            all.push_back(collective(kind, bytes, npus, standard_system(bytes)));
        }
        all.push_back(permutation(bytes, npus, 34));
        all.push_back(incast(bytes, npus, 7));
    }
    all.push_back(mix(npus, 8, 256 * kib, 1));
    all.push_back(mix(npus, 8, 4 * mib, 2));
    all.push_back(two_jobs(4 * mib, npus, 0, Time(), standard_system(4 * mib)));
    all.push_back(two_jobs(16 * mib, npus, 5, Time::ns(50'000), standard_system(16 * mib)));
    return all;
}

Traffic hold_out_traffic(std::size_t number, std::size_t npus) {
    test::Draw draw(43'000 + number);
    const TrafficClass kind = traffic_classes[number % std::size(traffic_classes)];
    const std::int64_t bytes = hold_out_size(draw);
    switch (kind) {
        case TrafficClass::Step:
            return hold_out_step(npus, draw);
        case TrafficClass::Permutation:
            return permutation(bytes, npus, 1000 + number);
        case TrafficClass::Incast:
            return incast(bytes, npus, static_cast<std::size_t>(draw.from_to(3, 7)));
        case TrafficClass::Mix: {
            const auto messages = static_cast<std::size_t>(draw.from_to(3, 12));
            return mix(npus, messages, 3'000'000, 1000 + number);
        }
        case TrafficClass::TwoJobs: {
            const Time start = Time::ns(draw.from_to(0, 200'000));
            return two_jobs(bytes, npus, 1000 + number, start, hold_out_system(draw));
        }
        default:
            return collective(kind, bytes, npus, hold_out_system(draw));
    }
}

}  // namespace npunet::validation
