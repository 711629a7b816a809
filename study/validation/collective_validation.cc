#include "study/validation/collective_validation.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/collective_library/library_model.h"

namespace npunet::study {

namespace {

constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = 1024 * kib;

std::string band_of(std::int64_t bytes) {
    return bytes < 64 * kib     ? "below 64 KiB"
           : bytes < mib        ? "64 KiB to 1 MiB"
           : bytes < 16 * mib   ? "1 to 16 MiB"
           : bytes <= 512 * mib ? "16 to 512 MiB"
                                : "above 512 MiB";
}

std::string how_of(const engine::LibraryTiming& timing) {
    return fmt::format("{} {}, {} {}", engine::name_of(timing.choice.algorithm),
                       engine::name_of(timing.choice.protocol), timing.use.channels,
                       timing.use.channels == 1 ? "channel" : "channels");
}

report::ValidationRow validated(const engine::LibraryProfile& profile,
                                const MeasuredCollective& measured) {
    report::ValidationRow row;
    row.id = measured.id;
    row.group = measured.group;
    row.device = measured.device;
    row.unit = measured.unit;
    row.measured = measured.value;
    row.skipped = measured.skipped;
    if (!row.skipped.empty()) {
        return row;
    }
    row.operation = engine::name_of(measured.call.kind);
    row.band = band_of(measured.call.bytes);
    row.size = static_cast<double>(measured.call.bytes);
    row.series = fmt::format("{} GPUs{}", measured.call.members,
                             measured.call.switches_reduce_type ? "" : ", int8");
    const engine::LibraryGpu* const gpu = profile.find(measured.gpu);
    if (gpu == nullptr) {
        row.skipped = fmt::format("the profile has no GPU '{}'", measured.gpu);
        return row;
    }
    const engine::LibraryVersion& version =
        measured.version == engine::LibraryVersion() ? profile.version : measured.version;
    const engine::LibraryModel model(*gpu->architecture, version, gpu->constants);
    const auto timing = model.time(measured.call, measured.machine, measured.override);
    if (!timing || timing->time <= Time()) {
        row.skipped = "the library has no algorithm for it";
        return row;
    }
    row.simulated = measured.in_unit(static_cast<double>(timing->time.ps()) * 1e-6);
    row.how = how_of(*timing);
    row.calibrated = std::find(profile.calibrated_on.begin(), profile.calibrated_on.end(),
                               measured.group) != profile.calibrated_on.end();
    return row;
}

}  // namespace

report::ValidationRows validate_collectives(const engine::LibraryProfile& profile,
                                            const std::vector<MeasuredCollective>& measured) {
    report::ValidationRows rows;
    rows.title = fmt::format("collectives, {}-{}", profile.library, profile.version.text());
    for (const MeasuredCollective& one : measured) {
        rows.rows.push_back(validated(profile, one));
    }
    return rows;
}

}  // namespace npunet::study
