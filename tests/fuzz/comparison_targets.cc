// Two ways to the same: our reading of a node against Protobuf's, and a trace against its copy.
#include <et_def.pb.h>

#include <algorithm>
#include <optional>

#include "chakra/files/trace_reader.h"
#include "chakra/wire/node_codec.h"
#include "chakra/wire/node_view.h"
#include "memory_file.h"
#include "seeds.h"
#include "targets.h"

namespace npunet::fuzz {

namespace {

using chakra::Attribute;
using chakra::Node;
using chakra::NodeView;
using Message = ChakraProtoMsg::Node;

template <class List>
bool same_ids(const std::vector<std::uint64_t>& ids, const List& others) {
    return std::equal(ids.begin(), ids.end(), others.begin(), others.end());
}

std::optional<std::int64_t> integer_of(const ChakraProtoMsg::AttributeProto& message) {
    Attribute attribute;
    chakra::decode_attribute(message, attribute);
    Node node;
    node.attributes.push_back(std::move(attribute));
    return node.integer(node.attributes[0].name);
}

void compare(const NodeView& view, const Message& message) {
    expect(view.id() == message.id() && view.name() == message.name() &&
               view.type_number() == static_cast<std::int32_t>(message.type()) &&
               view.start_time_micros() == message.start_time_micros() &&
               view.duration_micros() == message.duration_micros(),
           "another id, name, type or time than Protobuf's");
    expect(same_ids(view.data_deps(), message.data_deps()) &&
               same_ids(view.ctrl_deps(), message.ctrl_deps()),
           "other dependencies than Protobuf's");
    int number = 0;
    for (chakra::AttributeCursor cursor = view.attributes(); cursor.next(); ++number) {
        expect(number < message.attr_size(), "an attribute more than Protobuf has");
        const auto& expected = message.attr(number);
        const chakra::AttributeView& found = cursor.attribute();
        expect(found.name == expected.name() &&
                   static_cast<int>(found.member) == static_cast<int>(expected.value_case()),
               "another attribute than Protobuf's");
        expect(found.integer() == integer_of(expected), "another number than Protobuf's");
        if (expected.has_string_val()) {
            expect(found.text() == expected.string_val(), "another text than Protobuf's");
        }
    }
    expect(number == message.attr_size(), "an attribute less than Protobuf has");
}

/// What a node says, in the one form in which Protobuf writes it: unlike ==, with the fields of
/// later schemas, and NaN is NaN.
std::string bytes_of(const Node& node) {
    Message message;
    chakra::encode_node(node, message);
    return message.SerializeAsString();
}

std::string bytes_of(const chakra::TraceMetadata& metadata) {
    std::string bytes;
    chakra::encode_metadata(metadata, bytes);
    return bytes;
}

struct ReadTrace {
    chakra::TraceMetadata metadata;
    std::vector<Node> nodes;
};

ReadTrace read(std::string_view bytes, std::optional<chakra::Schema> schema) {
    const MemoryFile file(bytes);
    chakra::TraceReader reader(file.path(), {schema, chakra::UnknownNodeTypes::Refuse});
    ReadTrace trace{reader.metadata(), {}};
    Node node;
    while (reader.next(node)) {
        trace.nodes.push_back(node);
    }
    return trace;
}

void expect_same(const ReadTrace& a, const ReadTrace& b) {
    expect(std::equal(
               a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
               [](const Node& one, const Node& other) { return bytes_of(one) == bytes_of(other); }),
           "other nodes after writing and reading");
    // A trace without metadata gets some when it is written.
    expect(!a.metadata.present || bytes_of(a.metadata) == bytes_of(b.metadata),
           "other metadata after writing and reading");
}

std::string written(const ReadTrace& trace, chakra::WrittenForm form) {
    return bytes_of_trace(trace.nodes, trace.metadata, form);
}

}  // namespace

// A view that gives up says so where Protobuf would merge: what Protobuf writes then is read.
void run_node_view(std::string_view input) {
    Message message;
    const bool good = message.ParseFromArray(input.data(), static_cast<int>(input.size()));
    NodeView view;
    const bool parsed = view.parse(input);
    const auto canonical = chakra::canonical_node(input);
    expect(canonical.has_value() == good, "accepted by one of canonical_node and Protobuf");
    expect(!parsed || good, "accepted, but not by Protobuf");
    NodeView dependencies;
    const bool has_dependencies = dependencies.parse_dependencies(input);
    if (!good) {
        return;
    }
    NodeView of_canonical;
    expect(of_canonical.parse(*canonical), "the canonical form is refused");
    compare(of_canonical, message);
    expect(has_dependencies && dependencies.id() == message.id() &&
               same_ids(dependencies.data_deps(), message.data_deps()) &&
               same_ids(dependencies.ctrl_deps(), message.ctrl_deps()),
           "other dependencies without the rest of the node");
    if (!parsed) {
        return;
    }
    compare(view, message);
    Node node;
    Node other;
    expect(view.copy_to(node) == of_canonical.copy_to(other), "types that one of two knows");
    // Enumerations of a later schema are kept by Protobuf as they are by us.
    expect(bytes_of(node) == *canonical && bytes_of(other) == *canonical,
           "a node that is written otherwise than Protobuf writes it");
}

std::vector<std::string> node_view_seeds() {
    std::vector<std::string> seeds;
    for (const Node& node : varied_nodes()) {
        Message message;
        chakra::encode_node(node, message);
        seeds.push_back(message.SerializeAsString());
    }
    Message message;
    for (int member = 3; member <= 32; ++member) {
        auto& attribute = *message.add_attr();
        attribute.set_name("a");
        const auto* field = attribute.GetDescriptor()->FindFieldByNumber(member);
        if (field != nullptr && field->message_type() != nullptr) {
            (void)attribute.GetReflection()->MutableMessage(&attribute, field);
        }
    }
    seeds.push_back(message.SerializeAsString());
    return seeds;
}

// The first byte: the schema to read, and the form to write. What form 0.0.1 cannot say is lost in
// the first copy, and nothing after that.
void run_round_trip(std::string_view input) {
    const unsigned char choice = take_byte(input);
    std::optional<chakra::Schema> schema;
    if (choice % 8 != 0) {
        schema = chakra::all_schemas[choice % 8 - 1U];
    }
    const chakra::WrittenForm form = (choice & 16U) != 0   ? chakra::WrittenForm::Json
                                     : (choice & 32U) != 0 ? chakra::WrittenForm::V0_0_1
                                                           : chakra::WrittenForm::V0_0_4;
    if (decompressed_size(input, most_input_bytes) >= most_input_bytes) {
        return;
    }
    ReadTrace trace;
    std::string first;
    const bool readable = accepts([&] {
        trace = read(input, schema);
        first = written(trace, form);
    });
    if (!readable) {
        return;
    }
    // Which schema it is need not show in the bytes of nodes that say little.
    const std::optional<chakra::Schema> own =
        form == chakra::WrittenForm::V0_0_4   ? std::optional(chakra::Schema::V0_0_4)
        : form == chakra::WrittenForm::V0_0_1 ? std::optional(chakra::Schema::V0_0_1)
                                              : std::nullopt;
    ReadTrace copy;
    std::string second;
    try {
        copy = read(first, own);
        second = written(copy, form);
    } catch (const InputError& error) {
        throw FuzzFailure(std::string("a copy that is refused: ") + error.what());
    }
    if (form != chakra::WrittenForm::V0_0_1) {
        expect_same(trace, copy);
    }
    expect(first == second, "other bytes when a copy is written again");
}

std::vector<std::string> round_trip_seeds() {
    std::vector<std::string> seeds;
    for (const char form : {'\0', '\20', '\40'}) {
        for (std::string& file : with_prefix(std::string(1, form), all_files())) {
            seeds.push_back(std::move(file));
        }
    }
    for (std::size_t i = 0; i < chakra::all_schemas.size(); ++i) {
        seeds.push_back(static_cast<char>(17 + i) + made_file(chakra::all_schemas[i]));
    }
    return seeds;
}

}  // namespace npunet::fuzz
