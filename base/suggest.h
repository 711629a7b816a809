// "Did you mean ...?": the known name nearest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace npunet {

/// The entry of `known` with the least edit distance to `text` (case ignored; the first of equals);
/// empty when none is within half of the text's length.
[[nodiscard]] std::string nearest(std::string_view text, const std::vector<std::string>& known);

/// "Did you mean NAME?" of the nearest one, with `quote` on both sides of it; empty when there is
/// none.
[[nodiscard]] std::string did_you_mean(std::string_view text, const std::vector<std::string>& known,
                                       std::string_view quote = "");

}  // namespace npunet
