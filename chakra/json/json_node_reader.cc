#include "chakra/json/json_node_reader.h"

#include <et_def.pb.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "chakra/trace/node.h"
#include "chakra/wire/unknown_fields.h"

namespace npunet::chakra {

namespace {

using ChakraProtoMsg::AttributeProto;
using ChakraProtoMsg::IOInfo;
using Kind = JsonToken::Kind;
using NodeMessage = ChakraProtoMsg::Node;

constexpr const char* expected_whole_number = "a whole number from 0 to 2^64 - 1";

template <class Integer>
std::string expected_signed_number() {
    return fmt::format("a whole number from {} to {}", std::numeric_limits<Integer>::min(),
                       std::numeric_limits<Integer>::max());
}

}  // namespace

// ---- a list of ids ----

JsonLevel* JsonIdsReader::begin(std::string_view key, int field, ByteBlocks& node) {
    key_ = key;
    field_ = field;
    node_ = &node;
    ids_.clear();
    return this;
}

void JsonIdsReader::value(const JsonToken& token) {
    if (token.kind != Kind::Unsigned) {
        place_.fail(key_, described(token), expected_whole_number);
    }
    ids_.append_varint(token.number);
}

void JsonIdsReader::end() {
    if (!ids_.empty()) {
        node_->append_bytes(field_, std::move(ids_));
    }
}

// ---- tensors ----

JsonLevel* JsonTensorsReader::begin(std::string_view key, int field, ByteBlocks& node) {
    static_assert(static_cast<int>(Key::Values) == IOInfo::kValuesFieldNumber &&
                  static_cast<int>(Key::Shapes) == IOInfo::kShapesFieldNumber &&
                  static_cast<int>(Key::Types) == IOInfo::kTypesFieldNumber);
    key_ = key;
    field_ = field;
    node_ = &node;
    seen_.clear();
    message_.clear();
    return this;
}

void JsonTensorsReader::key(std::string_view name) {
    if (name != "values" && name != "shapes" && name != "types" && name != "rest") {
        place_.fail(key_, fmt::format("the key {}", name), "values, shapes or types");
    }
    part_ = name == "values"   ? Key::Values
            : name == "shapes" ? Key::Shapes
            : name == "types"  ? Key::Types
                               : Key::Rest;
    if (!seen_.add(part_)) {
        place_.fail(key_, fmt::format("the key {} twice", name), expected_once);
    }
}

void JsonTensorsReader::value(const JsonToken& token) {
    if (!token.is_text()) {
        place_.fail(key_, described(token), expected_text);
    }
    if (part_ != Key::Rest) {
        if (!token.text.empty()) {
            message_.append_bytes(static_cast<int>(part_), token.text);
        }
        return;
    }
    if (!are_unknown_fields<IOInfo>(std::string(token.text), 1)) {
        place_.fail_rest(key_);
    }
    message_.append(token.text);
}

void JsonTensorsReader::end() {
    node_->append_bytes(field_, std::move(message_));
}

// ---- a node ----

JsonNodeReader::JsonNodeReader(JsonPlace& place, Use use)
    : place_(place),
      use_(std::move(use)),
      ids_(place),
      tensors_(place),
      attributes_(place, [this](ByteBlocks&& attribute) {
          message_.append_bytes(NodeMessage::kAttrFieldNumber, std::move(attribute));
      }) {}

const JsonNodeReader::KnownKey& JsonNodeReader::known(std::string_view name) {
    static constexpr std::array<KnownKey, 20> keys{
        {{"Id", Key::Id},
         {"Name", Key::Name},
         {"NodeType", Key::NodeType},
         {"runtime", Key::Runtime},
         {"start_time_micros", Key::StartTime},
         {"data_deps", Key::DataDeps},
         {"ctrl_deps", Key::CtrlDeps},
         {"ctrlDeps", Key::CtrlDeps},
         {"inputs", Key::Inputs},
         {"outputs", Key::Outputs},
         {"attributes", Key::Attributes},
         {"rest", Key::Rest},
         {"is_cpu_op", Key::IsCpuOp, ValueMember::Bool},
         {"tensor_size", Key::TensorSize, ValueMember::Uint64},
         {"comm_type", Key::CommType, ValueMember::Int64},
         {"comm_priority", Key::CommPriority, ValueMember::Int32},
         {"comm_size", Key::CommSize, ValueMember::Int64},
         {"comm_src", Key::CommSrc, ValueMember::Int32},
         {"comm_dst", Key::CommDst, ValueMember::Int32},
         {"comm_tag", Key::CommTag, ValueMember::Int32}}};
    static constexpr KnownKey other{"", Key::Other};
    const auto* const found = std::find_if(keys.begin(), keys.end(),
                                           [&](const KnownKey& key) { return key.name == name; });
    return found == keys.end() ? other : *found;
}

JsonLevel* JsonNodeReader::begin() {
    seen_.clear();
    feeder_values_.clear();
    message_.clear();
    return this;
}

void JsonNodeReader::key(std::string_view name) {
    key_ = &known(name);
    if (key_->key != Key::Other && !seen_.add(key_->key)) {
        place_.fail(name, "the key twice", expected_once);
    }
}

JsonLevel* JsonNodeReader::object() {
    switch (key_->key) {
        case Key::Inputs:
            return tensors_.begin(key_->name, NodeMessage::kInputsFieldNumber, message_);
        case Key::Outputs:
            return tensors_.begin(key_->name, NodeMessage::kOutputsFieldNumber, message_);
        case Key::Name:
        case Key::Rest:
            return place_.hex.begin(*this);
        default:
            return JsonLevel::object();
    }
}

JsonLevel* JsonNodeReader::list() {
    switch (key_->key) {
        case Key::DataDeps:
            return ids_.begin(key_->name, NodeMessage::kDataDepsFieldNumber, message_);
        case Key::CtrlDeps:
            return ids_.begin(key_->name, NodeMessage::kCtrlDepsFieldNumber, message_);
        case Key::Attributes:
            return attributes_.begin();
        default:
            return JsonLevel::list();
    }
}

void JsonNodeReader::value(const JsonToken& token) {
    switch (key_->key) {
        case Key::Id:
            return append_number(NodeMessage::kIdFieldNumber, whole_number(token));
        case Key::Name:
            return take_name(token);
        case Key::NodeType:
            return take_type(token);
        case Key::Runtime:
            return append_number(NodeMessage::kDurationMicrosFieldNumber, whole_number(token));
        case Key::StartTime:
            return append_number(NodeMessage::kStartTimeMicrosFieldNumber, whole_number(token));
        case Key::Rest:
            return take_rest(token);
        case Key::DataDeps:
        case Key::CtrlDeps:
        case Key::Inputs:
        case Key::Outputs:
        case Key::Attributes:
            return fail_value(token);
        case Key::Other:
            return;
        default:
            feeder_values_.push_back({key_, token, token.is_text() ? described(token) : ""});
            feeder_values_.back().token.text = {};
            return;
    }
}

/// Of a key that takes a list or an object.
void JsonNodeReader::fail_value(const JsonToken& token) const {
    const bool ids = key_->key == Key::DataDeps || key_->key == Key::CtrlDeps;
    place_.fail(key_->name, described(token),
                ids ? "a list of ids"
                : key_->key == Key::Attributes
                    ? "a list of attributes"
                    : R"(an object with "values", "shapes" and "types")");
}

std::uint64_t JsonNodeReader::whole_number(const JsonToken& token) const {
    if (token.kind != Kind::Unsigned) {
        place_.fail(key_->name, described(token), expected_whole_number);
    }
    return token.number;
}

void JsonNodeReader::append_number(int field, std::uint64_t value) {
    if (value != 0) {
        message_.append_number(field, value);
    }
}

void JsonNodeReader::take_name(const JsonToken& token) {
    if (!token.is_text()) {
        place_.fail(key_->name, described(token), expected_text);
    }
    if (!token.text.empty()) {
        message_.append_bytes(NodeMessage::kNameFieldNumber, token.text);
    }
}

void JsonNodeReader::take_type(const JsonToken& token) {
    const auto number = integer_of<std::int64_t>(token);
    if (token.kind != Kind::Unsigned || !number || !node_type_from(*number)) {
        place_.fail(key_->name, described(token), "a node type of schema 0.0.4 (0 to 7)");
    }
    append_number(NodeMessage::kTypeFieldNumber, token.number);
}

void JsonNodeReader::take_rest(const JsonToken& token) {
    if (!token.is_text()) {
        place_.fail(key_->name, described(token), expected_text);
    }
    if (!are_unknown_fields<NodeMessage>(std::string(token.text), 0)) {
        place_.fail_rest(key_->name);
    }
    message_.append(token.text);
}

void JsonNodeReader::append_feeder_value(FeederValue& value) {
    const auto& [known, token, found] = value;
    JsonToken taken = token;
    if (known->key == Key::IsCpuOp && token.kind == Kind::Unsigned && token.number <= 1) {
        taken.kind = Kind::Bool;
    }
    encoder_.begin(known->member);
    if (!encoder_.add(taken)) {
        place_.fail(known->name, found.empty() ? described(token) : found,
                    known->key == Key::IsCpuOp            ? "true or false"
                    : known->key == Key::TensorSize       ? expected_whole_number
                    : known->member == ValueMember::Int64 ? expected_signed_number<std::int64_t>()
                                                          : expected_signed_number<std::int32_t>());
    }
    ByteBlocks attribute;
    attribute.append_bytes(AttributeProto::kNameFieldNumber, known->name);
    encoder_.write(attribute);
    message_.append_bytes(NodeMessage::kAttrFieldNumber, std::move(attribute));
}

void JsonNodeReader::end() {
    const bool has_id = seen_.has(Key::Id);
    if (!has_id || !seen_.has(Key::NodeType)) {
        place_.fail("", fmt::format("no key {}", has_id ? "NodeType" : "Id"),
                    R"(a node with "Id" and "NodeType")");
    }
    if (!seen_.has(Key::Attributes)) {
        for (FeederValue& value : feeder_values_) {
            append_feeder_value(value);
        }
    }
    use_(std::move(message_));
}

}  // namespace npunet::chakra
