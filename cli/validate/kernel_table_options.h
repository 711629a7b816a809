// Options of commands that read kernel times (engine/device/kernel_table.h), and how they show
// errors.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/device/kernel_table.h"
#include "study/kernels/kernel_errors.h"

namespace npunet::cli {

struct KernelTableArguments {
    std::string device;
    std::string type;
    std::vector<std::string> where;

    /// `device_help` is what --device is for.
    void add_to(CLI::App& command, const std::string& device_help);
    /// Throws InputError for a --where without '='.
    [[nodiscard]] engine::KernelTableOptions options() const;
};

[[nodiscard]] nlohmann::ordered_json summary_as_json(const study::NamedSummary& one);

}  // namespace npunet::cli
