// --schema of the `npunet trace` commands: what a trace is read as, whatever it looks like.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "chakra/schema.h"

namespace npunet::cli {

class SchemaOption {
public:
    /// The command must not outlive this.
    void add_to(CLI::App& command);

    /// Empty when it was not given.
    [[nodiscard]] std::optional<chakra::Schema> schema() const {
        return name_.empty() ? std::nullopt : chakra::schema_from(name_);
    }

private:
    std::string name_;
};

}  // namespace npunet::cli
