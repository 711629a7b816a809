#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/units.h"
#include "report/results/npu_summary.h"
#include "report/results/step_summary.h"
#include "report/tables.h"

namespace npunet::report {

namespace {

using analysis::Bottleneck;
using analysis::StepSummary;
using engine::NpuResult;
using engine::Parallelism;
using engine::Results;

/// "tensor-parallel "; a word before what is communicated.
const char* adjective_of(Parallelism dimension) {
    static constexpr std::array<const char*, engine::parallelisms> adjectives{
        "tensor-parallel ", "pipeline ",         "data-parallel ",
        "expert-parallel ", "context-parallel ", ""};
    return adjectives[static_cast<std::size_t>(dimension)];
}

bool waits_alike(const NpuResult& a, const NpuResult& b, const Bottleneck& bottleneck) {
    const auto exposed = [&bottleneck](const NpuResult& npu) {
        switch (bottleneck.kind) {
            case Bottleneck::Kind::Compute:
                return npu.compute;
            case Bottleneck::Kind::Communication:
                if (npu.dimensions) {
                    const engine::DimensionTimes::Entry& times =
                        (*npu.dimensions)[bottleneck.dimension];
                    return times.exposed - times.waiting;
                }
                return npu.exposed_communication;
            case Bottleneck::Kind::Memory:
                return npu.exposed_memory;
            case Bottleneck::Kind::Waiting:
                break;
        }
        return npu.idle;
    };
    return a.npu_class == b.npu_class && exposed(a) == exposed(b);
}

/// "rank 3", "ranks 0-15": all of the same work and the same figure.
std::string ranks_like(const Results& results, const StepSummary& summary) {
    std::vector<Rank> ranks;
    for (const NpuResult& npu : results.npus) {
        if (waits_alike(npu, *summary.last, summary.bottleneck)) {
            ranks.push_back(npu.rank);
        }
    }
    return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", format_ranks(ranks));
}

const engine::Carrier* carrier_of(const Results& results, Parallelism dimension) {
    const auto found = std::find_if(
        results.carriers.begin(), results.carriers.end(),
        [dimension](const engine::Carrier& one) { return one.dimension == dimension; });
    return found == results.carriers.end() ? nullptr : &*found;
}

/// "data-parallel all_gather and reduce_scatter"
std::string what_is_carried(const engine::Carrier* carrier, Parallelism dimension) {
    std::string operations;
    for (const std::string& operation :
         carrier == nullptr ? std::vector<std::string>() : carrier->operations) {
        operations += (operations.empty() ? "" : " and ") + operation;
    }
    return adjective_of(dimension) + (operations.empty() ? "communication" : operations);
}

std::string communication_sentence(const Results& results, const StepSummary& summary,
                                   const std::string& ranks) {
    const Bottleneck& bottleneck = summary.bottleneck;
    const engine::Carrier* const carrier = carrier_of(results, bottleneck.dimension);
    const std::string carried = what_is_carried(carrier, bottleneck.dimension);
    const std::string waiting = fmt::format("{} ({} of the run)", format_time(bottleneck.waiting),
                                            format_share(bottleneck.waiting, summary.last->finish));
    if (bottleneck.exposed == Time() && bottleneck.waiting > Time()) {
        return fmt::format("{}communication of other ranks, for which rank {} waits {}",
                           adjective_of(bottleneck.dimension), summary.last->rank.value(), waiting);
    }
    std::string times = fmt::format("for {}, {} of it exposed ({} of the run)",
                                    format_time(bottleneck.time), format_time(bottleneck.exposed),
                                    format_share(bottleneck.exposed, summary.last->finish));
    if (bottleneck.waiting > Time()) {
        times += fmt::format("; rank {} waits another {} for ranks that do the same",
                             summary.last->rank.value(), waiting);
    }
    if (carrier == nullptr || carrier->links.empty()) {
        return fmt::format("{}: {} {}", ranks, carried, times);
    }
    const std::string& links = carrier->links;
    const bool of_dimension = links.rfind("dimension", 0) == 0;
    return fmt::format("{} {} {} of {} {}",
                       links == "NIC" ? "the NICs"
                       : of_dimension ? links
                                      : fmt::format("the {} links", links),
                       of_dimension ? "carries" : "carry", carried, ranks, times);
}

/// For others that compute; in the pipeline, or in collectives.
std::string waiting_sentence(const StepSummary& summary, const std::string& ranks) {
    const NpuResult& last = *summary.last;
    const bool in_pipeline =
        last.dimensions && (*last.dimensions)[Parallelism::Pipeline].communication > Time();
    const auto idle = [&](const char* cause) {
        return fmt::format("{}: {} idle for {} ({} of the run)", cause, ranks,
                           format_time(last.idle), format_share(last.idle, last.finish));
    };
    if (!last.dimensions || !last.dimensions->hold_ups) {
        return idle(in_pipeline ? "the pipeline bubble" : "waiting for other ranks");
    }
    const auto& [in_collectives, in_idle] = *last.dimensions->hold_ups;
    if (in_collectives.compute > in_idle.compute + in_idle.unknown) {
        return fmt::format(
            "ranks that compute longer: rank {} waits for them for {} ({} of the run)",
            last.rank.value(), format_time(summary.bottleneck.exposed),
            format_share(summary.bottleneck.exposed, last.finish));
    }
    return idle(in_pipeline ? "the pipeline bubble" : "waiting for other ranks") +
           fmt::format(", for {} of it while other ranks compute", format_time(in_idle.compute));
}

/// Of communication, the class that carries it; empty where there is none.
std::string links_of(const Results& results, const Bottleneck& bottleneck) {
    const auto* const carrier = bottleneck.kind == Bottleneck::Kind::Communication
                                    ? carrier_of(results, bottleneck.dimension)
                                    : nullptr;
    return carrier == nullptr ? "" : carrier->links;
}

/// "DP over NIC, 6.6% exposed"; `share` is what of the run is exposed.
std::string words_of(const Bottleneck& bottleneck, const std::string& links,
                     const std::string& share) {
    switch (bottleneck.kind) {
        case Bottleneck::Kind::Compute:
            return "compute, " + share;
        case Bottleneck::Kind::Communication:
            return fmt::format("{}{}{}, {} exposed",
                               bottleneck.dimension == Parallelism::Other
                                   ? "communication"
                                   : name_of(bottleneck.dimension),
                               links.empty() ? "" : " over ", links, share);
        case Bottleneck::Kind::Memory:
            return fmt::format("remote memory, {} exposed", share);
        case Bottleneck::Kind::Waiting:
            break;
    }
    return "idle, " + share;
}

}  // namespace

std::string bottleneck_sentence(const Results& results, const StepSummary& summary) {
    const Bottleneck& bottleneck = summary.bottleneck;
    const std::string ranks = ranks_like(results, summary);
    const std::string exposed = format_time(bottleneck.exposed);
    const std::string share = format_share(bottleneck.holds_up(), summary.last->finish);
    switch (bottleneck.kind) {
        case Bottleneck::Kind::Compute:
            return fmt::format("compute: {} for {} ({} of the run)", ranks, exposed, share);
        case Bottleneck::Kind::Communication:
            return communication_sentence(results, summary, ranks);
        case Bottleneck::Kind::Memory:
            return fmt::format(
                "remote memory: accesses of {} for {}, {} of it exposed ({} of the run)", ranks,
                format_time(bottleneck.time), exposed, share);
        case Bottleneck::Kind::Waiting:
            break;
    }
    return waiting_sentence(summary, ranks);
}

std::optional<BoundBy> bound_by(const Results& results) {
    const std::optional<StepSummary> summary = analysis::step_summary(results);
    if (!summary) {
        return std::nullopt;
    }
    const Bottleneck& bottleneck = summary->bottleneck;
    const std::string links = links_of(results, bottleneck);
    return BoundBy{
        bottleneck, links,
        words_of(bottleneck, links, format_share(bottleneck.holds_up(), summary->last->finish))};
}

}  // namespace npunet::report
