// The file of a figure: which formats there are, and writing it.
//
//     check_figure_file("--figure", options.figure);   // before anything is computed
//     write_figure_file(options.figure, report::stage_figure(plot));
#pragma once

#include <string>

#include "report/figures/canvas.h"

namespace npunet::cli {

/// Throws InputError unless the name ends in .svg or .png.
void check_figure_file(const char* option, const std::string& file);

/// In the format that the name, which has been checked, ends in. Throws MachineError.
void write_figure_file(const std::string& file, const report::Figure& figure);

}  // namespace npunet::cli
