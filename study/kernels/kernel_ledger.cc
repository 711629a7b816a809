#include "study/kernels/kernel_ledger.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "engine/device/kernel_time.h"

namespace npunet::study {

namespace {

using engine::DeviceProfile;
using engine::Kernel;

/// The key of the profile's values that the row's time comes from.
std::string profile_key_of(const DeviceProfile& device, const KernelRow& row) {
    switch (row.kernel) {
        case Kernel::Matmul:
        case Kernel::GroupedMatmul:
            return fmt::format("matmul.{}", chakra::name_of(row.type));
        case Kernel::Attention:
        case Kernel::AttentionBackward: {
            std::string kernel = attention_kernel_of(device, row.implementation);
            if (kernel.empty() && !device.attention.empty()) {
                kernel = device.attention.front().name;
            }
            return fmt::format("attention.{}.{}", kernel,
                               row.kernel == Kernel::Attention ? "forward" : "backward");
        }
        default:
            return fmt::format("memory.{}", chakra::name_of(row.kernel));
    }
}

std::string ledger_part_of(const KernelLedgerRow& one) {
    const KernelRow& row = *one.row.row;
    std::string name = one.device;
    for (const std::string& word :
         {std::string(chakra::name_of(row.type)),
          row.operation.empty() ? row.implementation : row.operation, row.condition}) {
        name += word.empty() ? "" : ", " + word;
    }
    return name;
}

}  // namespace

bool is_calibrated_on(const DeviceProfile& device, const KernelRow& row, const std::string& file) {
    const auto source = device.sources.find(profile_key_of(device, row));
    const std::string begin = "fitted to " + std::filesystem::path(file).filename().string();
    if (source == device.sources.end() || source->second.compare(0, begin.size(), begin) != 0 ||
        source->second.find_first_of(",;", begin.size()) != begin.size()) {
        return false;
    }
    const std::string told = fmt::format("{} {} {} {}", row.gpu, chakra::name_of(row.type),
                                         row.implementation, row.condition);
    const std::string& text = source->second;
    const std::size_t last = text.find(';');
    for (std::size_t at = text.find('='); at < last; at = text.find('=', at + 1)) {
        const std::size_t end = text.find_first_of(",;", at);
        const std::size_t size = end == std::string::npos ? end : end - at - 1;
        if (told.find(text.substr(at + 1, size)) == std::string::npos) {
            return false;
        }
    }
    return true;
}

KernelLedger kernel_ledger(const KernelTable& table, const std::string& device) {
    KernelLedger ledger;
    std::map<std::string, std::unique_ptr<DeviceProfile>> profiles;
    const auto profile_of = [&](const std::string& name) -> const DeviceProfile& {
        std::unique_ptr<DeviceProfile>& profile = profiles[name];
        if (!profile) {
            profile = std::make_unique<DeviceProfile>(engine::load_device_profile(name));
        }
        return *profile;
    };
    for (const KernelRow& row : table.rows) {
        KernelLedgerRow one{{&row, 0}, "", false, row.skipped};
        const std::string own = row.gpu.empty() ? "" : engine::device_of_gpu(row.gpu);
        const std::string name = own.empty() ? device : own;
        if (name.empty()) {
            one.skipped = fmt::format("no profile of the device '{}'", row.gpu);
        } else if (one.skipped.empty()) {
            const DeviceProfile& profile = profile_of(name);
            one.device = profile.name;
            one.row.predicted_us = predicted_us(profile, row);
            one.calibrated = is_calibrated_on(profile, row, table.file);
        }
        ledger.rows.push_back(std::move(one));
    }
    std::map<std::string, std::vector<const KernelLedgerRow*>> parts;
    std::vector<PredictedRow> all;
    for (const KernelLedgerRow& one : ledger.rows) {
        all.push_back(one.row);
        if (one.skipped.empty()) {
            parts[ledger_part_of(one)].push_back(&one);
        }
    }
    for (const auto& [name, rows] : parts) {
        std::vector<PredictedRow> predicted;
        for (const KernelLedgerRow* const row : rows) {
            predicted.push_back(row->row);
        }
        ledger.parts.push_back(
            {name, rows.front()->calibrated, kernel_errors(table.kind, predicted)});
    }
    ledger.all = kernel_errors(table.kind, all);
    return ledger;
}

}  // namespace npunet::study
