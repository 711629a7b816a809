#include "engine/device/stack_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/json_object.h"
#include "base/json_writer.h"
#include "base/shipped_files.h"
#include "base/suggest.h"
#include "engine/device/kernel_time.h"

namespace npunet::engine {

namespace {

using StackJson = nlohmann::ordered_json;
using StackFields = JsonObject<StackJson>;

struct ScalarField {
    const char* key;
    double StackScalars::*value;
    NumberRange range;
};
const std::vector<ScalarField> scalar_fields{
    {"compute-rate", &StackScalars::compute_rate, {0.1, 2}},
    {"memory-time", &StackScalars::memory_time, {0.1, 20}},
    {"tensor-overlap", &StackScalars::tensor_overlap, {0, 1}},
    {"residual-percent", &StackScalars::residual_percent, {0, 1000}}};

void check_stack_keys(const StackFields& fields, const std::vector<std::string>& known) {
    std::vector<std::string> warnings;
    fields.check_keys(known, {}, false, warnings);
}

StackScalars scalars_in(const StackFields& fields) {
    std::vector<std::string> known;
    StackScalars scalars;
    for (const ScalarField& field : scalar_fields) {
        known.emplace_back(field.key);
        scalars.*field.value = fields.number(field.key, field.range);
    }
    check_stack_keys(fields, known);
    return scalars;
}

/// Each of them scalars, or the name of a device before it that it is like.
std::map<std::string, StackScalars> devices_in(const StackFields& fields, const StackJson& list) {
    std::map<std::string, StackScalars> devices;
    for (const auto& [name, value] : list.items()) {
        if (!value.is_string()) {
            devices[name] = scalars_in(fields.object(name));
            continue;
        }
        const auto like = devices.find(value.get<std::string>());
        if (like == devices.end()) {
            fields.refuse(name, value, "scalars, or the name of a device before it");
        }
        devices[name] = like->second;
    }
    return devices;
}

}  // namespace

StackScalars StackProfile::scalars_of(const std::string& device) const {
    const auto found = devices.find(device);
    return found == devices.end() ? StackScalars() : found->second;
}

std::vector<std::string> known_stacks() {
    return names_of_files(shipped_path("configs/stacks"), {".json"});
}

StackProfile load_stack_profile(const std::string& name_or_file, const std::string& where) {
    if (is_file_name(name_or_file, {".json"})) {
        return read_stack_profile(name_or_file);
    }
    const std::vector<std::string> names = known_stacks();
    if (std::find(names.begin(), names.end(), name_or_file) == names.end()) {
        throw InputError(
            {where, "", fmt::format("'{}'", name_or_file),
             fmt::format("a stack profile (.json) or one of {}", fmt::join(names, ", ")),
             did_you_mean(name_or_file, names)});
    }
    return read_stack_profile(shipped_path("configs/stacks/" + name_or_file + ".json").string());
}

StackProfile read_stack_profile(const std::string& path) {
    const auto document = read_json_object<StackJson>(path, {"a stack profile", "Check the path"});
    const StackFields fields(path, document);
    check_stack_keys(fields, {"schema", "name", "attention-kernel", "host-us", "scale-jitter",
                              "overlaps-gradients", "overlaps-parameters", "devices",
                              "calibrated-on", "sources"});
    if (fields.at("schema", "1") != 1) {
        fields.refuse("schema", fields["schema"], "1", "Use the profile of this version");
    }
    StackProfile profile;
    profile.file = path;
    profile.name = fields.text("name");
    if (fields.contains("attention-kernel")) {
        profile.attention_kernel = fields.text("attention-kernel");
    }
    profile.host_us = fields.number("host-us", {0, 1e6});
    profile.scale_jitter = fields.number("scale-jitter", {0, 1});
    profile.overlaps_gradients = fields.flag("overlaps-gradients");
    profile.overlaps_parameters = fields.flag("overlaps-parameters");
    profile.devices = devices_in(fields.object("devices"), document["devices"]);
    const StackJson& groups = fields.at("calibrated-on", "a list of groups");
    for (const StackJson& group : groups) {
        if (!groups.is_array() || !group.is_string()) {
            fields.refuse("calibrated-on", groups, "a list of names of groups");
        }
        profile.calibrated_on.push_back(group.get<std::string>());
    }
    const StackFields sources = fields.object("sources");
    for (const auto& [key, value] : document["sources"].items()) {
        profile.sources[key] = sources.text(key);
    }
    return profile;
}

std::string stack_profile_text(const StackProfile& profile) {
    constexpr auto lines = JsonWriter::Layout::Lines;
    JsonWriter out;
    out.begin_object(lines);
    out.member("schema", std::int64_t{1}).member("name", profile.name);
    if (!profile.attention_kernel.empty()) {
        out.member("attention-kernel", profile.attention_kernel);
    }
    out.member("host-us", profile.host_us).member("scale-jitter", profile.scale_jitter);
    out.member("overlaps-gradients", std::int64_t{profile.overlaps_gradients ? 1 : 0});
    out.member("overlaps-parameters", std::int64_t{profile.overlaps_parameters ? 1 : 0});
    out.key("devices").begin_object(lines);
    for (const auto& [name, scalars] : profile.devices) {
        out.key(name).begin_object();
        for (const ScalarField& field : scalar_fields) {
            out.member(field.key, scalars.*field.value);
        }
        out.end_object();
    }
    out.end_object();
    out.key("calibrated-on").begin_array();
    for (const std::string& group : profile.calibrated_on) {
        out.value(group);
    }
    out.end_array();
    out.key("sources").begin_object(lines);
    for (const auto& [key, text] : profile.sources) {
        out.member(key, text);
    }
    out.end_object();
    out.end_object();
    return out.text() + "\n";
}

double running_us(const DeviceProfile& device, const StackProfile& stack, const KernelCall& call,
                  double bytes) {
    if (call.launches == 0) {
        return 0;
    }
    const StackScalars scalars = stack.scalars_of(device.name);
    const bool named = std::any_of(
        device.attention.begin(), device.attention.end(),
        [&stack](const AttentionKernel& one) { return one.name == stack.attention_kernel; });
    const double alone = kernel_us(device, call, bytes, named ? stack.attention_kernel : "");
    const bool product = call.kernel == Kernel::Matmul || call.kernel == Kernel::GroupedMatmul;
    const double load = product ? matmul_rates(device, call.type).loaded_rate : 1;
    return is_memory_bound(call.kernel) ? alone * scalars.memory_time
                                        : alone / (scalars.compute_rate * load);
}

double kernel_us(const DeviceProfile& device, const StackProfile& stack, const KernelCall& call,
                 double bytes) {
    return std::max(running_us(device, stack, call, bytes), stack.host_us * call.launches);
}

}  // namespace npunet::engine
