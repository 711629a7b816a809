// Counts which attributes the nodes of a trace have, by name and kind of value. For the sources of
// chakra only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "chakra/wire/node_view.h"

namespace npunet::chakra {

/// Nodes of a trace have the same attributes in the same order nearly always: after one attribute
/// the one that followed it last time is tried before it is looked up.
class AttributeCounts {
public:
    void begin_node() { last_ = 0; }
    /// The number of the attribute's kind: those of one name and member have the same, from 1 on in
    /// the order in which they came.
    std::size_t add(const AttributeView& attribute);
    /// "comm_size:int64_val" and how often.
    [[nodiscard]] std::map<std::string, std::uint64_t> counts() const;

private:
    struct Kind {
        std::string name;
        ValueMember member = ValueMember::None;
        std::uint64_t count = 0;
        std::size_t next = 0;  // the kind that followed last time
    };

    // The first stands for the beginning of a node.
    std::vector<Kind> kinds_{Kind{}};
    std::unordered_map<std::string, std::size_t> places_;
    std::size_t last_ = 0;
};

}  // namespace npunet::chakra
