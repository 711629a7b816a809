// A device whose kernels take times that can be told by hand.
#pragma once

#include <string>

#include "engine/device/device_profile.h"

namespace npunet::engine {

/// Ten multiprocessors that reach `tflops` together in tiles of 100 x 100, and everything else
/// ideal; a kernel of B bytes that memory limits takes launch + B / (efficiency x bandwidth).
inline DeviceProfile ideal_device(const char* name, double tflops, double gb_s,
                                  MemoryRates memory) {
    DeviceProfile device;
    device.name = name;
    device.file = std::string(name) + ".json";
    device.multiprocessors = 10;
    device.peak_tflops[DataType::Bf16] = tflops;
    device.memory_bandwidth = gb_s;
    MatmulRates rates;
    rates.tiles = {{100, 100}};
    rates.split_k = {1};
    rates.cache_bandwidth = 1000;
    device.matmul[DataType::Bf16] = rates;
    device.attention.push_back({"flash", {}, {}});
    device.memory.fill(memory);
    return device;
}

}  // namespace npunet::engine
