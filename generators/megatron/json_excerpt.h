// A JSON value in a message. For the sources of this folder only.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace npunet::generators::megatron {

/// In ASCII, its first 37 characters where there are more than 40.
[[nodiscard]] inline std::string excerpt(const nlohmann::json& value) {
    const std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    return text.size() <= 40 ? text : text.substr(0, 37) + "...";
}

}  // namespace npunet::generators::megatron
