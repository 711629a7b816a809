#include "chakra/schemas/wire_fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace npunet::chakra {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

WireType wire_type_of(const FieldDescriptor& field) {
    switch (field.type()) {
        case FieldDescriptor::TYPE_DOUBLE:
        case FieldDescriptor::TYPE_FIXED64:
        case FieldDescriptor::TYPE_SFIXED64:
            return WireType::Fixed64;
        case FieldDescriptor::TYPE_FLOAT:
        case FieldDescriptor::TYPE_FIXED32:
        case FieldDescriptor::TYPE_SFIXED32:
            return WireType::Fixed32;
        case FieldDescriptor::TYPE_STRING:
        case FieldDescriptor::TYPE_BYTES:
        case FieldDescriptor::TYPE_MESSAGE:
            return WireType::Bytes;
        default:
            return WireType::Varint;
    }
}

bool well_packed(const FieldDescriptor& field, std::string_view bytes) {
    switch (wire_type_of(field)) {
        case WireType::Fixed64:
            return bytes.size() % 8 == 0;
        case WireType::Fixed32:
            return bytes.size() % 4 == 0;
        default:
            // The last byte of a varint, and only that, has its highest bit clear.
            return bytes.empty() || (static_cast<unsigned char>(bytes.back()) & 0x80U) == 0;
    }
}

bool is_packed(const FieldDescriptor& known, const WireField& field) {
    return known.is_packable() && field.type == WireType::Bytes;
}

/// What a writer of the schema would not write: repeated numbers in the other of both encodings, a
/// zero that proto3 leaves out, a truth value beyond 1.
bool is_unusual(const FieldDescriptor& known, const WireField& field) {
    if (known.is_repeated() && known.is_packable()) {
        return known.is_packed() != (field.type == WireType::Bytes);
    }
    if (known.type() == FieldDescriptor::TYPE_BOOL && field.value > 1) {
        return true;
    }
    const bool zero = field.type == WireType::Bytes ? field.bytes.empty() : field.value == 0;
    return zero && !known.has_presence() && !known.is_repeated();
}

}  // namespace

std::string_view name_of(WireType type) {
    switch (type) {
        case WireType::Varint:
            return "a number";
        case WireType::Fixed64:
            return "a number of 64 bits";
        case WireType::Fixed32:
            return "a number of 32 bits";
        case WireType::GroupBegin:
            return "a group";
        default:
            return "text or a message";
    }
}

int highest_field(const Descriptor& schema) {
    int highest = 0;
    for (int i = 0; i < schema.field_count(); ++i) {
        highest = std::max(highest, schema.field(i)->number());
    }
    return highest;
}

bool WireFields::next() {
    const bool read = cursor_.next();
    damaged_ = !cursor_.good();
    if (read) {
        const bool bytes = cursor_.type() == WireType::Bytes;
        field_ = {static_cast<int>(cursor_.field()), cursor_.type(), bytes ? 0 : cursor_.number(),
                  bytes ? cursor_.bytes() : std::string_view()};
    }
    return read;
}

bool accepts(const Descriptor& schema, const WireField& field) {
    const FieldDescriptor* known = schema.FindFieldByNumber(field.number);
    return known != nullptr && (wire_type_of(*known) == field.type ||
                                (is_packed(*known, field) && well_packed(*known, field.bytes)));
}

void check_message(const Descriptor& schema, std::string_view message, int past_fields,
                   WireFindings& findings, const std::string& place) {
    WireFields fields(message);
    while (findings.fault.empty() && fields.next()) {
        const WireField& field = fields.field();
        const FieldDescriptor* known = schema.FindFieldByNumber(field.number);
        if (known == nullptr && field.number > past_fields) {
            ++findings.unusual;
        } else if (!accepts(schema, field)) {
            findings.fault =
                fmt::format("{}field {} is {}", place, field.number, name_of(field.type));
        } else {
            findings.unusual += is_unusual(*known, field) ? 1 : 0;
            if (known->message_type() != nullptr) {
                const Descriptor& inner = *known->message_type();
                check_message(inner, field.bytes,
                              past_fields == any_field ? any_field : highest_field(inner), findings,
                              fmt::format("{}{} ({}), ", place, known->name(), field.number));
            }
        }
    }
    if (findings.fault.empty() && fields.damaged()) {
        findings.fault = fmt::format("{}the bytes are no fields", place);
    }
}

}  // namespace npunet::chakra
