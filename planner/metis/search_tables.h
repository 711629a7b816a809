// What all plans of a search share: read once, then only looked at, by all threads.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/metis/arguments.h"
#include "planner/metis/cluster.h"
#include "planner/metis/node_sequence.h"
#include "planner/metis/profile_table.h"

namespace npunet::planner::metis {

class SearchTables {
public:
    /// Throws InputError for arguments and inputs with which no search can begin.
    SearchTables(const Inputs& inputs, const Arguments& arguments);
    SearchTables(const SearchTables&) = delete;
    SearchTables& operator=(const SearchTables&) = delete;

    [[nodiscard]] const Arguments& arguments() const { return arguments_; }
    [[nodiscard]] const Cluster& cluster() const { return cluster_; }
    [[nodiscard]] const ProfileTable& profiles() const { return profiles_; }
    /// All orders of the types, lexicographically.
    [[nodiscard]] const std::vector<NodeSequence>& sequences() const { return sequences_; }
    /// Numbers of micro-batches, downwards.
    [[nodiscard]] const std::vector<std::int64_t>& batches() const { return batches_; }
    /// Logarithms of tp and dp are below.
    [[nodiscard]] std::size_t levels() const { return levels_; }

    [[nodiscard]] std::int64_t micro_batch(std::size_t batches, std::size_t log_dp) const {
        return micro_batch_[batches * levels_ + log_dp];
    }
    /// Of that micro-batch; null where there is none.
    [[nodiscard]] const Profile* profile(int type, std::size_t log_tp, std::size_t batches,
                                         std::size_t log_dp) const {
        return profile_[profile_place(type, log_tp, batches, log_dp)];
    }

    /// What a stage of that tp has of the first profile's amounts.
    struct Shares {
        double input_bytes;
        double transformer_bytes;
        double output_bytes;
        double optimizer_ms;
    };
    [[nodiscard]] const Shares& shares(std::size_t log_tp) const { return shares_[log_tp]; }
    /// layers / all layers.
    [[nodiscard]] double part_of_layers(std::size_t layers) const { return part_[layers]; }

private:
    [[nodiscard]] std::size_t profile_place(int type, std::size_t log_tp, std::size_t batches,
                                            std::size_t log_dp) const {
        return ((static_cast<std::size_t>(type) * levels_ + log_tp) * batches_.size() + batches) *
                   levels_ +
               log_dp;
    }
    void fill_profiles();

    Arguments arguments_;
    Cluster cluster_;
    ProfileTable profiles_;
    std::vector<NodeSequence> sequences_;
    std::vector<std::int64_t> batches_;
    std::size_t levels_ = 1;
    std::vector<std::int64_t> micro_batch_;
    std::vector<const Profile*> profile_;
    std::vector<Shares> shares_;
    std::vector<double> part_;
};

}  // namespace npunet::planner::metis
