#include "chakra/wire/node_view.h"

#include <et_def.pb.h>

#include <algorithm>

#include "chakra/wire/node_codec.h"
#include "chakra/wire/wire.h"

namespace npunet::chakra {

namespace {

using MessageNode = ChakraProtoMsg::Node;

/// In how many messages the tensors of a node are.
constexpr unsigned depth_of_tensors = 1;
/// Appends the integers of a packed field. The room is made once: an integer may have one byte, and
/// a vector that grows would hold many times the bytes of a long list.
bool append_packed(std::string_view packed, std::vector<std::uint64_t>& values) {
    constexpr std::size_t short_list = 64;
    const auto ends = [](char byte) { return (static_cast<unsigned char>(byte) & 0x80U) == 0; };
    const auto count =
        packed.size() <= short_list
            ? packed.size()
            : static_cast<std::size_t>(std::count_if(packed.begin(), packed.end(), ends));
    if (values.capacity() < values.size() + count) {
        values.reserve(values.size() + count);
    }
    const char* at = packed.data();
    const char* const end = at + packed.size();
    while (at != end) {
        std::uint64_t value = 0;
        at = read_varint(at, end, value);
        if (at == nullptr) {
            return false;
        }
        values.push_back(value);
    }
    return true;
}

/// Moves behind fields with a length of less than 128 bytes, or a number, and tags of one byte:
/// most of a node. Stops before any other field, before ids and dependencies, and at the end.
const char* skip_plain_fields(const char* at, const char* end) {
    constexpr auto tag = [](int field, WireType type) {
        return static_cast<unsigned char>(field << 3 | static_cast<int>(type));
    };
    while (end - at >= 2) {
        switch (static_cast<unsigned char>(*at)) {
            case tag(MessageNode::kNameFieldNumber, WireType::Bytes):
            case tag(MessageNode::kInputsFieldNumber, WireType::Bytes):
            case tag(MessageNode::kOutputsFieldNumber, WireType::Bytes):
            case tag(MessageNode::kAttrFieldNumber, WireType::Bytes): {
                const auto length = static_cast<unsigned char>(at[1]);
                if (length >= 0x80 || length > end - at - 2) {
                    return at;
                }
                at += 2 + length;
                break;
            }
            case tag(MessageNode::kTypeFieldNumber, WireType::Varint):
            case tag(MessageNode::kStartTimeMicrosFieldNumber, WireType::Varint):
            case tag(MessageNode::kDurationMicrosFieldNumber, WireType::Varint): {
                std::uint64_t skipped = 0;
                const char* const behind = read_varint(at + 1, end, skipped);
                if (behind == nullptr) {
                    return at;
                }
                at = behind;
                break;
            }
            default:
                return at;
        }
    }
    return at;
}

bool is_number_field(std::uint32_t field) {
    switch (field) {
        case MessageNode::kIdFieldNumber:
        case MessageNode::kTypeFieldNumber:
        case MessageNode::kCtrlDepsFieldNumber:
        case MessageNode::kDataDepsFieldNumber:
        case MessageNode::kStartTimeMicrosFieldNumber:
        case MessageNode::kDurationMicrosFieldNumber:
            return true;
        default:
            return false;
    }
}

bool is_bytes_field(std::uint32_t field) {
    switch (field) {
        case MessageNode::kNameFieldNumber:
        case MessageNode::kCtrlDepsFieldNumber:
        case MessageNode::kDataDepsFieldNumber:
        case MessageNode::kInputsFieldNumber:
        case MessageNode::kOutputsFieldNumber:
        case MessageNode::kAttrFieldNumber:
            return true;
        default:
            return false;
    }
}

}  // namespace

AttributeCursor::AttributeCursor(const NodeView& node)
    : node_(node), rest_(node.further_attributes_) {}

bool AttributeCursor::next() {
    if (number_ >= node_.attribute_count_) {
        return false;
    }
    if (number_ < NodeView::most_decoded) {
        attribute_ = &node_.attributes_[number_++];
        return true;
    }
    WireCursor fields(rest_);
    while (fields.next() &&
           (fields.field() != MessageNode::kAttrFieldNumber || fields.type() != WireType::Bytes)) {
    }
    const char* const behind = fields.whole().data() + fields.whole().size();
    rest_.remove_prefix(static_cast<std::size_t>(behind - rest_.data()));
    ++number_;
    attribute_ = &further_;
    return further_.parse(fields.bytes());
}

void NodeView::clear(std::string_view frame) {
    frame_ = frame;
    further_attributes_ = {};
    name_ = inputs_ = outputs_ = {};
    id_ = start_time_micros_ = duration_micros_ = 0;
    type_ = 0;
    attribute_count_ = 0;
    ctrl_deps_.clear();
    data_deps_.clear();
    has_inputs_ = has_outputs_ = has_rest_ = false;
}

bool NodeView::parse_dependencies(std::string_view frame) {
    clear(frame);
    const char* at = frame.data();
    const char* const end = at + frame.size();
    while ((at = skip_plain_fields(at, end)) != end) {
        WireCursor fields(std::string_view{at, static_cast<std::size_t>(end - at)});
        if (!fields.next()) {
            return false;
        }
        at += fields.whole().size();
        if (fields.field() == MessageNode::kIdFieldNumber && fields.type() == WireType::Varint) {
            id_ = fields.number();
        } else if (fields.field() == MessageNode::kCtrlDepsFieldNumber ||
                   fields.field() == MessageNode::kDataDepsFieldNumber) {
            auto& deps =
                fields.field() == MessageNode::kDataDepsFieldNumber ? data_deps_ : ctrl_deps_;
            if (fields.type() == WireType::Varint) {
                deps.push_back(fields.number());
            } else if (fields.type() == WireType::Bytes && !append_packed(fields.bytes(), deps)) {
                return false;
            }
        }
    }
    return true;
}

bool NodeView::parse(std::string_view frame) {
    clear(frame);
    WireCursor fields(frame);
    while (fields.next()) {
        bool known = false;
        if (fields.type() == WireType::Varint) {
            known = parse_field(fields.field(), fields.number());
        } else if (fields.type() == WireType::Bytes) {
            switch (parse_field(fields.field(), fields.bytes())) {
                case Parsed::Malformed:
                    return false;
                case Parsed::Known:
                    known = true;
                    break;
                case Parsed::Unknown:
                    break;
            }
        }
        has_rest_ = has_rest_ || !known;
    }
    return fields.good();
}

bool NodeView::parse_field(std::uint32_t field, std::uint64_t number) {
    switch (field) {
        case MessageNode::kIdFieldNumber:
            id_ = number;
            return true;
        case MessageNode::kTypeFieldNumber:
            type_ = static_cast<std::int32_t>(number);
            return true;
        case MessageNode::kCtrlDepsFieldNumber:
            ctrl_deps_.push_back(number);
            return true;
        case MessageNode::kDataDepsFieldNumber:
            data_deps_.push_back(number);
            return true;
        case MessageNode::kStartTimeMicrosFieldNumber:
            start_time_micros_ = number;
            return true;
        case MessageNode::kDurationMicrosFieldNumber:
            duration_micros_ = number;
            return true;
        default:
            return false;
    }
}

bool NodeView::parse_attribute(std::string_view message) {
    const std::uint32_t number = attribute_count_++;
    if (number < most_decoded) {
        const auto behind =
            static_cast<std::size_t>(message.data() + message.size() - frame_.data());
        further_attributes_ = frame_.substr(behind);
        return attributes_[number].parse(message);
    }
    AttributeView attribute;
    return attribute.parse(message);
}

NodeView::Parsed NodeView::parse_field(std::uint32_t field, std::string_view bytes) {
    const auto known_if = [](bool sound) { return sound ? Parsed::Known : Parsed::Malformed; };
    const auto tensors = [&](bool& has, std::string_view& text) {
        const bool twice = has;
        has = true;
        text = bytes;
        return known_if(!twice && is_message(bytes, depth_of_tensors));
    };
    switch (field) {
        case MessageNode::kNameFieldNumber:
            name_ = bytes;
            return Parsed::Known;
        case MessageNode::kCtrlDepsFieldNumber:
            return known_if(append_packed(bytes, ctrl_deps_));
        case MessageNode::kDataDepsFieldNumber:
            return known_if(append_packed(bytes, data_deps_));
        case MessageNode::kInputsFieldNumber:
            return tensors(has_inputs_, inputs_);
        case MessageNode::kOutputsFieldNumber:
            return tensors(has_outputs_, outputs_);
        case MessageNode::kAttrFieldNumber:
            return known_if(parse_attribute(bytes));
        default:
            return Parsed::Unknown;
    }
}

std::optional<AttributeView> NodeView::find(std::string_view attribute) const {
    for (AttributeCursor cursor = attributes(); cursor.next();) {
        if (cursor.attribute().name == attribute) {
            return cursor.attribute();
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> NodeView::integer(std::string_view attribute) const {
    const auto found = find(attribute);
    return found ? found->integer() : std::nullopt;
}

std::optional<std::string_view> NodeView::text(std::string_view attribute) const {
    const auto found = find(attribute);
    return found ? found->text() : std::nullopt;
}

bool NodeView::copy_to(Node& node) const {
    node.type = static_cast<NodeType>(type_);
    node.id = id_;
    node.name = name_;
    node.ctrl_deps.assign(ctrl_deps_.begin(), ctrl_deps_.end());
    node.data_deps.assign(data_deps_.begin(), data_deps_.end());
    node.start_time_micros = start_time_micros_;
    node.duration_micros = duration_micros_;
    decode_tensors(inputs_, has_inputs_, node.inputs);
    decode_tensors(outputs_, has_outputs_, node.outputs);
    node.attributes.resize(attribute_count_);
    auto attribute = node.attributes.begin();
    for (AttributeCursor cursor = attributes(); cursor.next(); ++attribute) {
        decode_attribute(cursor.attribute(), *attribute);
    }
    node.rest.clear();
    if (has_rest_) {
        copy_rest(node);
    }
    return node_type_from(type_).has_value();
}

void NodeView::copy_rest(Node& node) const {
    WireCursor fields(frame_);
    while (fields.next()) {
        const bool number = fields.type() == WireType::Varint;
        const bool bytes = fields.type() == WireType::Bytes;
        const std::uint32_t field = fields.field();
        const bool known = (number && is_number_field(field)) || (bytes && is_bytes_field(field));
        if (!known) {
            node.rest += fields.whole();
        }
    }
}

std::optional<std::string> canonical_node(std::string_view frame) {
    MessageNode message;
    if (!message.ParseFromArray(frame.data(), static_cast<int>(frame.size()))) {
        return std::nullopt;
    }
    return message.SerializeAsString();
}

}  // namespace npunet::chakra