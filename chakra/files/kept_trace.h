// A trace that is kept in memory, so that others like it are read in a fraction of the time: ranks
// of one job often have traces that differ in nothing but the names of communicators and ranks, and
// in the number from which their ids count.
//
//     const KeptTrace kept("gpt.0.et", read_trace("gpt.0.et"));
//     if (const auto others = kept.difference("gpt.1.et", {true, {"pg_name"}})) {
//         // gpt.1.et has the nodes of gpt.0.et, with other ids and values of pg_name: in *others
//     }
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chakra/trace/node.h"

namespace npunet::chakra {

/// In what a trace differs from a kept one.
struct TraceDifference {
    std::uint64_t id_shift = 0;  ///< its ids are higher by this, modulo 2^64
    struct Value {
        std::size_t node = 0;  ///< its place in the kept trace
        Attribute attribute;   ///< one that the node has there, with another value
    };
    std::vector<Value> values;  ///< by node, ascending
};

class KeptTrace {
public:
    /// `nodes` are those of the file, in its order. Throws as TraceReader does.
    KeptTrace(const std::filesystem::path& path, std::vector<Node> nodes);

    [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
    /// What may differ.
    struct Allowed {
        bool ids = true;                           ///< all by one number
        std::vector<std::string_view> attributes;  ///< in their values
    };
    /// Nothing when more differs than that, or the other file has to be looked at more closely.
    /// Throws as TraceReader does for a file that cannot be read or is truncated.
    [[nodiscard]] std::optional<TraceDifference> difference(const std::filesystem::path& other,
                                                            const Allowed& allowed) const;

private:
    [[nodiscard]] std::string_view frame(std::size_t number) const;

    std::vector<Node> nodes_;
    std::uint64_t lowest_id_ = 0;
    std::uint64_t highest_id_ = 0;
    std::string frames_;                   ///< one after the other, without lengths
    std::vector<std::size_t> frame_ends_;  ///< in frames_
};

}  // namespace npunet::chakra
