/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-congestion-parameter.h"

#include <ns3/boolean.h>
#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/nstime.h>
#include <ns3/uinteger.h>

#include <cmath>
#include <cstdint>

namespace ns3
{

using npunet::topology::CongestionParameter;
using npunet::topology::ParameterUnit;

namespace
{

/// A time in ps as an attribute's value holds it.
Time
TimeOf(double picoseconds)
{
    return PicoSeconds(static_cast<uint64_t>(std::llround(picoseconds)));
}

/// The nearest unsigned number; `number` is not negative.
uint64_t
Unsigned(double number)
{
    return static_cast<uint64_t>(std::llround(number));
}

/// Converts what an attribute's value holds to a number. Returns whether the value has this type.
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

} // namespace

std::string
NpuParameterName(const std::string& words)
{
    std::string name;
    bool first = true;
    for (const char letter : words)
    {
        const bool between = letter == '_' || letter == '-';
        if (!between)
        {
            name += first && letter >= 'a' ? static_cast<char>(letter - 'a' + 'A') : letter;
        }
        first = between;
    }
    return name;
}

std::string
NpuParameterHelp(const CongestionParameter& parameter)
{
    const std::string help = parameter.help;
    switch (parameter.scale)
    {
    case npunet::topology::ParameterScale::None:
        break;
    case npunet::topology::ParameterScale::Per25Gbps:
        return help + " (for each 25 Gb/s of the sender's link; Preset Paper: as it stands)";
    case npunet::topology::ParameterScale::PerBandwidthDelay:
        return help + " (times the bandwidth-delay product)";
    case npunet::topology::ParameterScale::PerRoundTrip:
        return help + " (times the round trip of the idle network)";
    }
    return help;
}

Ptr<AttributeValue>
NpuParameterValue(const CongestionParameter& parameter, double number)
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
NpuParameterChecker(const CongestionParameter& parameter)
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

bool
NpuReadParameter(ParameterUnit unit, const AttributeValue& value, double& number)
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

bool
NpuWriteParameter(double number, AttributeValue& value)
{
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

} // namespace ns3
