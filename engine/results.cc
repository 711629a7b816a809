#include "engine/results.h"

#include <fmt/format.h>

namespace npunet::engine {

std::string describe(const Partial& partial) {
    return fmt::format("{}, with {} of {} nodes done", partial.reason, partial.nodes_done,
                       partial.nodes);
}

}  // namespace npunet::engine
