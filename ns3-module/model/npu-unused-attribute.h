// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_UNUSED_ATTRIBUTE_H
#define NPU_UNUSED_ATTRIBUTE_H

#include <iostream>

// Attributes of NpuFabric that others leave without effect. Not installed.

namespace ns3
{

/**
 * @ingroup npunet
 * Gives an attribute its default, and says on standard error that it has no effect if it had
 * another value.
 * @param value of the attribute
 * @param standard its default
 * @param name of the attribute
 * @param why it has no effect, as the end of a sentence
 */
template <class Value, class Standard>
void
DropUnused(Value& value, const Standard& standard, const char* name, const char* why)
{
    if (value != standard)
    {
        value = standard;
        // Not by ns-3's log, which optimized builds leave out.
        std::clog << "NpuFabric::" << name << " has no effect " << why << std::endl;
    }
}

} // namespace ns3

#endif /* NPU_UNUSED_ATTRIBUTE_H */
