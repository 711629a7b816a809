#include "base/input_limits.h"

#include <fmt/format.h>

#include "base/errors.h"

namespace npunet {

void check_input_depth(std::size_t depth, const std::string& file, const std::string& place) {
    if (depth > deepest_input) {
        throw InputError({file, place, fmt::format("lists or maps {} deep in each other", depth),
                          fmt::format("at most {} deep", deepest_input),
                          "Look for brackets that are not closed"});
    }
}

void check_input_values(std::size_t values, const std::string& file, const std::string& place) {
    if (values > most_input_values) {
        throw InputError({file, place, fmt::format("more than {} values", most_input_values),
                          fmt::format("at most {}", most_input_values),
                          "Aliases count as what they name; the links of a Custom network may "
                          "stand in a file of their own"});
    }
}

}  // namespace npunet
