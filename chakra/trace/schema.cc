#include "chakra/trace/schema.h"

#include <utility>

namespace npunet::chakra {

namespace {

constexpr std::array<std::string_view, all_schemas.size()> main_names{
    "0.0.1", "0.0.2", "0.0.3a", "0.0.3c", "0.0.3d", "0.0.4-pre", "0.0.4"};

constexpr std::array<std::pair<std::string_view, Schema>, 3> other_names{
    {{"0.0.3", Schema::V0_0_3d}, {"0.0.3b", Schema::V0_0_3a}, {"1.0.0", Schema::V0_0_4}}};

}  // namespace

std::string_view name_of(Schema schema) {
    return main_names[static_cast<std::size_t>(schema)];
}

std::optional<Schema> schema_from(std::string_view name) {
    if (!name.empty() && name.front() == 'v') {
        name.remove_prefix(1);
    }
    for (const Schema schema : all_schemas) {
        if (name_of(schema) == name) {
            return schema;
        }
    }
    for (const auto& [other, schema] : other_names) {
        if (other == name) {
            return schema;
        }
    }
    return std::nullopt;
}

std::string schema_names() {
    std::string text;
    for (const std::string_view name : main_names) {
        text.append(text.empty() ? "" : ", ").append(name);
    }
    return text;
}

bool has_metadata_frame(Schema schema) {
    return schema >= Schema::V0_0_3c;
}

}  // namespace npunet::chakra
