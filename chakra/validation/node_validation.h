// One node by itself: its type, and the attributes that a simulation of it reads.
//
//     NodeValidation validation(context, groups, findings);
//     validation.check(node);
//     validation.message();        // what comparing ranks needs, when the node communicates
//
// The rules are those of engine/program/operation_decoder.h: what that refuses is an error here,
// and so is what it would silently take for something else.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/ids.h"
#include "chakra/trace/node.h"
#include "chakra/validation/attribute_values.h"
#include "chakra/validation/communication_record.h"
#include "chakra/validation/finding.h"
#include "chakra/validation/validated_groups.h"

namespace npunet::chakra {

struct NodeContext {
    TraceNumber trace = no_trace;
    Rank rank;                ///< invalid: not known
    std::int32_t ranks = -1;  ///< of the workload; -1: not known
};

class NodeValidation {
public:
    /// All must outlive this.
    NodeValidation(const NodeContext& context, ValidatedGroups& groups, FindingList& findings)
        : context_(context), groups_(groups), findings_(findings) {}

    void check(const Node& node);

    /// Of the node last checked; empty when it is none or says too little to compare.
    [[nodiscard]] const std::optional<MessageRecord>& message() const { return message_; }
    [[nodiscard]] const std::optional<CollectiveRecord>& collective() const { return collective_; }

    /// Whether a node named a communicator and there is no group file.
    [[nodiscard]] bool named_groups() const { return named_groups_; }

private:
    template <class Message>
    void report(Severity severity, FindingCode code, Message&& message) {
        findings_.add(severity, code, context_.trace, node_->id, std::forward<Message>(message));
    }

    void check_type();
    void check_repeated_attributes();
    void check_common();
    void check_compute();
    void check_memory();
    void check_message();
    void check_peer(std::int64_t peer, KnownAttribute attribute);
    void check_own_rank(KnownAttribute attribute);
    void check_collective(bool cpu);
    void check_tensors(KnownAttribute attribute);
    [[nodiscard]] bool check_sizes(std::int64_t bytes, CollectiveType type,
                                   ValidatedGroups::Number group);
    void check_gathered(std::int64_t bytes, CollectiveType type, ValidatedGroups::Number group);
    void check_root(CollectiveType type, std::int64_t root, ValidatedGroups::Number group);
    /// Empty when the node lies on dimensions of a machine, or its group is not known.
    [[nodiscard]] std::optional<ValidatedGroups::Number> group();
    [[nodiscard]] std::string group_name();
    void compare_groups(const std::string& name, bool named);

    /// The attribute, checked for its kind and range; empty when absent or refused.
    [[nodiscard]] std::optional<std::int64_t> number(
        KnownAttribute attribute, std::int64_t least = std::numeric_limits<std::int64_t>::min(),
        std::int64_t most = std::numeric_limits<std::int64_t>::max());
    /// The same, and an error when it is absent.
    [[nodiscard]] std::optional<std::int64_t> required(KnownAttribute attribute, std::int64_t least,
                                                       std::int64_t most);
    void report_kind(KnownAttribute attribute, const char* expected);

    NodeContext context_;
    ValidatedGroups& groups_;
    FindingList& findings_;
    const Node* node_ = nullptr;
    AttributeValues values_;
    std::optional<MessageRecord> message_;
    std::optional<CollectiveRecord> collective_;
    bool named_groups_ = false;
};

}  // namespace npunet::chakra
