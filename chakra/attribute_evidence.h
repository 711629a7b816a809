// What one attribute says about the schema it is of, and about the type of its node: a part of
// chakra/frame_evidence.h. For the sources of this folder only.
#pragma once

#include <string_view>

#include "chakra/frame_evidence.h"

namespace npunet::chakra {

/// What the attributes of one node say about its type.
struct AttributeSigns {
    bool named = false;          ///< the last one has a printable name
    bool communication = false;  ///< a name that begins with comm_, or pg_name
    bool collective = false;     ///< comm_type
    bool message = false;        ///< comm_src or comm_dst
    bool computation = false;    ///< num_ops or a run time
    bool size = false;           ///< tensor_size
};

/// Judges an attribute, whose fields are those of the form.
void judge_attribute(NodeForm form, std::string_view attribute, AttributeSigns& signs,
                     Evidence& evidence);

/// Whether there is a character below the space: what is no text.
[[nodiscard]] bool has_control_characters(std::string_view text);

}  // namespace npunet::chakra
