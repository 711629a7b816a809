/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_CONGESTION_PARAMETER_H
#define NPU_CONGESTION_PARAMETER_H

#include "topology/parameters/congestion_control.h"

#include <ns3/attribute.h>

#include <string>

/**
 * @file
 * @ingroup npunet
 * A parameter of the tables in topology/parameters/congestion_control.h as an attribute: a Time, a
 * DataRate, an unsigned number, a double or a Boolean, as its unit is. Numbers are those of the
 * tables: ps, bytes/s, bytes, or plain ones.
 */

namespace ns3
{

/**
 * @param words of a network.yml
 * @return such as RateAi of rate_ai, and ReceiverCredit of receiver-credit
 */
std::string NpuParameterName(const std::string& words);

/**
 * @param parameter of an algorithm
 * @return the help of its attribute
 */
std::string NpuParameterHelp(const npunet::topology::CongestionParameter& parameter);

/**
 * @param parameter of an algorithm
 * @param number of the parameter
 * @return the value of its attribute
 */
Ptr<AttributeValue> NpuParameterValue(const npunet::topology::CongestionParameter& parameter,
                                      double number);

/**
 * @param parameter of an algorithm
 * @return a checker of its type and, but for a DataRate, its range
 */
Ptr<const AttributeChecker> NpuParameterChecker(
    const npunet::topology::CongestionParameter& parameter);

/**
 * @param unit of a parameter
 * @param value of its attribute
 * @param number set to the parameter's
 * @return whether the value has the type of the unit
 */
bool NpuReadParameter(npunet::topology::ParameterUnit unit,
                      const AttributeValue& value,
                      double& number);

/**
 * @param number of a parameter
 * @param value set to it
 * @return whether the value has a type that parameters have
 */
bool NpuWriteParameter(double number, AttributeValue& value);

} // namespace ns3

#endif /* NPU_CONGESTION_PARAMETER_H */
