// Chooses algorithm, chunks and how many of them are under way, by cost under the estimate.
//
// Looked at are all algorithms that system.json could name: along the tiers that the communicator
// fills, the same one in each; over one line of all members; and, from the best of the former on,
// another one in one tier after the other, as long as that is faster. Each by PlanTimer, alone on
// the machine, with 1, 2, 4, ... 64 chunks of which 1, 2 or 4 are under way, each member's part of
// a chunk having 4 KiB at least. No number of chunks makes an algorithm faster than its busiest
// port, nor than it is with a byte: what cannot win is not looked at. Of those within 2 % of the
// best, the one wins whose busiest link, ports or not, has the least to carry: on an oversubscribed
// tree that keeps traffic in the leaves, which the estimate does not reward. What system.json says
// of algorithm or chunks is taken as it is.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "engine/collective/communicator_layout.h"
#include "engine/collective/plan.h"
#include "engine/collective/plan_timer.h"
#include "engine/collective/recipe.h"

namespace npunet::engine {

class AlgorithmChooser {
public:
    /// The references must outlive the chooser. `ranks`: of the workload.
    AlgorithmChooser(const topology::NetworkDescription& network, const SystemConfig& system,
                     std::size_t ranks)
        : timer_(network, system, ranks) {}

    struct Question {
        CollectiveKind kind = CollectiveKind::AllReduce;
        Bytes size;  ///< as in the trace
        const std::vector<Rank>* ranks = nullptr;
        const CommunicatorLayout* layout = nullptr;
        /// For unequal all-to-alls of this mean size: direct, along the tiers or over one line.
        bool direct_only = false;
        /// What system.json says.
        const AlgorithmForm* form = nullptr;  ///< null: to be chosen
        std::int32_t splits = 0;              ///< 0: to be chosen
        std::int32_t active_chunks = 0;       ///< 0: to be chosen
    };
    /// The plan of a member by a recipe; `tiny`: of a byte, for what latencies alone take.
    using Planner =
        std::function<CollectivePlan(std::size_t member, const CollectiveRecipe&, bool tiny)>;

    [[nodiscard]] CollectiveRecipe choose(const Question& question, const Planner& planner);

private:
    struct Candidate {
        CollectiveRecipe recipe;
        Time time;
        Time least;      ///< with any number of chunks
        Time latencies;  ///< of one chunk, one after the other
        bool tuned = false;
    };

    [[nodiscard]] Candidate look_at(const AlgorithmForm& form);
    [[nodiscard]] PlanTimer::Timing time(const CollectiveRecipe& recipe, bool tiny = false);
    [[nodiscard]] std::vector<CollectivePlan> plans_of(const CollectiveRecipe& recipe,
                                                       bool tiny) const;
    void tune_chunks(Candidate& candidate);
    /// The time, or that of the busiest link anywhere if that is longer.
    [[nodiscard]] Time with_shared_links(const Candidate& candidate) const;
    /// The fastest, or one of the candidates that is close and has less to carry, or fewer
    /// latencies.
    [[nodiscard]] Candidate spare_shared_links(const Candidate& fastest,
                                               std::vector<Candidate>& candidates);
    /// Chunks are to be chosen.
    [[nodiscard]] bool is_open() const {
        return question_->splits == 0 || question_->active_chunks == 0;
    }
    void mix_algorithms(Candidate& best);
    /// What was timed beside the best one, once each.
    [[nodiscard]] std::vector<TimedForm> others(const Candidate& best,
                                                const std::vector<Candidate>& candidates) const;
    [[nodiscard]] std::vector<AlgorithmForm> forms() const;
    [[nodiscard]] std::vector<std::size_t> sample() const;

    PlanTimer timer_;
    const Question* question_ = nullptr;
    const Planner* planner_ = nullptr;
    std::vector<std::size_t> members_;  ///< that are looked at
    std::vector<Rank> ranks_;           ///< of those
    std::vector<Candidate> mixes_;      ///< timed by mix_algorithms()
};

/// "ring", "flat-ring", "direct+ring": as results name it, for a communicator with this number of
/// factors.
[[nodiscard]] std::string name_of(const AlgorithmForm& form, std::size_t factors);

}  // namespace npunet::engine
