/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-congestion-settings.h"

#include "npu-compat.h"

#include "base/errors.h"

#include <ns3/attribute.h>
#include <ns3/boolean.h>
#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <cmath>
#include <cstddef>

namespace ns3
{

using npunet::topology::CongestionAlgorithm;
using npunet::topology::CongestionControlChoice;
using npunet::topology::CongestionParameter;
using npunet::topology::ParameterUnit;

namespace
{

/// Such as RateAi of rate_ai, and ReceiverCredit of receiver-credit.
std::string
CamelCase(const std::string& words)
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

/// Such as ns3::NpuDcqcn.
std::string
TypeNameOf(CongestionAlgorithm algorithm)
{
    return "ns3::Npu" + CamelCase(npunet::topology::name_of(algorithm));
}

/// The help of a parameter's attribute.
std::string
HelpOf(const CongestionParameter& parameter)
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

/// The number of a parameter's attribute. Returns whether the value has the type of the unit.
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

/// A parameter's number as the value of its attribute.
Ptr<AttributeValue>
ValueOf(const CongestionParameter& parameter, double number)
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

/// Of the parameter's type and, but for a DataRate, its range, which NpuCongestionAccessor checks
/// for all types.
Ptr<const AttributeChecker>
CheckerOf(const CongestionParameter& parameter)
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

/// For messages: which texts name an algorithm.
std::string
KnownAlgorithms()
{
    std::string names;
    for (const std::string& word : npunet::topology::congestion_algorithm_names())
    {
        names += word + ", ";
    }
    return names + "or the name of a type derived from ns3::NpuCongestionControl";
}

/// For messages: the names of all attributes of a type.
std::string
AttributesOf(TypeId tid)
{
    std::string names;
    for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
    {
        names += tid.GetAttribute(i).name + ", ";
    }
    const TypeId parent = tid.GetParent();
    return tid == parent || parent == Object::GetTypeId() ? names.substr(0, names.size() - 2)
                                                          : names + AttributesOf(parent);
}

/// The parts of a text between bars that are not in brackets.
std::vector<std::string>
Split(const std::string& text)
{
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char letter : text)
    {
        depth += letter == '[' ? 1 : letter == ']' ? -1 : 0;
        if (letter == '|' && depth == 0)
        {
            parts.emplace_back();
        }
        else
        {
            parts.back() += letter;
        }
    }
    return parts;
}

/// The senders of an algorithm whose type a script has defined.
class ScriptSenders final : public npunet::packet::CustomSenders
{
  public:
    /**
     * @param control of a derived class
     */
    explicit ScriptSenders(Ptr<const NpuCongestionControl> control) : m_control(control)
    {
    }

    std::string
    name() const override
    {
        return m_control->GetInstanceTypeId().GetName();
    }

    npunet::topology::CongestionNeeds
    needs() const override
    {
        return m_control->Needs();
    }

    std::unique_ptr<npunet::packet::CongestionControl>
    make_sender(const npunet::packet::FlowPath& path) const override
    {
        return m_control->MakeSender(path);
    }

  private:
    Ptr<const NpuCongestionControl> m_control; //!< makes them
};

} // namespace

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
    NpuCongestionAccessor(const CongestionParameter& parameter, std::size_t place)
        : m_parameter(parameter), m_place(place)
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override;
    bool Get(const ObjectBase* object, AttributeValue& value) const override;

    bool
    HasGetter() const override
    {
        return true;
    }

    bool
    HasSetter() const override
    {
        return true;
    }

  private:
    CongestionParameter m_parameter; //!< the parameter
    std::size_t m_place;             //!< among the algorithm's
};

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

TypeId
NpuCongestionControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NpuCongestionControl")
            .SetParent<Object>()
            .SetGroupName("Npunet")
            .AddAttribute("Preset",
                          "Where the parameters come from that have their defaults: these, or "
                          "the algorithm's paper, unscaled.",
                          EnumValue(STANDARD),
                          NpuMakeEnumAccessor<PresetKind>(&NpuCongestionControl::m_preset),
                          MakeEnumChecker(STANDARD, "Standard", PAPER, "Paper"));
    return tid;
}

TypeId
NpuCongestionControl::AddParameters(TypeId tid, CongestionAlgorithm algorithm)
{
    const std::vector<CongestionParameter>& parameters = npunet::topology::parameters_of(algorithm);
    for (std::size_t i = 0; i < parameters.size(); ++i)
    {
        tid.AddAttribute(CamelCase(parameters[i].key),
                         HelpOf(parameters[i]),
                         *ValueOf(parameters[i], parameters[i].standard),
                         Create<NpuCongestionAccessor>(parameters[i], i),
                         CheckerOf(parameters[i]));
    }
    return tid;
}

NpuCongestionControl::NpuCongestionControl() : NpuCongestionControl(CongestionAlgorithm::Custom)
{
}

NpuCongestionControl::NpuCongestionControl(CongestionAlgorithm algorithm)
    : m_algorithm(algorithm), m_values(npunet::topology::standard_choice(algorithm).values),
      m_given(m_values.size(), false), m_constructed(false), m_preset(STANDARD)
{
}

void
NpuCongestionControl::NotifyConstructionCompleted()
{
    m_constructed = true;
    Object::NotifyConstructionCompleted();
}

Ptr<NpuCongestionControl>
NpuCongestionControl::Make(const std::string& text, const CongestionControlChoice& described)
{
    const std::string name = text.substr(0, text.find('['));
    const auto algorithm = npunet::topology::congestion_algorithm_named(name);
    if (text == name && algorithm == CongestionAlgorithm::None)
    {
        return nullptr;
    }
    const std::string typeName = algorithm ? TypeNameOf(*algorithm) : name;
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(typeName, &tid) || !tid.HasConstructor() ||
        !tid.IsChildOf(GetTypeId()))
    {
        throw npunet::InputError(
            {"", "congestion control", "'" + name + "'", KnownAlgorithms(), ""});
    }
    ObjectFactory factory;
    factory.SetTypeId(tid);
    Ptr<NpuCongestionControl> made = factory.Create<NpuCongestionControl>();
    if (made->m_algorithm == described.algorithm)
    {
        made->TakeOver(described);
    }
    made->SetAttributes(text.substr(name.size()));
    return made;
}

void
NpuCongestionControl::TakeOver(const CongestionControlChoice& choice)
{
    m_values = choice.values;
    m_given.assign(choice.values.size(), true);
    m_preset = choice.scaled ? STANDARD : PAPER;
}

void
NpuCongestionControl::SetAttributes(const std::string& text)
{
    if (text.empty())
    {
        return;
    }
    const auto refuse = [this](const std::string& found) {
        throw npunet::InputError(
            {"",
             "attributes of congestion control " + GetInstanceTypeId().GetName(),
             "'" + found + "'",
             "[NAME=VALUE|NAME=VALUE...] with " + AttributesOf(GetInstanceTypeId()),
             ""});
    };
    if (text.back() != ']')
    {
        refuse(text);
    }
    for (const std::string& assignment : Split(text.substr(1, text.size() - 2)))
    {
        const std::size_t equals = assignment.find('=');
        if (equals == std::string::npos ||
            !SetAttributeFailSafe(assignment.substr(0, equals),
                                  StringValue(assignment.substr(equals + 1))))
        {
            refuse(assignment);
        }
    }
}

Ptr<NpuCongestionControl>
NpuCongestionControl::Make(const CongestionControlChoice& choice)
{
    Ptr<NpuCongestionControl> made = Make(npunet::topology::name_of(choice.algorithm));
    if (made)
    {
        made->TakeOver(choice);
    }
    return made;
}

CongestionControlChoice
NpuCongestionControl::Choice() const
{
    CongestionControlChoice choice;
    choice.algorithm = m_algorithm;
    if (m_algorithm == CongestionAlgorithm::Custom)
    {
        choice.custom = std::make_shared<ScriptSenders>(this);
    }
    choice.values = m_values;
    choice.scaled = m_preset == STANDARD;
    const std::vector<CongestionParameter>& parameters =
        npunet::topology::parameters_of(m_algorithm);
    for (std::size_t i = 0; i < parameters.size(); ++i)
    {
        if (!choice.scaled && !m_given[i])
        {
            choice.values[i] = parameters[i].paper;
        }
    }
    return choice;
}

std::string
NpuCongestionControl::Serialize() const
{
    std::string text = GetInstanceTypeId().GetName();
    char separator = '[';
    for (TypeId tid = GetInstanceTypeId(); tid != Object::GetTypeId(); tid = tid.GetParent())
    {
        for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            StringValue value;
            GetAttribute(tid.GetAttribute(i).name, value);
            text.push_back(separator);
            text.append(tid.GetAttribute(i).name).append("=").append(value.Get());
            separator = '|';
        }
    }
    text.push_back(']');
    return text;
}

npunet::topology::CongestionNeeds
NpuCongestionControl::Needs() const
{
    return m_algorithm == CongestionAlgorithm::Custom ? npunet::topology::CongestionNeeds()
                                                      : npunet::topology::needs_of(Choice());
}

std::unique_ptr<npunet::packet::CongestionControl>
NpuCongestionControl::MakeSender(const npunet::packet::FlowPath& path) const
{
    return m_algorithm == CongestionAlgorithm::Custom
               ? nullptr
               : npunet::packet::make_congestion_control(Choice(), path);
}

template <CongestionAlgorithm Algorithm>
TypeId
NpuCongestionAlgorithm<Algorithm>::GetTypeId()
{
    static TypeId tid = AddParameters(TypeId(TypeNameOf(Algorithm).c_str())
                                          .SetParent<NpuCongestionControl>()
                                          .SetGroupName("Npunet")
                                          .template AddConstructor<NpuCongestionAlgorithm>(),
                                      Algorithm);
    return tid;
}

template class NpuCongestionAlgorithm<CongestionAlgorithm::Dcqcn>;
template class NpuCongestionAlgorithm<CongestionAlgorithm::Hpcc>;
template class NpuCongestionAlgorithm<CongestionAlgorithm::Timely>;
template class NpuCongestionAlgorithm<CongestionAlgorithm::Swift>;
template class NpuCongestionAlgorithm<CongestionAlgorithm::Dctcp>;
template class NpuCongestionAlgorithm<CongestionAlgorithm::ReceiverCredit>;

NS_OBJECT_ENSURE_REGISTERED(NpuCongestionControl);
NS_OBJECT_ENSURE_REGISTERED(NpuDcqcn);
NS_OBJECT_ENSURE_REGISTERED(NpuHpcc);
NS_OBJECT_ENSURE_REGISTERED(NpuTimely);
NS_OBJECT_ENSURE_REGISTERED(NpuSwift);
NS_OBJECT_ENSURE_REGISTERED(NpuDctcp);
NS_OBJECT_ENSURE_REGISTERED(NpuReceiverCredit);

} // namespace ns3
