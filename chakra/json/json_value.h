// Text and attribute values of nodes as JSON, without loss; chakra/json/json_attribute_reader.h
// reads them. For the sources of chakra only; the form is described in
// chakra/json/json_trace.h.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "chakra/trace/attribute.h"

namespace npunet::chakra {

using OrderedJson = nlohmann::ordered_json;

/// A string, or {"hex": "..."} for bytes that are no UTF-8.
[[nodiscard]] OrderedJson json_of_text(const std::string& text);
[[nodiscard]] OrderedJson json_of_bytes(const std::string& bytes);

/// {"name": ..., "type": "int64_val", "value": ...}, and "rest" where there is one. An attribute
/// without a value has neither type nor value.
[[nodiscard]] OrderedJson json_of(const Attribute& attribute);

}  // namespace npunet::chakra
