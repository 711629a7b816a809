// How the parts of a difference, and what is delayed, are called where people read of them.
//
//     in_words("flow_control")                 // "flow control"
//     signed_time(Time::ns(-3))                // "-3 ns"
//     label_of(why.communications[0])          // "all_to_all_1 (0-3)"
#pragma once

#include <string>

#include "report/gap.h"

namespace npunet::report {

/// A name of the JSON with blanks.
[[nodiscard]] std::string in_words(std::string name);

/// For people: format_time() of times that may be negative; with_plus: "+3 ns", and "0 ns".
[[nodiscard]] std::string signed_time(Time time, bool with_plus = false);

/// The name and the ranks: "gradients (0-3, 8)", of a message "send (0 -> 1)".
[[nodiscard]] std::string label_of(const CommunicationGap& communication);

/// How much later it ends by what is its own: the parts but `dependency`.
[[nodiscard]] Time own_delay(const CommunicationGap& communication);

}  // namespace npunet::report
