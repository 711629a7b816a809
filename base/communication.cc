#include "base/communication.h"

#include <algorithm>

namespace npunet {

const std::vector<std::string>& communication_names() {
    static const std::vector<std::string> names{
        "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast",
        "reduce",     "gather",     "scatter",        "barrier",    "send_recv"};
    return names;
}

const std::string& name_of(Communication kind) {
    return communication_names()[static_cast<std::size_t>(kind)];
}

std::optional<Communication> communication_named(const std::string& name) {
    const std::vector<std::string>& names = communication_names();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        return std::nullopt;
    }
    return static_cast<Communication>(found - names.begin());
}

}  // namespace npunet
