#include "planner/metis/profile_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"

namespace npunet::planner::metis {

namespace {

constexpr int most_log_tp = 31;

/// -1 for what is no power of two: no search asks for it.
int exact_log(std::int64_t number) {
    int log = 0;
    while (std::int64_t{1} << log < number) {
        ++log;
    }
    return std::int64_t{1} << log == number ? log : -1;
}

const LayerProfile& first_profile(const Inputs& inputs, const Arguments& arguments) {
    if (arguments.first_profile.empty()) {
        return inputs.profiles.all().front();
    }
    const LayerProfile* first = inputs.profiles.named(arguments.first_profile);
    if (first == nullptr) {
        throw InputError(
            {"--first-profile", "", "'" + arguments.first_profile + "'",
             "the name of a file in " + inputs.profile_folder.string(),
             "Leave it out for the first name, " + inputs.profiles.all().front().file_name});
    }
    return *first;
}

std::vector<double> norm_durations(const LayerProfile& profile, const Inputs& inputs,
                                   std::int64_t layers) {
    const auto file = (inputs.profile_folder / profile.file_name).string();
    const auto& times = profile.layer_ms;
    if (static_cast<std::int64_t>(times.size()) < layers) {
        throw InputError({file, "execution_time: layer_compute_total_ms",
                          fmt::format("{} layers", times.size()),
                          fmt::format("at least the {} of --total-layers", layers),
                          "Profile the whole model, or stretch the profiles"});
    }
    const double total = SliceSums(times, layers).total();
    if (!(total > 0)) {
        throw InputError({file, "execution_time: layer_compute_total_ms", "a sum of 0",
                          "the time of the layers", "Correct the profile"});
    }
    std::vector<double> norm;
    for (const double time : times) {
        norm.push_back(time / total);
    }
    return norm;
}

}  // namespace

void ProfileTable::read_first(const Inputs& inputs, const Arguments& arguments) {
    const LayerProfile& profile = first_profile(inputs, arguments);
    const auto& bytes = profile.parameter_bytes;
    if (bytes.size() < 2) {
        throw InputError({(inputs.profile_folder / profile.file_name).string(),
                          "model: parameters: parameters_per_layer_bytes",
                          fmt::format("{} layers", bytes.size()), "at least 2", ""});
    }
    first_.optimizer_ms = profile.optimizer_ms * 2;
    first_.batch_generator_ms = profile.batch_generator_ms;
    first_.input_bytes = bytes.front();
    first_.transformer_bytes = bytes[1];
    first_.output_bytes = bytes.back();
    const LayerProfile* smallest = inputs.profiles.find(profile.type, 1, 1);
    if (smallest == nullptr) {
        throw InputError(
            {folder_, "", "no profile " + profile.type + ", tp 1, batch 1",
             "it, whose times weigh the layers: the type is that of " + profile.file_name,
             "Add it, or choose another --first-profile"});
    }
    first_.norm = norm_durations(*smallest, inputs, arguments.num_layers);
}

ProfileTable::ProfileTable(const Inputs& inputs, const Cluster& cluster, const Arguments& arguments)
    : folder_(inputs.profile_folder.string()) {
    read_first(inputs, arguments);
    for (const DeviceType& type : cluster.types()) {
        types_.push_back(type.name);
    }
    for (const LayerProfile& profile : inputs.profiles.all()) {
        const auto type = std::find(types_.begin(), types_.end(), profile.type);
        const int log_tp = exact_log(profile.tp);
        if (type == types_.end() || log_tp < 0) {
            continue;
        }
        index_.emplace(key(static_cast<int>(type - types_.begin()), log_tp, profile.batch),
                       profiles_.size());
        Profile& entry = profiles_.emplace_back();
        entry.time = SliceSums(profile.layer_ms, arguments.num_layers);
        entry.memory = SliceSums(profile.layer_memory_mib, arguments.num_layers);
        entry.total = entry.time.total();
        entry.fb_sync = profile.forward_backward_ms - entry.total;
    }
}

std::uint64_t ProfileTable::key(int type, int log_tp, std::int64_t batch) {
    return (static_cast<std::uint64_t>(type) << 40 | static_cast<std::uint64_t>(batch)) << 5 |
           static_cast<std::uint64_t>(log_tp);
}

std::string ProfileTable::name(int type, int log_tp, std::int64_t batch) const {
    return fmt::format("DeviceType.{}_tp{}_bs{}.json", types_[static_cast<std::size_t>(type)],
                       std::int64_t{1} << log_tp, batch);
}

const Profile* ProfileTable::find(int type, int log_tp, std::int64_t batch) const {
    const auto found = index_.find(key(type, std::min(log_tp, most_log_tp), batch));
    return found == index_.end() ? nullptr : &profiles_[found->second];
}

const Profile& ProfileTable::needed(int type, int log_tp, std::int64_t batch) const {
    const Profile* profile = find(type, log_tp, batch);
    if (profile == nullptr) {
        throw InputError(
            {folder_, "", "no " + name(type, log_tp, batch),
             fmt::format("a profile of {}, tp {}, batch {}, which a plan of the search needs",
                         types_[static_cast<std::size_t>(type)], std::int64_t{1} << log_tp, batch),
             "Add it; or lower --max-tp or --max-micro-batch; a --batch that "
             "is a power of two needs powers of two alone"});
    }
    return *profile;
}

const Profile& ProfileTable::timed(int type, int log_tp, std::int64_t batch) const {
    const Profile& profile = needed(type, log_tp, batch);
    if (!(profile.total > 0)) {
        throw InputError({folder_, name(type, log_tp, batch), "layers that take no time",
                          "a sum of layer_compute_total_ms above 0", "Correct the profile"});
    }
    return profile;
}

}  // namespace npunet::planner::metis
