// A table as a Parquet file (github.com/apache/parquet-format, format version 1): one row group,
// one page a column, plain encoding, not compressed.
//
//     file.stream() << parquet_of(table);
//
// Columns of numbers are INT64 or DOUBLE and required, of texts BYTE_ARRAY (UTF8) and required; a
// column without values is an optional INT64 of nulls.
#pragma once

#include <string>

#include "report/profile/column_table.h"

namespace npunet::report {

/// The bytes of the file. A column may have at most 2 GiB; throws MachineError beyond.
[[nodiscard]] std::string parquet_of(const ColumnTable& table);

}  // namespace npunet::report
