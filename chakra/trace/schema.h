// The schemas that Chakra execution traces have been written in, oldest first.
//
//     const auto schema = schema_from("v0.0.1");      // Schema::V0_0_1
//     name_of(Schema::V0_0_4pre);                     // "0.0.4-pre"
//
// Chakra's definition of a trace changed its bytes six times in 2023 and not since; what calls
// itself 1.0.0 is 0.0.4. Nothing in a file says which schema it has
// (chakra/schemas/schema_detection.h finds out). Source: the history of et_def.proto in
// mlcommons/chakra; the letters tell apart what was all called 0.0.3.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace npunet::chakra {

/// Ascending in time.
enum class Schema {
    V0_0_1,     ///< January 2023: one flat message a node
    V0_0_2,     ///< June 2023: tensors as text, typed attributes
    V0_0_3a,    ///< July 2023: METADATA nodes, so that all types have other numbers; booleans
    V0_0_3c,    ///< 2 August 2023: the nodes of 0.0.3a; the first frame is metadata
    V0_0_3d,    ///< 5 August 2023: unsigned attributes, so that attributes have other fields
    V0_0_4pre,  ///< 10 October 2023: the nodes of 0.0.4 behind other metadata
    V0_0_4      ///< since 10 October 2023
};

inline constexpr std::array<Schema, 7> all_schemas{
    Schema::V0_0_1,  Schema::V0_0_2,    Schema::V0_0_3a, Schema::V0_0_3c,
    Schema::V0_0_3d, Schema::V0_0_4pre, Schema::V0_0_4};

/// "0.0.1", "0.0.2", "0.0.3a", "0.0.3c", "0.0.3d", "0.0.4-pre" or "0.0.4".
[[nodiscard]] std::string_view name_of(Schema schema);

/// The schema of this name, also with a leading v; "0.0.3" is 0.0.3d, "0.0.3b" has the bytes of
/// 0.0.3a, "1.0.0" those of 0.0.4. Empty for any other text.
[[nodiscard]] std::optional<Schema> schema_from(std::string_view name);

/// "0.0.1, 0.0.2, ...": all names, for messages and help texts.
[[nodiscard]] std::string schema_names();

/// Whether files of the schema can begin with a metadata frame.
[[nodiscard]] bool has_metadata_frame(Schema schema);

}  // namespace npunet::chakra
