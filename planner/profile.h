// Measured times and memory of a model's layers on one type of device, for one degree of tensor
// parallelism and one micro-batch size; and a folder of them.
//
//     ProfileSet profiles = read_profiles("profiles");       // DeviceType.A100_tp4_bs8.json, ...
//     const LayerProfile* profile = profiles.find("A100", 4, 8);
//
// The form of the files is that of Metis (docs/planner.md). Layers are numbered from 0; the first
// is the embedding and the last the output layer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace npunet::planner {

/// The longest time in a file: 11 days.
constexpr double most_profile_ms = 1e9;

/// One file. Times are ms of one micro-batch, forward and backward pass together, communication
/// inside the tensor-parallel group included.
struct LayerProfile {
    std::string file_name;
    std::string type;
    std::int64_t tp = 1;
    std::int64_t batch = 1;  ///< samples of a micro-batch

    std::vector<double> layer_ms;
    double forward_backward_ms = 0;  ///< of the whole model, what is between the layers included
    double optimizer_ms = 0;
    double batch_generator_ms = 0;
    /// Of a layer on one device. May be shorter than layer_ms, as Metis's own samples are.
    std::vector<double> layer_memory_mib;
    /// Ours, may be empty: the part of layer_memory_mib that each further micro-batch in flight
    /// takes again.
    std::vector<double> layer_activation_mib;
    std::vector<double> parameter_bytes;  ///< of a layer, on all devices of a group together
};

/// The profiles of a folder in the order of their file names.
class ProfileSet {
public:
    ProfileSet() = default;
    /// Throws InputError (`folder` names it) where two are of the same type, tp and batch.
    ProfileSet(std::vector<LayerProfile> profiles, const std::filesystem::path& folder);

    [[nodiscard]] const std::vector<LayerProfile>& all() const { return profiles_; }
    /// Null where there is none.
    [[nodiscard]] const LayerProfile* find(const std::string& type, std::int64_t tp,
                                           std::int64_t batch) const;
    /// Null where there is no file of that name.
    [[nodiscard]] const LayerProfile* named(const std::string& file_name) const;

private:
    std::vector<LayerProfile> profiles_;
    std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::size_t> index_;
};

/// Reads every *.json of a folder. Throws InputError with file and field for a folder without
/// profiles, a name without type, tp and bs, and values that are missing or negative.
[[nodiscard]] ProfileSet read_profiles(const std::filesystem::path& folder);

}  // namespace npunet::planner
