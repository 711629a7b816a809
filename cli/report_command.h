// `npunet report DIR`: draws the report of a results folder anew; with two folders, compares them.
#pragma once

#include "cli/command.h"

namespace npunet::cli {

void add_report_command(CLI::App& program, CommandContext& context);

}  // namespace npunet::cli
