/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_CONGESTION_ACCESSOR_H
#define NPU_CONGESTION_ACCESSOR_H

#include "topology/parameters/congestion_control.h"

#include <ns3/attribute.h>
#include <ns3/ptr.h>

#include <cstddef>

namespace ns3
{

/**
 * @ingroup npunet
 * Gives access to one parameter of an NpuCongestionControl: a Time, a DataRate, an unsigned number,
 * a double or a Boolean, as its unit is.
 */
class NpuCongestionAccessor final : public AttributeAccessor
{
  public:
    /**
     * @param parameter of an algorithm
     * @param place of it among the algorithm's
     */
    NpuCongestionAccessor(const npunet::topology::CongestionParameter& parameter,
                          std::size_t place);

    bool Set(ObjectBase* object, const AttributeValue& value) const override;
    bool Get(const ObjectBase* object, AttributeValue& value) const override;
    bool HasGetter() const override;
    bool HasSetter() const override;

  private:
    npunet::topology::CongestionParameter m_parameter; //!< the parameter
    std::size_t m_place;                               //!< among the algorithm's
};

/**
 * @ingroup npunet
 * @param parameter of an algorithm
 * @param number a value of it
 * @return the same as an attribute
 */
Ptr<AttributeValue> MakeNpuCongestionValue(const npunet::topology::CongestionParameter& parameter,
                                           double number);

/**
 * @ingroup npunet
 * @param parameter of an algorithm
 * @return a checker of its type and, but for a DataRate, of its range, which the accessor checks
 *         for all types
 */
Ptr<const AttributeChecker> MakeNpuCongestionChecker(
    const npunet::topology::CongestionParameter& parameter);

} // namespace ns3

#endif /* NPU_CONGESTION_ACCESSOR_H */
