#include "cli/command/commands.h"

#include <fmt/format.h>

#include "engine/device/device_profile.h"

namespace npunet::cli {

namespace {

void list_devices(CommandContext& context) {
    context.out << fmt::format("{:<18}{:>12}{:>14}{:>10}{:>10}\n", "device", "bf16 TFLOP/s",
                               "fp8 TFLOP/s", "GB/s", "GB");
    for (const std::string& name : engine::known_devices()) {
        const engine::DeviceProfile device = engine::load_device_profile(name);
        const auto peak = [&device](engine::DataType type) {
            const auto found = device.peak_tflops.find(type);
            return found == device.peak_tflops.end() ? "-" : fmt::format("{}", found->second);
        };
        context.out << fmt::format("{:<18}{:>12}{:>14}{:>10}{:>10}\n", name,
                                   peak(engine::DataType::Bf16), peak(engine::DataType::Fp8),
                                   device.memory_bandwidth, device.memory_capacity);
    }
}

}  // namespace

void add_device_command(CLI::App& program, CommandContext& context) {
    CLI::App* device = program.add_subcommand(
        "device", "Device profiles: how fast GPUs run kernels of each shape");
    device->require_subcommand(1);
    device->footer(
        "Example:\n"
        "  npunet device list");
    CLI::App* list = device->add_subcommand("list", "List the shipped profiles");
    list->footer(
        "Example:\n"
        "  npunet device list");
    list->callback([&context] { list_devices(context); });
    add_device_fit_command(*device, context);
}

}  // namespace npunet::cli
