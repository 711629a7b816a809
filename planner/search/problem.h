// What the search works on: the cluster, the model, the profiles, checked against each other; and
// the sums over layers that every cost is made of.
//
//     Problem problem(cluster, profiles, model);
//     const ProfileSums* sums = problem.sums(type, 4, 8);       // null: no such profile
//
// docs/planner.md has the symbols.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "planner/cluster.h"
#include "planner/profile.h"

namespace npunet::planner {

/// What is trained, and how.
struct TrainingModel {
    std::int64_t layers = 0;        ///< L, embedding and output layer among them
    std::int64_t global_batch = 0;  ///< G, samples a step
    double hidden = 4096;           ///< h
    double sequence = 1024;         ///< q
    double activation_bytes = 2;    ///< w
    double memory_factor = 1;
    /// Profiles of larger degrees and micro-batches are not used; none: all are.
    std::optional<std::int64_t> max_tp, max_batch;
    [[nodiscard]] bool allows(std::int64_t tp, std::int64_t batch) const {
        return tp <= max_tp.value_or(tp) && batch <= max_batch.value_or(batch);
    }
    /// Plans that need a profile missing among the others are left out; otherwise that is an error.
    bool skip_missing_profiles = false;
};

/// A profile's figures, ready for sums over layers [a, b).
struct ProfileSums {
    const LayerProfile* profile = nullptr;
    double gap_ms = 0;                   ///< forward_backward - sum of layers; not negative
    std::vector<double> memory_mib;      ///< prefix sums, L + 1 of them
    std::vector<double> activation_mib;  ///< prefix sums, L + 1 of them
};

class Problem {
public:
    /// Throws InputError (`profile_folder` names the profiles) for a model without layers or batch,
    /// a type without profiles, and profiles whose number of layers or parameters do not fit.
    Problem(Cluster cluster, ProfileSet profiles, const TrainingModel& model,
            std::string profile_folder);

    Problem(const Problem&) = delete;
    Problem& operator=(const Problem&) = delete;

    [[nodiscard]] const Cluster& cluster() const { return cluster_; }
    [[nodiscard]] const std::vector<NodeClass>& classes() const { return classes_; }
    [[nodiscard]] const TrainingModel& model() const { return model_; }
    [[nodiscard]] const std::string& profile_folder() const { return folder_; }
    [[nodiscard]] const ProfileSet& profiles() const { return profiles_; }

    /// Null where there is no such profile, or the model excludes it.
    [[nodiscard]] const ProfileSums* sums(std::size_t type, std::int64_t tp,
                                          std::int64_t batch) const;
    /// There are profiles of this degree and of this micro-batch size, of whatever type: one that
    /// is missing is a hole among them.
    [[nodiscard]] bool is_profiled(std::int64_t tp, std::int64_t batch) const;
    /// Bytes of the parameters of layers [0, layer).
    [[nodiscard]] double parameters_before(std::int64_t layer) const {
        return parameters_[static_cast<std::size_t>(layer)];
    }
    [[nodiscard]] double all_parameters() const { return parameters_.back(); }
    /// The bytes of one sample between two layers: q h w.
    [[nodiscard]] double sample_bytes() const {
        return model_.sequence * model_.hidden * model_.activation_bytes;
    }

private:
    void check_model() const;
    void check_profile(const LayerProfile& profile) const;
    [[nodiscard]] ProfileSums sums_of(const LayerProfile& profile) const;
    [[nodiscard]] std::vector<double> activations_of(const LayerProfile& profile) const;

    Cluster cluster_;
    std::vector<NodeClass> classes_;
    ProfileSet profiles_;
    TrainingModel model_;
    std::string folder_;
    std::vector<double> parameters_;  ///< prefix sums
    std::map<std::tuple<std::size_t, std::int64_t, std::int64_t>, ProfileSums> sums_;
};

/// The divisors of a positive number, ascending.
[[nodiscard]] std::vector<std::int64_t> divisors_of(std::int64_t number);

}  // namespace npunet::planner
