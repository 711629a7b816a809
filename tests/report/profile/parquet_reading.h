// Reads Parquet files as their published layout has them (parquet.thrift, Encodings.md): an
// independent reader for tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace npunet::report {

struct ReadColumn {
    std::string name;
    std::int64_t type = -1;
    std::int64_t repetition = -1;
    std::int64_t converted = -1;
    std::vector<std::int64_t> numbers;
    std::vector<double> reals;
    std::vector<std::string> texts;
    std::size_t nulls = 0;
};

struct ReadTable {
    std::int64_t version = 0;
    std::int64_t rows = 0;
    std::vector<ReadColumn> columns;
};

/// Throws std::runtime_error where the file is not as it should be.
[[nodiscard]] ReadTable read_parquet(std::string_view file);

}  // namespace npunet::report
