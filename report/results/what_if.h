// What a run would take on a machine of which one part is better: `npunet simulate --what-if`.
//
//     const WhatIf answers = study::what_if(workload, machine, fidelity, results, {});
//     out << what_if_table(answers);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "report/results/step_summary.h"

namespace npunet::report {

struct WhatIfLine {
    std::string part;                  ///< "scale_out_rate", "latency", "compute": in files
    std::string name;                  ///< "scale-out rate x 2 (NIC, leaf-spine)": for people
    double factor = 1;                 ///< of the part
    std::vector<std::string> classes;  ///< of links: whose rate it is
    /// Nothing where the run stalls; `note` says so.
    std::optional<Time> finish;
    std::optional<BoundBy> bound;
    std::string note;  ///< what of the part has not changed; may be empty
};

struct WhatIf {
    Time finish;  ///< of the machine as it is
    std::optional<BoundBy> bound;
    std::vector<WhatIfLine> lines;
};

/// By how much a line takes longer, in percent of the machine as it is. Nothing where it is not
/// known: without a finish, and where a line with a note changes less than 0.05 %, which says
/// nothing of the part.
[[nodiscard]] std::optional<double> change_percent(const WhatIf& answers, const WhatIfLine& line);

/// A row for the machine as it is and for each line, and below it the notes.
[[nodiscard]] std::string what_if_table(const WhatIf& answers);

/// An array, see docs/results.md.
void write_what_if(JsonWriter& json, const WhatIf& answers);

}  // namespace npunet::report
