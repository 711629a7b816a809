// The traffic with which the fluid model is validated against packets.
//
// Algorithms are named, so that a pair stays the same pair when what `auto` chooses changes: rings
// along the dimensions or tiers for all-reduces, all-gathers and reduce-scatters, all peers at once
// for all-to-alls, which are what NCCL and RCCL most often do. As `auto` does, small ones go in one
// chunk, and from 16 MiB on in four, of which two are under way at a time, so that phases of
// several dimensions overlap. The size of an all-gather is that of its result.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "chakra/trace/node.h"
#include "engine/machine/system_config.h"
#include "generators/transformer/model_spec.h"
#include "generators/transformer/plan.h"
#include "study/jobs.h"
#include "study/simulation_run.h"

namespace npunet::validation {

enum class TrafficClass : std::uint8_t {
    Step,
    AllReduce,
    AllGather,
    ReduceScatter,
    AllToAll,
    Permutation,
    Incast,
    Mix,
    TwoJobs
};

inline constexpr TrafficClass traffic_classes[] = {
    TrafficClass::Step,          TrafficClass::AllReduce, TrafficClass::AllGather,
    TrafficClass::ReduceScatter, TrafficClass::AllToAll,  TrafficClass::Permutation,
    TrafficClass::Incast,        TrafficClass::Mix,       TrafficClass::TwoJobs};

/// "step", "all-reduce", ...
[[nodiscard]] const char* name_of(TrafficClass kind);

/// Makes the jobs on a machine whose system is that of the traffic; a single one has all NPUs.
using JobMaker = std::function<std::vector<study::Job>(const study::Machine& machine)>;

struct Traffic {
    std::string name;  ///< within a network
    TrafficClass kind = TrafficClass::Step;
    std::int64_t bytes = 0;  ///< that an NPU sends, about: for an order by cost
    engine::SystemConfig system;
    JobMaker jobs;
    std::string unable;  ///< why it cannot run on this network; empty: it can
};

/// "64KiB", "1MiB", "1000B".
[[nodiscard]] std::string size_text(std::int64_t bytes);

/// Every collective by this algorithm.
[[nodiscard]] engine::SystemConfig system_with(const std::string& algorithm,
                                               const std::string& all_to_all, std::int32_t chunks,
                                               std::int32_t active);

/// One collective of all NPUs. AllReduce, AllGather, ReduceScatter or AllToAll.
[[nodiscard]] Traffic collective(TrafficClass kind, std::int64_t bytes, std::size_t npus,
                                 engine::SystemConfig system);

/// Each NPU sends to another one and receives from one, drawn by the seed.
[[nodiscard]] Traffic permutation(std::int64_t bytes, std::size_t npus, std::uint64_t seed);

/// `senders` NPUs, spread evenly over all, each send to NPU 0 at the same time.
[[nodiscard]] Traffic incast(std::int64_t bytes, std::size_t npus, std::size_t senders);

/// Each NPU sends `messages` of 1 KiB to `most` bytes (whose logarithm is drawn evenly) to NPUs
/// that are drawn, with 0 to 40 us of computation before each of them.
[[nodiscard]] Traffic mix(std::size_t npus, std::size_t messages, std::int64_t most,
                          std::uint64_t seed);

/// Two jobs on half of the NPUs each, even and odd ones or, with a seed, drawn ones: two
/// all-reduces of `bytes`, one after the other, and from `start` on an all-to-all of `bytes`.
[[nodiscard]] Traffic two_jobs(std::int64_t bytes, std::size_t npus, std::uint64_t seed, Time start,
                               engine::SystemConfig system);

/// A training step; `name` of the plan is "tp8-pp1-dp16". One that cannot be is unable().
[[nodiscard]] Traffic step(const generators::ModelSpec& model, const generators::Plan& plan,
                           std::size_t npus, engine::SystemConfig system);

/// All traffic of the product on this number of NPUs, what cannot run with its reason: four
/// training steps of a model of 75 M parameters (tp x pp of 8 x 1, 4 x 2, 2 x 4 and 1 x 1, dp the
/// rest), the four collectives, a permutation and an incast of 7 in 64 KiB, 1, 16 and 64 MiB, two
/// mixes, two pairs of jobs.
[[nodiscard]] std::vector<Traffic> product_traffic(std::size_t npus);

/// Traffic that no rule of the model was made on, by a fixed seed.
[[nodiscard]] Traffic hold_out_traffic(std::size_t number, std::size_t npus);

}  // namespace npunet::validation
