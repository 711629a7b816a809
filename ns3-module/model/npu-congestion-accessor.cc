/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-congestion-accessor.h"

#include "npu-congestion-settings.h"

#include <ns3/boolean.h>
#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/nstime.h>
#include <ns3/uinteger.h>

#include <cmath>

namespace ns3
{

using npunet::topology::CongestionParameter;
using npunet::topology::ParameterUnit;

namespace
{

/**
 * @param picoseconds a time
 * @return the time
 */
Time
TimeOf(double picoseconds)
{
    return PicoSeconds(static_cast<uint64_t>(std::llround(picoseconds)));
}

/**
 * @param number not negative
 * @return the nearest unsigned number
 */
uint64_t
Unsigned(double number)
{
    return static_cast<uint64_t>(std::llround(number));
}

/**
 * @tparam Value type of an attribute's value
 * @param value of an attribute
 * @param number set to what it holds
 * @param convert from what it holds to a number
 * @return whether the value has this type
 */
template <class Value, class Convert>
bool
Read(const AttributeValue& value, double& number, Convert convert)
{
    const auto* typed = dynamic_cast<const Value*>(&value);
    if (typed != nullptr)
    {
        number = convert(typed->Get());
    }
    return typed != nullptr;
}

/**
 * @param unit of a parameter
 * @param value of its attribute
 * @param number set to the parameter's
 * @return whether the value has the type of the unit
 */
bool
Read(ParameterUnit unit, const AttributeValue& value, double& number)
{
    switch (unit)
    {
    case ParameterUnit::Time:
        return Read<TimeValue>(value, number, [](const Time& time) {
            return static_cast<double>(time.GetPicoSeconds());
        });
    case ParameterUnit::Rate:
        return Read<DataRateValue>(value, number, [](const DataRate& rate) {
            return static_cast<double>(rate.GetBitRate()) / 8;
        });
    case ParameterUnit::Ratio:
        return Read<DoubleValue>(value, number, [](double ratio) { return ratio; });
    case ParameterUnit::Flag:
        return Read<BooleanValue>(value, number, [](bool flag) { return flag ? 1.0 : 0.0; });
    case ParameterUnit::Size:
    case ParameterUnit::Count:
        break;
    }
    return Read<UintegerValue>(
        value, number, [](uint64_t count) { return static_cast<double>(count); });
}

} // namespace

NpuCongestionAccessor::NpuCongestionAccessor(const CongestionParameter& parameter,
                                             std::size_t place)
    : m_parameter(parameter), m_place(place)
{
}

bool
NpuCongestionAccessor::Set(ObjectBase* object, const AttributeValue& value) const
{
    auto* control = dynamic_cast<NpuCongestionControl*>(object);
    double number = 0;
    if (control == nullptr || !Read(m_parameter.unit, value, number) ||
        number < m_parameter.least || number > m_parameter.most)
    {
        return false;
    }
    control->m_values[m_place] = number;
    // A default by Config::SetDefault() counts as given, ours does not.
    control->m_given[m_place] = control->m_constructed || number != m_parameter.standard;
    return true;
}

bool
NpuCongestionAccessor::Get(const ObjectBase* object, AttributeValue& value) const
{
    const auto* control = dynamic_cast<const NpuCongestionControl*>(object);
    if (control == nullptr)
    {
        return false;
    }
    const double number = control->m_values[m_place];
    if (auto* time = dynamic_cast<TimeValue*>(&value))
    {
        time->Set(TimeOf(number));
    }
    else if (auto* rate = dynamic_cast<DataRateValue*>(&value))
    {
        rate->Set(DataRate(Unsigned(number * 8)));
    }
    else if (auto* ratio = dynamic_cast<DoubleValue*>(&value))
    {
        ratio->Set(number);
    }
    else if (auto* flag = dynamic_cast<BooleanValue*>(&value))
    {
        flag->Set(number > 0);
    }
    else if (auto* count = dynamic_cast<UintegerValue*>(&value))
    {
        count->Set(Unsigned(number));
    }
    else
    {
        return false;
    }
    return true;
}

bool
NpuCongestionAccessor::HasGetter() const
{
    return true;
}

bool
NpuCongestionAccessor::HasSetter() const
{
    return true;
}

Ptr<AttributeValue>
MakeNpuCongestionValue(const CongestionParameter& parameter, double number)
{
    switch (parameter.unit)
    {
    case ParameterUnit::Time:
        return Create<TimeValue>(TimeOf(number));
    case ParameterUnit::Rate:
        return Create<DataRateValue>(DataRate(Unsigned(number * 8)));
    case ParameterUnit::Ratio:
        return Create<DoubleValue>(number);
    case ParameterUnit::Flag:
        return Create<BooleanValue>(number > 0);
    case ParameterUnit::Size:
    case ParameterUnit::Count:
        break;
    }
    return Create<UintegerValue>(Unsigned(number));
}

Ptr<const AttributeChecker>
MakeNpuCongestionChecker(const CongestionParameter& parameter)
{
    switch (parameter.unit)
    {
    case ParameterUnit::Time:
        return MakeTimeChecker(TimeOf(parameter.least), TimeOf(parameter.most));
    case ParameterUnit::Rate:
        return MakeDataRateChecker();
    case ParameterUnit::Ratio:
        return MakeDoubleChecker<double>(parameter.least, parameter.most);
    case ParameterUnit::Flag:
        return MakeBooleanChecker();
    case ParameterUnit::Size:
    case ParameterUnit::Count:
        break;
    }
    return MakeUintegerChecker<uint64_t>(Unsigned(parameter.least), Unsigned(parameter.most));
}

} // namespace ns3
