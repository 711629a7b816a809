#include "generators/stage/python_number.h"

#include <fmt/format.h>

namespace npunet::generators::stage_dialect {

std::string python_float(std::int64_t value) {
    std::string text = fmt::format("{}", static_cast<double>(value));
    if (text.find_first_of(".e") == std::string::npos) {
        text += ".0";
    }
    return text;
}

}  // namespace npunet::generators::stage_dialect
