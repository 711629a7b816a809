// From one Chakra node to one operation of a program: checks its attributes and takes what it
// needs.
//
// C++17-clean.
#pragma once

#include <memory>
#include <string>

#include "engine/program/program.h"

namespace npunet::engine {

/// Throws InputError with the trace's file and the node.
[[noreturn]] void refuse_node(const ProgramContext& context, const chakra::Node& node,
                              std::string found, std::string expected, std::string remedy = "");

/// An operation before its groups and ranks have slots.
struct DecodedOperation {
    ProgramOperation operation;
    std::int32_t group = -1;  ///< collective: index into Workload::groups
    Rank peer;                ///< point-to-point
    Rank root;                ///< of a collective, where the trace names one
};

class OperationDecoder {
public:
    explicit OperationDecoder(const ProgramContext& context) : context_(context) {}

    /// Dependencies are not looked at. Throws InputError for missing or impossible attributes.
    [[nodiscard]] DecodedOperation decode(const chakra::Node& node) const;

private:
    [[nodiscard]] std::int64_t required(const chakra::Node& node, const char* attribute) const;
    /// `fallback` where the attribute is absent or has no value.
    [[nodiscard]] std::int64_t optional(const chakra::Node& node, const char* attribute,
                                        std::int64_t fallback) const;
    [[nodiscard]] Bytes bytes_of(const chakra::Node& node, const char* attribute) const;
    [[nodiscard]] Bytes size_of(const chakra::Node& node) const;
    [[nodiscard]] std::int32_t priority_of(const chakra::Node& node) const;
    [[nodiscard]] Rank peer_of(const chakra::Node& node, const char* attribute,
                               const char* own) const;
    [[nodiscard]] std::int32_t group_of(const chakra::Node& node) const;
    [[nodiscard]] CollectiveKind collective_of(const chakra::Node& node) const;
    [[nodiscard]] std::int32_t group_of_dimensions(const chakra::Node& node,
                                                   const chakra::Attribute& involved) const;
    [[nodiscard]] std::vector<std::int64_t> sizes_of(const chakra::Node& node,
                                                     const ProgramOperation& operation) const;
    /// -1 when the trace does not name one: the first of the group.
    [[nodiscard]] std::int64_t root_of(const chakra::Node& node) const;
    [[nodiscard]] Time recorded_duration(const chakra::Node& node) const;
    void compute(const chakra::Node& node, bool cpu, ProgramOperation& result) const;
    /// Null where the trace does not tell.
    [[nodiscard]] std::shared_ptr<const KernelCall> kernel_of(const chakra::Node& node) const;
    void point_to_point(const chakra::Node& node, DecodedOperation& decoded) const;
    void collective(const chakra::Node& node, bool cpu, DecodedOperation& decoded) const;

    const ProgramContext& context_;
};

}  // namespace npunet::engine
