// The profiles of a search by number: of a type, a logarithm of tp and a micro-batch size.
//
//     ProfileTable table(inputs, cluster, arguments);
//     const Profile& profile = table.needed(type, 2, 8);     // tp 4; InputError where there is
//     none
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "planner/metis/cluster.h"
#include "planner/metis/slice_sums.h"

namespace npunet::planner::metis {

struct Profile {
    SliceSums time;    ///< ms
    SliceSums memory;  ///< MiB
    double total = 0;  ///< ms of all layers of the file
    double fb_sync = 0;
};

/// What Metis takes from the first profile alone.
struct FirstProfile {
    double optimizer_ms = 0;  ///< twice what stands in the file
    double batch_generator_ms = 0;
    double input_bytes = 0;
    double transformer_bytes = 0;
    double output_bytes = 0;
    std::vector<double> norm;  ///< of its type, tp 1, batch 1: the layers' shares of the time
};

class ProfileTable {
public:
    /// Throws InputError where there is no such first profile, or it or the one of its type with tp
    /// 1 and batch 1 has fewer layers than the model.
    ProfileTable(const Inputs& inputs, const Cluster& cluster, const Arguments& arguments);

    /// Null where there is none.
    [[nodiscard]] const Profile* find(int type, int log_tp, std::int64_t batch) const;
    [[nodiscard]] const Profile& needed(int type, int log_tp, std::int64_t batch) const;
    /// Throws InputError when its time is 0.
    [[nodiscard]] const Profile& timed(int type, int log_tp, std::int64_t batch) const;

    [[nodiscard]] const FirstProfile& first() const { return first_; }

private:
    void read_first(const Inputs& inputs, const Arguments& arguments);
    [[nodiscard]] static std::uint64_t key(int type, int log_tp, std::int64_t batch);
    [[nodiscard]] std::string name(int type, int log_tp, std::int64_t batch) const;

    std::string folder_;
    std::vector<std::string> types_;
    std::vector<Profile> profiles_;
    std::unordered_map<std::uint64_t, std::size_t> index_;
    FirstProfile first_;
};

}  // namespace npunet::planner::metis
