// The profiles that system.json names: of a device, a stack and a communication library.
//
//     config.device = named_device(fields, dialect);    // "device": "h100-sxm5-80gb"
//
// Files go from the folder of system.json. Each is null where its key is not there, and throws
// InputError for what cannot be, such as in a dialect that knows no profiles.
//
// C++17-clean.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "engine/collective_library/library_in_use.h"
#include "engine/device/device_profile.h"
#include "engine/device/stack_profile.h"
#include "engine/machine/dialect.h"

namespace npunet::engine {

using SystemFields = JsonObject<nlohmann::json>;

[[nodiscard]] std::shared_ptr<const DeviceProfile> named_device(const SystemFields& fields,
                                                                const Dialect& dialect);
/// "recorded-on": what the recorded durations of the traces were measured on; needs "device".
[[nodiscard]] std::shared_ptr<const DeviceProfile> named_recorded_on(const SystemFields& fields,
                                                                     const Dialect& dialect);
[[nodiscard]] std::shared_ptr<const StackProfile> named_stack(const SystemFields& fields,
                                                              const Dialect& dialect);
/// "collectives" and "gpu": for the kinds of collective whose algorithm is not given. With
/// "nccl-algo", "nccl-proto", "nccl-collnet", "nccl-group", "gpus-per-node", "gpu-sms" and
/// "data-type-bytes".
[[nodiscard]] std::shared_ptr<const LibraryInUse> named_library(const SystemFields& fields,
                                                                const Dialect& dialect,
                                                                std::vector<std::string>& warnings);

/// The files of the profiles that a system.json names, for who has to know whether they changed.
[[nodiscard]] std::vector<std::string> profile_files(const std::string& system_file);

}  // namespace npunet::engine
