#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "chakra/json_value.h"

namespace npunet::chakra {

namespace {

bool is_utf8(const std::string& text) {
    try {
        (void)OrderedJson(text).dump();
        return true;
    } catch (const OrderedJson::exception&) {
        return false;
    }
}

}  // namespace

OrderedJson json_of_bytes(const std::string& bytes) {
    std::string hex;
    hex.reserve(bytes.size() * 2);
    for (const char byte : bytes) {
        fmt::format_to(std::back_inserter(hex), "{:02x}", static_cast<unsigned char>(byte));
    }
    return OrderedJson{{"hex", std::move(hex)}};
}

OrderedJson json_of_text(const std::string& text) {
    return is_utf8(text) ? OrderedJson(text) : json_of_bytes(text);
}

}  // namespace npunet::chakra
