#include "random_messages.h"

#include <cstring>
#include <limits>

namespace npunet::chakra {

namespace {

template <class To, class From>
To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

}  // namespace

std::uint64_t RandomMessages::number() {
    switch (below(8)) {
        case 0:
            return 0;
        case 1:
            return std::numeric_limits<std::uint64_t>::max() - below(2);
        default:
            return random_() >> below(64);
    }
}

double RandomMessages::real() {
    switch (below(8)) {
        case 0:
            return -0.0;
        case 1:
            return std::numeric_limits<double>::infinity() * (one_in(2) ? 1 : -1);
        case 2:
            return std::numeric_limits<double>::quiet_NaN();
        case 3:
            return static_cast<double>(below(1000)) / 10;
        default:
            return bits_as<double>(random_());
    }
}

float RandomMessages::short_real() {
    return one_in(2) ? static_cast<float>(below(1000)) / 10.0F
                     : bits_as<float>(static_cast<std::uint32_t>(random_()));
}

std::string RandomMessages::text() {
    const bool any = one_in(4);
    std::string bytes(one_in(50) ? 100 + below(300) : below(20), ' ');
    for (char& byte : bytes) {
        byte = static_cast<char>(any ? below(256) : ' ' + below(95));
    }
    return bytes;
}

void RandomMessages::fill(ValueMember member, ChakraProtoMsg::AttributeProto& attribute) {
    const std::uint64_t bits = number();
    const auto low = static_cast<std::uint32_t>(bits);
    switch (member) {
        case ValueMember::Double:
            return attribute.set_double_val(real());
        case ValueMember::Float:
            return attribute.set_float_val(short_real());
        case ValueMember::Int32:
            return attribute.set_int32_val(static_cast<std::int32_t>(low));
        case ValueMember::Int64:
            return attribute.set_int64_val(static_cast<std::int64_t>(bits));
        case ValueMember::Uint32:
            return attribute.set_uint32_val(low);
        case ValueMember::Uint64:
            return attribute.set_uint64_val(bits);
        case ValueMember::Sint32:
            return attribute.set_sint32_val(static_cast<std::int32_t>(low));
        case ValueMember::Sint64:
            return attribute.set_sint64_val(static_cast<std::int64_t>(bits));
        case ValueMember::Fixed32:
            return attribute.set_fixed32_val(low);
        case ValueMember::Fixed64:
            return attribute.set_fixed64_val(bits);
        case ValueMember::Sfixed32:
            return attribute.set_sfixed32_val(static_cast<std::int32_t>(low));
        case ValueMember::Sfixed64:
            return attribute.set_sfixed64_val(static_cast<std::int64_t>(bits));
        case ValueMember::Bool:
            return attribute.set_bool_val(one_in(2));
        case ValueMember::String:
            return attribute.set_string_val(text());
        case ValueMember::Bytes:
            return attribute.set_bytes_val(text());
        default:
            return fill_list(member, attribute);
    }
}

void RandomMessages::fill_list(ValueMember member, ChakraProtoMsg::AttributeProto& attribute) {
    const auto fill_with = [this](auto* list, auto make) {
        for (std::size_t count = below(6); count > 0; --count) {
            list->add_values(make());
        }
    };
    const auto integers = [&](auto* list) {
        using Integer = std::decay_t<decltype(list->values(0))>;
        fill_with(list, [this] { return static_cast<Integer>(number()); });
    };
    switch (member) {
        case ValueMember::DoubleList:
            return fill_with(attribute.mutable_double_list(), [this] { return real(); });
        case ValueMember::FloatList:
            return fill_with(attribute.mutable_float_list(), [this] { return short_real(); });
        case ValueMember::Int32List:
            return integers(attribute.mutable_int32_list());
        case ValueMember::Int64List:
            return integers(attribute.mutable_int64_list());
        case ValueMember::Uint32List:
            return integers(attribute.mutable_uint32_list());
        case ValueMember::Uint64List:
            return integers(attribute.mutable_uint64_list());
        case ValueMember::Sint32List:
            return integers(attribute.mutable_sint32_list());
        case ValueMember::Sint64List:
            return integers(attribute.mutable_sint64_list());
        case ValueMember::Fixed32List:
            return integers(attribute.mutable_fixed32_list());
        case ValueMember::Fixed64List:
            return integers(attribute.mutable_fixed64_list());
        case ValueMember::Sfixed32List:
            return integers(attribute.mutable_sfixed32_list());
        case ValueMember::Sfixed64List:
            return integers(attribute.mutable_sfixed64_list());
        case ValueMember::BoolList:
            return fill_with(attribute.mutable_bool_list(), [this] { return one_in(2); });
        case ValueMember::StringList:
            return fill_with(attribute.mutable_string_list(), [this] { return text(); });
        default:
            return fill_with(attribute.mutable_bytes_list(), [this] { return text(); });
    }
}

void RandomMessages::add_unknown_fields(google::protobuf::Message& message) {
    auto* fields = message.GetReflection()->MutableUnknownFields(&message);
    fields->AddVarint(40, number());
    fields->AddFixed32(41, static_cast<std::uint32_t>(number()));
    fields->AddFixed64(42, number());
    fields->AddLengthDelimited(43, text());
    fields->AddGroup(44)->AddVarint(1, number());
}

ChakraProtoMsg::AttributeProto RandomMessages::attribute() {
    ChakraProtoMsg::AttributeProto attribute;
    attribute.set_name(one_in(3) ? text() : one_in(2) ? "comm_size" : "name");
    if (!one_in(10)) {
        const std::size_t members = last_value_member - first_value_member + 1;
        fill(static_cast<ValueMember>(first_value_member + below(members)), attribute);
    }
    if (one_in(10)) {
        attribute.set_doc_string(text());
    }
    if (one_in(10)) {
        add_unknown_fields(attribute);
    }
    if (one_in(20)) {
        add_unknown_fields(*attribute.mutable_float_list());
    }
    if (one_in(20)) {
        add_unknown_fields(*attribute.mutable_int64_list());
    }
    return attribute;
}

ChakraProtoMsg::Node RandomMessages::node() {
    ChakraProtoMsg::Node node;
    node.set_id(number());
    node.set_name(text());
    node.set_type(static_cast<ChakraProtoMsg::NodeType>(below(8)));
    for (std::size_t count = one_in(3) ? below(100) : below(3); count > 0; --count) {
        node.add_data_deps(number());
    }
    for (std::size_t count = one_in(3) ? below(5) : 0; count > 0; --count) {
        node.add_ctrl_deps(number());
    }
    if (one_in(2)) {
        node.set_start_time_micros(number());
        node.set_duration_micros(number());
    }
    for (auto* tensors : {one_in(3) ? node.mutable_inputs() : nullptr,
                          one_in(3) ? node.mutable_outputs() : nullptr}) {
        if (tensors != nullptr && !one_in(4)) {
            tensors->set_values(text());
            tensors->set_shapes(text());
            tensors->set_types(text());
        }
        if (tensors != nullptr && one_in(4)) {
            add_unknown_fields(*tensors);
        }
    }
    for (std::size_t count = one_in(5) ? below(40) : below(5); count > 0; --count) {
        *node.add_attr() = attribute();
    }
    if (one_in(10)) {
        add_unknown_fields(node);
    }
    return node;
}

}  // namespace npunet::chakra
