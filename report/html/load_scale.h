// How busy links are, in pages: as one of 64 digits, and in a colour.
#pragma once

#include <string>
#include <vector>

namespace npunet::report {

/// Of a share from 0 to 1, in Base64's digits; 'A' is idle, and what is not idle is not 'A'.
[[nodiscard]] char share_digit(double share);

/// The colours of the digits.
[[nodiscard]] std::vector<std::string> share_colours();

/// The legend: idle, 25 %, ... 100 %.
[[nodiscard]] std::string share_legend_html();

}  // namespace npunet::report
