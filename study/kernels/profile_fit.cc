#include "study/kernels/profile_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/errors.h"

namespace npunet::study {

namespace {

using engine::AttentionRates;
using engine::DataType;
using engine::DeviceProfile;
using engine::Kernel;
using engine::MatmulRates;
using engine::MemoryRates;

constexpr std::size_t fit_folds = 4;
constexpr std::size_t rows_of_a_search = 4000;
constexpr int fit_rounds = 50;
constexpr int fit_rounds_of_a_fold = 25;
constexpr int fit_rounds_of_a_candidate = 12;

/// A value that is searched for, within a range above 0.
struct FitValue {
    std::function<double&(DeviceProfile&)> of;
    double least;
    double most;
};
using FitValues = std::vector<FitValue>;
using FitRows = std::vector<const KernelRow*>;

double fit_loss(const DeviceProfile& profile, const FitRows& rows) {
    double sum = 0;
    for (const KernelRow* const row : rows) {
        const double predicted = predicted_us(profile, *row);
        sum +=
            std::min(std::max(predicted / row->measured_us, row->measured_us / predicted) - 1, 1.0);
    }
    return sum / static_cast<double>(rows.size());
}

/// At most rows_of_a_search of them, evenly spaced.
FitRows thinned(const FitRows& rows) {
    const std::size_t step = (rows.size() + rows_of_a_search - 1) / rows_of_a_search;
    FitRows some;
    for (std::size_t i = 0; i < rows.size(); i += step) {
        some.push_back(rows[i]);
    }
    return some;
}

/// Each value in turn is multiplied or divided by a step that grows with success.
double search_values(DeviceProfile& profile, const FitValues& values, const FitRows& all,
                     int count) {
    constexpr double first_step = 0.3;
    constexpr double least_step = 0.002;
    constexpr double most_step = 0.5;
    constexpr double least_gain = 1e-7;
    const FitRows rows = thinned(all);
    std::vector<double> steps(values.size(), first_step);
    double best = fit_loss(profile, rows);
    for (int round = 0; round < count; ++round) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            double& value = values[i].of(profile);
            const double old = value;
            bool better = false;
            for (const double next : {old * (1 + steps[i]), old / (1 + steps[i])}) {
                value = std::clamp(next, values[i].least, values[i].most);
                const double found = fit_loss(profile, rows);
                if (found < best - least_gain) {
                    best = found;
                    better = true;
                    break;
                }
            }
            if (!better) {
                value = old;
            }
            steps[i] =
                better ? std::min(steps[i] * 1.2, most_step) : std::max(steps[i] * 0.6, least_step);
        }
    }
    return best;
}

/// To four significant digits, as the file will have them.
void round_values(DeviceProfile& profile, const FitValues& values) {
    for (const FitValue& value : values) {
        double& number = value.of(profile);
        number = std::strtod(fmt::format("{:.4g}", number).c_str(), nullptr);
    }
}

/// One set of values and the rows that they are for.
struct FitJob {
    std::string key;
    FitValues values;
    FitRows rows;
    /// Called before a search from scratch.
    std::function<void(DeviceProfile&, const FitRows&)> start;
};

/// The rows by the fold that leaves out their group.
std::vector<FitRows> fold_rows(const FitRows& rows, bool inside) {
    std::set<std::string> groups;
    for (const KernelRow* const row : rows) {
        groups.insert(row->group);
    }
    std::map<std::string, std::size_t> fold_of;
    for (const std::string& group : groups) {
        fold_of.emplace(group, fold_of.size() % fit_folds);
    }
    std::vector<FitRows> parts(fit_folds);
    for (std::size_t fold = 0; fold < fit_folds; ++fold) {
        for (const KernelRow* const row : rows) {
            if ((fold_of[row->group] == fold) == inside) {
                parts[fold].push_back(row);
            }
        }
    }
    return parts;
}

/// What the search weighs: rows that are judged by stricter bounds twice, those that only launches
/// decide not at all.
FitRows weighed(KernelTableKind kind, const FitRows& rows) {
    FitRows weighed;
    for (const KernelRow* const row : rows) {
        const bool small = kind == KernelTableKind::Matmul
                               ? !counts(KernelRows::Products, *row)
                               : kind == KernelTableKind::Attention && row->attention.queries < 512;
        const bool twice =
            kind == KernelTableKind::Matmul
                ? counts(KernelRows::LargeProducts, *row)
                : kind == KernelTableKind::Attention && counts(KernelRows::LongAttention, *row);
        for (int i = 0; i < (small ? 0 : twice ? 2 : 1); ++i) {
            weighed.push_back(row);
        }
    }
    return weighed;
}

void predict_rows(const DeviceProfile& profile, const FitRows& rows,
                  std::vector<PredictedRow>& into) {
    for (const KernelRow* const row : rows) {
        into.push_back({row, predicted_us(profile, *row)});
    }
}

KernelFit run_fit(DeviceProfile& profile, const KernelTable& table, const FitJob& job) {
    KernelFit fit{job.key, table.file, job.rows.size(), {}, {}};
    const FitRows training = weighed(table.kind, job.rows);
    if (training.size() < 2 * job.values.size()) {
        throw InputError({table.file, "", fmt::format("{} rows for {}", training.size(), job.key),
                          fmt::format("at least {}", 2 * job.values.size()),
                          "Measure more shapes"});
    }
    job.start(profile, training);
    search_values(profile, job.values, training, fit_rounds);
    std::vector<PredictedRow> left_out;
    const std::vector<FitRows> others = fold_rows(job.rows, false);
    const std::vector<FitRows> own = fold_rows(job.rows, true);
    for (std::size_t fold = 0; fold < fit_folds; ++fold) {
        const FitRows rest = weighed(table.kind, others[fold]);
        if (rest.empty() || own[fold].empty()) {
            continue;
        }
        DeviceProfile without = profile;
        search_values(without, job.values, rest, fit_rounds_of_a_fold);
        predict_rows(without, own[fold], left_out);
    }
    round_values(profile, job.values);
    std::vector<PredictedRow> in_sample;
    predict_rows(profile, job.rows, in_sample);
    fit.in_sample = kernel_errors(table.kind, in_sample);
    fit.left_out = kernel_errors(table.kind, left_out);
    return fit;
}

FitJob matmul_job(DataType type, FitRows rows) {
    FitJob job{fmt::format("matmul.{}", chakra::name_of(type)), {}, std::move(rows), {}};
    const auto add = [&](double MatmulRates::*member, double least, double most) {
        job.values.push_back({[member, type](DeviceProfile& profile) -> double& {
                                  return profile.matmul[type].*member;
                              },
                              least, most});
    };
    add(&MatmulRates::efficiency, 0.01, 1);
    add(&MatmulRates::tile_ramp, 0.1, 1000);
    add(&MatmulRates::k_ramp, 0.1, 10000);
    add(&MatmulRates::memory_efficiency, 0.01, 1);
    add(&MatmulRates::launch_us, 0.01, 1000);
    add(&MatmulRates::wave_rounding, 1e-4, 1);
    add(&MatmulRates::split_us, 0.01, 1000);
    add(&MatmulRates::cache_bandwidth, 0.1, 100);
    add(&MatmulRates::exposed_share, 1e-3, 1);
    job.start = [type, values = job.values](DeviceProfile& profile, const FitRows& training) {
        const std::vector<engine::Tile> few{{256, 128}, {128, 256}, {128, 128},
                                            {128, 64},  {64, 128},  {64, 64}};
        std::vector<engine::Tile> many = few;
        many.insert(many.end(), {{256, 64}, {64, 256}, {192, 128}, {128, 192}});
        double best = 0;
        MatmulRates chosen;
        // No part of the fit: tables have times of rested GPUs.
        const double loaded_rate = profile.matmul[type].loaded_rate;
        for (const auto& tiles : {few, many}) {
            for (const std::size_t splits : std::array<std::size_t, 3>{3, 4, 5}) {
                MatmulRates rates;
                rates.tiles = tiles;
                for (std::size_t i = 0; i < splits; ++i) {
                    rates.split_k.push_back(std::int64_t{1} << i);
                }
                rates.efficiency = 0.87;
                rates.tile_ramp = 5;
                rates.k_ramp = 120;
                rates.memory_efficiency = 0.7;
                rates.wave_rounding = 0.7;
                rates.split_us = 2;
                rates.cache_bandwidth = 2.5;
                rates.exposed_share = 0.1;
                rates.launch_us = 3;
                rates.loaded_rate = loaded_rate;
                profile.matmul[type] = rates;
                const double found =
                    search_values(profile, values, training, fit_rounds_of_a_candidate);
                if (chosen.tiles.empty() || found < best) {
                    best = found;
                    chosen = profile.matmul[type];
                }
            }
        }
        profile.matmul[type] = chosen;
    };
    return job;
}

FitJob attention_job(std::size_t kernel, const std::string& name, bool backward, FitRows rows) {
    FitJob job{fmt::format("attention.{}.{}", name, backward ? "backward" : "forward"),
               {},
               std::move(rows),
               {}};
    const auto rates_of = [kernel, backward](DeviceProfile& profile) -> AttentionRates& {
        engine::AttentionKernel& one = profile.attention[kernel];
        return backward ? one.backward : one.forward;
    };
    const auto add = [&](double AttentionRates::*member, double least, double most) {
        job.values.push_back({[rates_of, member](DeviceProfile& profile) -> double& {
                                  return rates_of(profile).*member;
                              },
                              least, most});
    };
    const auto narrow = [](const KernelRow* row) { return row->attention.head_dim < 128; };
    const bool has_narrow = std::any_of(job.rows.begin(), job.rows.end(), narrow);
    const bool has_wide = !std::all_of(job.rows.begin(), job.rows.end(), narrow);
    add(&AttentionRates::efficiency, 0.01, 1);
    add(&AttentionRates::block_us, 0.001, 1000);
    add(&AttentionRates::passes, 0.01, 20);
    add(&AttentionRates::launch_us, 0.01, 1000);
    add(&AttentionRates::tail, 0.001, 4);
    if (has_narrow && has_wide) {
        add(&AttentionRates::narrow_heads, 0.01, 2);
    }
    job.start = [rates_of](DeviceProfile& profile, const FitRows&) {
        AttentionRates& rates = rates_of(profile);
        rates = {0.6, rates.narrow_heads, 0.5, 1.5, 0.05, 5};
    };
    return job;
}

FitJob memory_job(Kernel kernel, FitRows rows) {
    FitJob job{fmt::format("memory.{}", chakra::name_of(kernel)), {}, std::move(rows), {}};
    const auto add = [&](double MemoryRates::*member, double least, double most) {
        job.values.push_back({[member, kernel](DeviceProfile& profile) -> double& {
                                  return profile.memory[static_cast<std::size_t>(kernel)].*member;
                              },
                              least, most});
    };
    add(&MemoryRates::efficiency, 0.01, 1);
    add(&MemoryRates::launch_us, 0.01, 1000);
    job.start = [kernel](DeviceProfile& profile, const FitRows&) {
        profile.memory[static_cast<std::size_t>(kernel)] = {0.7, 2.5};
    };
    return job;
}

/// The table's rows by what they are for.
std::vector<FitJob> fit_jobs_of(const DeviceProfile& profile, const KernelTable& table) {
    std::map<std::array<std::size_t, 3>, FitRows> parts;
    for (const KernelRow& row : table.rows) {
        if (!row.skipped.empty()) {
            continue;
        }
        const std::string name = attention_kernel_of(profile, row.implementation);
        std::size_t kernel = 0;
        while (!name.empty() && profile.attention[kernel].name != name) {
            ++kernel;
        }
        parts[{static_cast<std::size_t>(row.kernel), static_cast<std::size_t>(row.type), kernel}]
            .push_back(&row);
    }
    std::vector<FitJob> jobs;
    for (auto& [key, rows] : parts) {
        const auto kernel = static_cast<Kernel>(key[0]);
        if (table.kind == KernelTableKind::Matmul) {
            jobs.push_back(matmul_job(static_cast<DataType>(key[1]), std::move(rows)));
        } else if (table.kind == KernelTableKind::Attention) {
            jobs.push_back(attention_job(key[2], profile.attention.at(key[2]).name,
                                         kernel == Kernel::AttentionBackward, std::move(rows)));
        } else {
            jobs.push_back(memory_job(kernel, std::move(rows)));
        }
    }
    return jobs;
}

}  // namespace

std::vector<KernelFit> fit_profile(DeviceProfile& profile, const KernelTable& table,
                                   const std::string& source) {
    std::vector<KernelFit> fits;
    for (const FitJob& job : fit_jobs_of(profile, table)) {
        fits.push_back(run_fit(profile, table, job));
        profile.sources[job.key] = source;
    }
    return fits;
}

}  // namespace npunet::study
