// Fits the profile of NCCL 2.29 to measured collectives, says how well, and writes it. See
// scripts/calibrate-collectives.
//
//     calibrate_collectives PROFILE.json ROWS.csv...
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "report/library_profile_text.h"
#include "study/validation/library_fit.h"

namespace npunet::study {
namespace {

using Rows = std::vector<MeasuredCollective>;
using engine::CollectiveKind;

struct Device {
    const char* name;
    std::vector<std::string> also;
    const char* architecture;
    std::vector<std::string> groups;  ///< by how their names begin
};

const engine::LibraryVersion version{2, 29, 2};

/// GB200 and GB300 are left out: they check B200's constants.
const std::vector<Device>& devices() {
    static const std::vector<Device> list{
        {"a100", {}, "ampere", {"aic-a100_sxm-"}},
        {"h100", {"h200"}, "hopper", {"aic-h100_sxm-", "aic-h200_sxm-", "nvls-H200", "log309-4n"}},
        {"b200", {"b300", "gb200", "gb300"}, "blackwell", {"aic-b200_sxm-", "nvls-B200"}},
    };
    return list;
}

bool is_of(const MeasuredCollective& row, const Device& device) {
    return row.skipped.empty() &&
           std::any_of(device.groups.begin(), device.groups.end(), [&](const std::string& begin) {
               return row.group.compare(0, begin.size(), begin) == 0;
           });
}

Rows chosen(const Rows& rows, const std::function<bool(const MeasuredCollective&)>& wanted) {
    Rows some;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(some), wanted);
    return some;
}

bool is_curve(const MeasuredCollective& row) {
    return row.group.compare(0, 4, "aic-") == 0;
}

bool is_sent(const MeasuredCollective& row) {
    return row.call.kind == CollectiveKind::AllToAll;
}

struct Mean {
    double sum = 0;
    std::size_t rows = 0;

    void add(double error) {
        sum += std::abs(error);
        ++rows;
    }
    void add(const Mean& other) {
        sum += other.sum;
        rows += other.rows;
    }
    [[nodiscard]] std::string text() const {
        return rows == 0
                   ? "-"
                   : fmt::format("{:5.2f} % of {}", 100 * sum / static_cast<double>(rows), rows);
    }
};

struct Outcome {
    Mean collectives;
    Mean large;  ///< from 1 MiB
    Mean sends;  ///< from 64 KiB
};

class Calibration {
public:
    Calibration(const Device& device, const Rows& all)
        : device_(device),
          architecture_(*engine::GpuArchitecture::named(device.architecture)),
          rows_(chosen(all, [&](const auto& row) { return is_of(row, device); })) {}

    [[nodiscard]] const Rows& rows() const { return rows_; }

    [[nodiscard]] FittedGpu fit(const Rows& rows) const {
        return fit_library_gpu(architecture_, version, rows);
    }

    [[nodiscard]] double error(const FittedGpu& fitted, const MeasuredCollective& row) const {
        return log_error_of(architecture_, version, fitted.constants, row);
    }

    /// Of the curves among them.
    [[nodiscard]] Outcome outcome(const FittedGpu& fitted, const Rows& rows) const {
        Outcome outcome;
        for (const MeasuredCollective& row : rows) {
            if (!is_curve(row)) {
                continue;
            }
            const double own = error(fitted, row);
            if (!is_sent(row)) {
                outcome.collectives.add(own);
                if (row.call.bytes >= 1 << 20) {
                    outcome.large.add(own);
                }
            } else if (row.call.bytes >= 1 << 16) {
                outcome.sends.add(own);
            }
        }
        return outcome;
    }

    /// Each group predicted by the others.
    [[nodiscard]] Outcome without_each_group() const {
        std::set<std::string> groups;
        for (const MeasuredCollective& row : rows_) {
            groups.insert(is_curve(row) ? row.group : "");
        }
        groups.erase("");
        Outcome sum;
        for (const std::string& group : groups) {
            const auto is_in = [&](const auto& row) { return row.group == group; };
            const Outcome one =
                outcome(fit(chosen(rows_, std::not_fn(is_in))), chosen(rows_, is_in));
            std::printf("    without %-30s %s\n", group.c_str(),
                        (one.sends.rows > 0 ? one.sends : one.collectives).text().c_str());
            sum.collectives.add(one.collectives);
            sum.large.add(one.large);
            sum.sends.add(one.sends);
        }
        return sum;
    }

    /// Rows of 4 GPUs by those of 2 and 8; and by their geometric mean, where both were measured.
    void predict_four(Mean& four, Mean& same, Mean& geometric) const {
        const FittedGpu fitted = fit(chosen(rows_, [](const MeasuredCollective& row) {
            return row.call.members == 2 || row.call.members == 8;
        }));
        for (const MeasuredCollective& row : rows_) {
            if (!is_curve(row) || is_sent(row) || row.call.members != 4) {
                continue;
            }
            const double own = error(fitted, row);
            four.add(own);
            const double two = measured(row, 2);
            const double eight = measured(row, 8);
            if (two > 0 && eight > 0) {
                same.add(own);
                geometric.add(std::log(std::sqrt(two * eight) / row.measured_us()));
            }
        }
    }

    /// Rows of an operation by those of the others.
    void without_operation(CollectiveKind kind, Mean& mean, Mean& switched) const {
        const auto is_in = [&](const MeasuredCollective& row) { return row.call.kind == kind; };
        const FittedGpu fitted = fit(chosen(rows_, std::not_fn(is_in)));
        for (const MeasuredCollective& row : rows_) {
            if (is_in(row) && is_curve(row)) {
                const bool ring = !uses_switches(row);
                (ring ? mean : switched).add(error(fitted, row));
            }
        }
    }

private:
    [[nodiscard]] double measured(const MeasuredCollective& like, std::int32_t members) const {
        const auto found =
            std::find_if(rows_.begin(), rows_.end(), [&](const MeasuredCollective& row) {
                return row.device == like.device && row.call.kind == like.call.kind &&
                       row.call.bytes == like.call.bytes && row.call.members == members &&
                       row.call.switches_reduce_type == like.call.switches_reduce_type;
            });
        return found == rows_.end() ? 0 : found->measured_us();
    }

    [[nodiscard]] bool uses_switches(const MeasuredCollective& row) const {
        const engine::LibraryModel model(architecture_, version, starting_constants(architecture_));
        return model.time(row.call, row.machine, row.override)->choice.algorithm ==
               engine::LibraryAlgorithm::Nvls;
    }

    const Device& device_;
    const engine::GpuArchitecture& architecture_;
    Rows rows_;
};

double rounded(double value) {
    return std::stod(fmt::format("{:.4g}", value));
}

engine::LibraryGpu gpu_of(const Device& device, const FittedGpu& fitted) {
    engine::LibraryGpu gpu;
    gpu.name = device.name;
    gpu.also = device.also;
    gpu.architecture = engine::GpuArchitecture::named(device.architecture);
    std::size_t number = 0;
    for (const engine::LibraryConstant& constant : engine::all_library_constants()) {
        constant.set(gpu.constants, rounded(constant.get(fitted.constants)));
        gpu.sources[number] = fitted.calibrated[number] ? "calibrated" : "start";
        ++number;
    }
    return gpu;
}

int run(const std::string& file, const Rows& all) {
    engine::LibraryProfile profile;
    profile.library = "nccl";
    profile.version = version;
    profile.sources["calibrated"] = {
        "fitted by scripts/calibrate-collectives to the groups under calibrated-on", true};
    profile.sources["start"] = {
        "no measured row depends on it: from NCCL's tuner (src/graph/tuning.cc) and the rates of "
        "the links, as in study/validation/library_fit.cc",
        false};
    Outcome open;
    Outcome unseen;
    Mean four;
    Mean same;
    Mean geometric;
    std::map<CollectiveKind, Mean> operations;
    Mean switched;
    for (const Device& device : devices()) {
        const Calibration calibration(device, all);
        const FittedGpu fitted = calibration.fit(calibration.rows());
        std::set<std::string> groups;
        for (const MeasuredCollective& row : calibration.rows()) {
            groups.insert(row.group);
        }
        std::printf("%s: %zu rows of %zu groups\n", device.name, calibration.rows().size(),
                    groups.size());
        for (const std::string& group : groups) {
            std::printf("    %s\n", group.c_str());
            profile.calibrated_on.push_back(group);
        }
        profile.gpus.push_back(gpu_of(device, fitted));
        const Outcome own = calibration.outcome(fitted, calibration.rows());
        std::printf("  fitted: collectives %s, from 1 MiB %s, all-to-all %s\n",
                    own.collectives.text().c_str(), own.large.text().c_str(),
                    own.sends.text().c_str());
        open.collectives.add(own.collectives);
        open.large.add(own.large);
        open.sends.add(own.sends);
        const Outcome others = calibration.without_each_group();
        unseen.collectives.add(others.collectives);
        unseen.large.add(others.large);
        unseen.sends.add(others.sends);
        calibration.predict_four(four, same, geometric);
        for (const CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::AllGather,
                                          CollectiveKind::ReduceScatter}) {
            Mean operation;
            calibration.without_operation(kind, operation, switched);
            std::printf("  without %s: %s\n", engine::name_of(kind), operation.text().c_str());
            operations[kind].add(operation);
        }
    }
    std::printf("mean |ln(simulated / measured)| of aiconfigurator's curves\n");
    std::printf("  open groups: collectives %s, from 1 MiB %s, all-to-all from 64 KiB %s\n",
                open.collectives.text().c_str(), open.large.text().c_str(),
                open.sends.text().c_str());
    std::printf("  each group by the others: collectives %s, from 1 MiB %s, all-to-all %s\n",
                unseen.collectives.text().c_str(), unseen.large.text().c_str(),
                unseen.sends.text().c_str());
    std::printf("  4 GPUs by 2 and 8: %s; where both were measured %s, their geometric mean %s\n",
                four.text().c_str(), same.text().c_str(), geometric.text().c_str());
    for (const auto& [kind, mean] : operations) {
        std::printf("  %s by the other operations: %s\n", engine::name_of(kind),
                    mean.text().c_str());
    }
    std::printf("  NVLS all-reduce by the other operations (no row left that has it): %s\n",
                switched.text().c_str());
    AtomicFile out(file);
    out.stream() << report::library_profile_text(profile);
    out.commit();
    return 0;
}

}  // namespace
}  // namespace npunet::study

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: calibrate_collectives PROFILE.json ROWS.csv...\n");
        return 2;
    }
    std::vector<npunet::study::MeasuredCollective> rows;
    std::set<std::string> known;
    for (int i = 2; i < argc; ++i) {
        for (auto& row : npunet::study::read_measured_collectives(argv[i])) {
            if (known.insert(row.id).second) {
                rows.push_back(std::move(row));
            }
        }
    }
    return npunet::study::run(argv[1], rows);
}
