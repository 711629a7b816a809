/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-congestion-settings.h"

#include "npu-compat.h"
#include "npu-congestion-parameter.h"

#include "base/errors.h"

#include <ns3/object-factory.h>
#include <ns3/string.h>

#include <cstddef>

namespace ns3
{

using npunet::topology::CongestionAlgorithm;
using npunet::topology::CongestionControlChoice;
using npunet::topology::CongestionParameter;

namespace
{

/// Such as ns3::NpuDcqcn.
std::string
TypeNameOf(CongestionAlgorithm algorithm)
{
    return "ns3::Npu" + NpuParameterName(npunet::topology::name_of(algorithm));
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
AttributesOf(const TypeId& tid)
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
    if (control == nullptr || !NpuReadParameter(m_parameter.unit, value, number) ||
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
    return NpuWriteParameter(control->m_values[m_place], value);
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
        tid.AddAttribute(NpuParameterName(parameters[i].key),
                         NpuParameterHelp(parameters[i]),
                         *NpuParameterValue(parameters[i], parameters[i].standard),
                         Create<NpuCongestionAccessor>(parameters[i], i),
                         NpuParameterChecker(parameters[i]));
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
