// Nodes of every schema, made at random with the classes generated from its definition, each beside
// the node that it means in 0.0.4.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "chakra/trace/node.h"
#include "chakra/trace/schema.h"

namespace npunet::chakra {

/// How much of what would tell its schema a made trace has.
struct MadeTraceOptions {
    bool telling_names = true;
    bool attributes = true;
    bool metadata = true;  ///< where the schema has some
    int nodes = 8;
};

struct MadeTrace {
    std::vector<std::string> frames;
    bool metadata_frame = false;
    std::vector<Attribute> metadata;
    std::vector<Node> nodes;

    [[nodiscard]] std::vector<std::string_view> views() const {
        return {frames.begin(), frames.end()};
    }
};

/// Node ids count from 1; every node but the first depends on one before it.
[[nodiscard]] MadeTrace made_trace(Schema schema, const MadeTraceOptions& options,
                                   std::mt19937_64& random);

}  // namespace npunet::chakra
