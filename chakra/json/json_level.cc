#include "chakra/json/json_level.h"

#include <fmt/format.h>

#include "base/errors.h"

namespace npunet::chakra {

JsonHex* JsonHex::begin(JsonLevel& owner) {
    owner_ = &owner;
    bytes_.reset();
    good_ = true;
    return this;
}

void JsonHex::key(std::string_view name) {
    good_ = good_ && name == "hex" && !bytes_;
}

void JsonHex::value(const JsonToken& token) {
    if (good_ && token.kind == JsonToken::Kind::Text) {
        bytes_ = bytes_from_hex(token.text);
    }
    good_ = good_ && token.kind == JsonToken::Kind::Text && bytes_;
}

void JsonHex::end() {
    if (good_ && bytes_) {
        owner_->value({JsonToken::Kind::Bytes, 0, 0, *bytes_});
    } else {
        owner_->value({JsonToken::Kind::Object, 0, 0, {}});
    }
    bytes_.reset();
}

std::string JsonPlace::subject() const {
    switch (part) {
        case Part::Document:
            return graph_key;
        case Part::Metadata:
            return metadata_key;
        case Part::Node:
            return fmt::format("node {} of {}", nodes, graph_key);
        case Part::Other:
            return other;
    }
    return {};
}

void JsonPlace::fail(std::string_view key, std::string found, std::string expected) const {
    std::string place = subject();
    if (!key.empty()) {
        place += fmt::format(", {}", key);
    }
    throw InputError({file, std::move(place), std::move(found), std::move(expected),
                      "Correct the file; docs/traces.md describes JSON traces"});
}

void JsonPlace::fail_rest(std::string_view key) const {
    fail(key, "bytes that are not of later schemas",
         "fields that schema 0.0.4 does not have, as bytes in hexadecimal digits");
}

}  // namespace npunet::chakra
