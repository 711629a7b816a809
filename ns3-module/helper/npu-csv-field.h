/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_CSV_FIELD_H
#define NPU_CSV_FIELD_H

#include <string>

namespace ns3
{

/**
 * @ingroup npunet
 * Not installed.
 * @param name of a node
 * @return the name as a field of a CSV
 */
inline std::string
NpuCsvField(const std::string& name)
{
    if (name.find_first_of(",\"\n") == std::string::npos)
    {
        return name;
    }
    std::string quoted = "\"";
    for (const char each : name)
    {
        quoted += each == '"' ? "\"\"" : std::string(1, each);
    }
    return quoted + "\"";
}

} // namespace ns3

#endif /* NPU_CSV_FIELD_H */
