#include "chakra/validation/node_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

namespace npunet::chakra {

namespace {

constexpr std::int64_t most_micros = 9'000'000'000'000;  // 104 days

/// A tensor's size as the engine reads it.
bool is_tensor_size(const std::string& text) {
    double bytes = -1;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, bytes);
    return error == std::errc{} && end == last && bytes >= 0 && bytes <= 0x1p56;
}

}  // namespace

void NodeValidation::check(const Node& node) {
    node_ = &node;
    message_.reset();
    collective_.reset();
    check_type();
    check_repeated_attributes();
    values_.read(node);
    check_common();
    const bool cpu = number(KnownAttribute::IsCpuOp).value_or(0) != 0;
    switch (node.type) {
        case NodeType::Compute:
            return check_compute();
        case NodeType::MemoryLoad:
        case NodeType::MemoryStore:
            return check_memory();
        case NodeType::CommSend:
        case NodeType::CommReceive:
            return check_message();
        case NodeType::CommCollective:
            return check_collective(cpu);
        default:
            return;
    }
}

void NodeValidation::check_type() {
    if (!node_type_from(static_cast<std::int64_t>(node_->type))) {
        report(Severity::Error, FindingCode::UnknownNodeType, [&] {
            return fmt::format(
                "node type {}; schema 0.0.4 has 0 to 7. The file is damaged or of another schema; "
                "generate the trace again",
                static_cast<std::int32_t>(node_->type));
        });
    } else if (node_->type == NodeType::Invalid) {
        report(Severity::Warning, FindingCode::InvalidNode, [] {
            return std::string(
                "node type INVALID_NODE (0): it takes no time. Give the node a type");
        });
    }
}

void NodeValidation::check_repeated_attributes() {
    const std::vector<Attribute>& all = node_->attributes;
    for (std::size_t i = 1; i < all.size(); ++i) {
        const auto end = all.begin() + static_cast<std::ptrdiff_t>(i);
        const auto earlier = std::find_if(
            all.begin(), end, [&](const Attribute& other) { return other.name == all[i].name; });
        if (earlier != end && !(earlier->value == all[i].value)) {
            report(is_known_attribute(all[i].name) ? Severity::Error : Severity::Warning,
                   FindingCode::ContradictoryAttribute, [&] {
                       return fmt::format(
                           "attribute '{}' twice with different values, of which the first "
                           "counts. Keep one of them",
                           all[i].name);
                   });
        }
    }
}

void NodeValidation::check_common() {
    (void)number(KnownAttribute::DurationNs, 0, most_micros * 1000);
    if (node_->duration_micros > static_cast<std::uint64_t>(most_micros)) {
        report(Severity::Error, FindingCode::AttributeOutOfRange, [&] {
            return fmt::format("duration_micros {}; at most {}. Correct what writes the trace",
                               node_->duration_micros, most_micros);
        });
    }
    check_tensors(KnownAttribute::Inputs);
    check_tensors(KnownAttribute::Outputs);
}

// Other kinds of these two are ignored: they are no lists of tensors.
void NodeValidation::check_tensors(KnownAttribute attribute) {
    const AttributeValue* value = values_.find(attribute);
    const auto* list = value == nullptr ? nullptr : std::get_if<std::vector<std::string>>(value);
    if (list == nullptr) {
        return;
    }
    bool sizes = list->size() % 2 == 0;
    for (std::size_t i = 1; i < list->size(); i += 2) {
        sizes = sizes && is_tensor_size((*list)[i]);
    }
    if (!sizes) {
        report(Severity::Error, FindingCode::AttributeOutOfRange, [&] {
            return fmt::format(
                "attribute '{}' is no list of pairs of a tensor's name and its size (0 to 2^56 "
                "bytes). Correct what writes the trace",
                name_of(attribute));
        });
    }
}

void NodeValidation::check_compute() {
    (void)number(KnownAttribute::NumOps, -1);
    (void)number(KnownAttribute::TensorSize, 0, largest_comm_size);
}

void NodeValidation::check_memory() {
    (void)required(KnownAttribute::TensorSize, 0, largest_comm_size);
}

void NodeValidation::check_message() {
    const bool send = node_->type == NodeType::CommSend;
    const auto bytes = required(KnownAttribute::CommSize, 0, largest_comm_size);
    const KnownAttribute other = send ? KnownAttribute::CommDst : KnownAttribute::CommSrc;
    const auto peer = required(other, 0, std::numeric_limits<std::int32_t>::max());
    const auto tag = number(KnownAttribute::CommTag);
    (void)number(KnownAttribute::CommPriority, std::numeric_limits<std::int32_t>::min(),
                 std::numeric_limits<std::int32_t>::max());
    check_own_rank(send ? KnownAttribute::CommSrc : KnownAttribute::CommDst);
    if (!peer) {
        return;
    }
    check_peer(*peer, other);
    if (bytes) {
        message_ = MessageRecord{node_->id, tag.value_or(0), *bytes,
                                 Rank(static_cast<std::int32_t>(*peer)), send};
    }
}

void NodeValidation::check_peer(std::int64_t peer, KnownAttribute attribute) {
    if (context_.rank.valid() && peer == context_.rank.value()) {
        report(Severity::Error, FindingCode::SelfMessage, [&] {
            return fmt::format("{} {} is the rank itself. Name another rank", name_of(attribute),
                               peer);
        });
    } else if (context_.ranks >= 0 && peer >= context_.ranks) {
        report(Severity::Error, FindingCode::AbsentPeer, [&] {
            return fmt::format(
                "{} {}, but the workload has ranks 0 to {}. Add the missing traces, or generate "
                "the trace for this number of ranks",
                name_of(attribute), peer, context_.ranks - 1);
        });
    }
}

void NodeValidation::check_own_rank(KnownAttribute attribute) {
    const auto own = number(attribute);
    if (own && context_.rank.valid() && *own != context_.rank.value()) {
        report(Severity::Error, FindingCode::WrongRank, [&] {
            return fmt::format(
                "{} {} in the trace of rank {}. Is the file named after the right "
                "rank?",
                name_of(attribute), *own, context_.rank.value());
        });
    }
}

std::optional<std::int64_t> NodeValidation::number(KnownAttribute attribute, std::int64_t least,
                                                   std::int64_t most) {
    const AttributeValues::Integer found = values_.integer(attribute);
    if (found.kind == AttributeValues::Kind::Absent) {
        return std::nullopt;
    }
    if (found.kind == AttributeValues::Kind::Other) {
        report_kind(attribute, "an integer");
        return std::nullopt;
    }
    const bool large = found.kind == AttributeValues::Kind::TooLarge;
    if (!large && found.value >= least && found.value <= most) {
        return found.value;
    }
    report(Severity::Error, FindingCode::AttributeOutOfRange, [&] {
        return fmt::format(
            "{} {}; from {} to {}. Correct what writes the trace", name_of(attribute),
            large ? std::string("of 2^63 or more") : std::to_string(found.value), least, most);
    });
    return std::nullopt;
}

std::optional<std::int64_t> NodeValidation::required(KnownAttribute attribute, std::int64_t least,
                                                     std::int64_t most) {
    if (values_.find(attribute) == nullptr) {
        report(Severity::Error, FindingCode::MissingAttribute, [&] {
            return fmt::format("no attribute '{}' on a {}. Correct what writes the trace",
                               name_of(attribute), name_of(node_->type));
        });
        return std::nullopt;
    }
    return number(attribute, least, most);
}

void NodeValidation::report_kind(KnownAttribute attribute, const char* expected) {
    report(Severity::Error, FindingCode::WrongAttributeKind, [&] {
        return fmt::format("attribute '{}' is {}; expected {}. Correct what writes the trace",
                           name_of(attribute), kind_of(*values_.find(attribute)), expected);
    });
}

}  // namespace npunet::chakra
