#include "chakra/json/json_trace.h"
#include "chakra/json/json_value.h"
#include "chakra/trace/node.h"

namespace npunet::chakra {

namespace {

OrderedJson json_of(const TensorText& tensors) {
    OrderedJson json{{"values", json_of_text(tensors.values)},
                     {"shapes", json_of_text(tensors.shapes)},
                     {"types", json_of_text(tensors.types)}};
    if (!tensors.rest.empty()) {
        json["rest"] = json_of_bytes(tensors.rest);
    }
    return json;
}

OrderedJson json_of(const std::vector<Attribute>& attributes) {
    OrderedJson list = OrderedJson::array();
    for (const Attribute& attribute : attributes) {
        list.push_back(json_of(attribute));
    }
    return list;
}

/// What the feeder of Chakra reads.
OrderedJson feeder_form(const Node& node) {
    OrderedJson json{{"Id", node.id},
                     {"Name", json_of_text(node.name)},
                     {"NodeType", static_cast<int>(node.type)},
                     {"runtime", node.duration_micros},
                     {"data_deps", node.data_deps},
                     {"is_cpu_op", node.integer("is_cpu_op").value_or(0) != 0}};
    if (is_communication(node.type)) {
        for (const char* const key : {"tensor_size", "comm_type", "comm_priority", "comm_size",
                                      "comm_src", "comm_dst", "comm_tag"}) {
            json[key] = node.integer(key).value_or(0);
        }
    }
    return json;
}

OrderedJson json_of(const Node& node) {
    OrderedJson json = feeder_form(node);
    if (!node.ctrl_deps.empty()) {
        json["ctrl_deps"] = node.ctrl_deps;
    }
    if (node.start_time_micros != 0) {
        json["start_time_micros"] = node.start_time_micros;
    }
    if (node.inputs.present || !node.inputs.empty()) {
        json["inputs"] = json_of(node.inputs);
    }
    if (node.outputs.present || !node.outputs.empty()) {
        json["outputs"] = json_of(node.outputs);
    }
    json["attributes"] = json_of(node.attributes);
    if (!node.rest.empty()) {
        json["rest"] = json_of_bytes(node.rest);
    }
    return json;
}

}  // namespace

void JsonTraceText::begin(const TraceMetadata& metadata) {
    out_ << '{';
    if (metadata.present) {
        OrderedJson json{{"version", json_of_text(metadata.version)},
                         {"attributes", json_of(metadata.attributes)}};
        if (!metadata.rest.empty()) {
            json["rest"] = json_of_bytes(metadata.rest);
        }
        out_ << "\"metadata\": " << json.dump() << ",\n";
    } else {
        out_ << "\"metadata\": null,\n";
    }
    out_ << "\"workload_graph\": [";
    first_ = true;
}

void JsonTraceText::add(const Node& node) {
    out_ << (first_ ? "\n" : ",\n") << json_of(node).dump();
    first_ = false;
}

void JsonTraceText::end() {
    out_ << "\n]}\n";
}

}  // namespace npunet::chakra
