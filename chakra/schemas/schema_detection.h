// Which schema is a file of? Nothing in it says so: it is told from the first frames.
//
//     const Detection found = detect_schema(frames, whole_file);
//     if (!found.fits) {
//         // "frame 1: field 18 is a number": no schema has such a node
//     }
//
// How. Every schema that is possible reads the frames strictly: a field that it does not have, a
// field of another wire type, a type beyond its numbers, the absence of what it requires, and it is
// out. Among those that are left, points decide: for a type that agrees with the name of the node
// (COMP_NODE_..., ALL_REDUCE) or with its attributes, against encodings that the writers of the
// schema do not make, or text in which control characters stand. With equal points the schema that
// is more in use wins. Fields that a schema after 0.0.4 may have added are allowed for.
//
// What no one can tell: 0.0.3b from 0.0.3a (same bytes); 0.0.3c without its metadata frame from
// 0.0.3a, 0.0.4-pre without it from 0.0.4 (the frame is all the difference); 0.0.3a from 0.0.3d
// when there are no attributes, or only truth values and floating-point numbers (then both mean the
// same), or nothing but integers (then only their sign differs); 0.0.1 from 0.0.2 when there is
// nothing but ids, names, types and dependencies (both mean the same); 0.0.2 from 0.0.3a and 0.0.1
// from 0.0.4 when there are neither telling names nor attributes nor a METADATA or COLL node.
// `ambiguous` says when that might matter.
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "chakra/trace/schema.h"

namespace npunet::chakra {

struct Detection {
    Schema schema = Schema::V0_0_4;
    bool metadata_frame = true;  ///< false when the file begins with a node
    std::string reason;          ///< one sentence: why this schema; or why not even this one
    bool ambiguous = false;      ///< another schema fits nearly as well and means something else
    bool fits = true;            ///< false: no schema reads all frames, this one the most
    std::size_t frame = 0;  ///< when it does not fit: the first frame that `schema` cannot read
};

/// The schema of a file from its first frames, or from all (`whole_file`). A file without frames is
/// of 0.0.4. Never throws on account of what the frames hold.
[[nodiscard]] Detection detect_schema(const std::vector<std::string_view>& first_frames,
                                      bool whole_file);

/// For a schema that the user names: only whether there is a metadata frame. `fits` as above.
[[nodiscard]] Detection assume_schema(Schema schema,
                                      const std::vector<std::string_view>& first_frames);

}  // namespace npunet::chakra
