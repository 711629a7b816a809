/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-congestion-settings.h"

#include "npu-compat.h"
#include "npu-congestion-accessor.h"

#include "base/errors.h"

#include <ns3/object-factory.h>

namespace ns3
{

using npunet::topology::CongestionAlgorithm;
using npunet::topology::CongestionControlChoice;
using npunet::topology::CongestionParameter;

namespace
{

/**
 * @param algorithm with congestion control
 * @return its type
 */
TypeId
TypeOf(CongestionAlgorithm algorithm)
{
    switch (algorithm)
    {
    case CongestionAlgorithm::None:
        break;
    case CongestionAlgorithm::Dcqcn:
        return NpuDcqcn::GetTypeId();
    case CongestionAlgorithm::Hpcc:
        return NpuHpcc::GetTypeId();
    case CongestionAlgorithm::Timely:
        return NpuTimely::GetTypeId();
    case CongestionAlgorithm::Swift:
        return NpuSwift::GetTypeId();
    case CongestionAlgorithm::Dctcp:
        return NpuDctcp::GetTypeId();
    case CongestionAlgorithm::ReceiverCredit:
        return NpuReceiverCredit::GetTypeId();
    }
    return NpuCongestionControl::GetTypeId();
}

/**
 * @param key such as rate_ai
 * @return such as RateAi
 */
std::string
AttributeName(const std::string& key)
{
    std::string name;
    bool first = true;
    for (const char letter : key)
    {
        if (letter != '_')
        {
            name += first && letter >= 'a' ? static_cast<char>(letter - 'a' + 'A') : letter;
        }
        first = letter == '_';
    }
    return name;
}

/**
 * @param parameter of an algorithm
 * @return what its attribute says of itself
 */
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

} // namespace

NS_OBJECT_ENSURE_REGISTERED(NpuCongestionControl);
NS_OBJECT_ENSURE_REGISTERED(NpuDcqcn);
NS_OBJECT_ENSURE_REGISTERED(NpuHpcc);
NS_OBJECT_ENSURE_REGISTERED(NpuTimely);
NS_OBJECT_ENSURE_REGISTERED(NpuSwift);
NS_OBJECT_ENSURE_REGISTERED(NpuDctcp);
NS_OBJECT_ENSURE_REGISTERED(NpuReceiverCredit);

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
        tid.AddAttribute(AttributeName(parameters[i].key),
                         HelpOf(parameters[i]),
                         *MakeNpuCongestionValue(parameters[i], parameters[i].standard),
                         Create<NpuCongestionAccessor>(parameters[i], i),
                         MakeNpuCongestionChecker(parameters[i]));
    }
    return tid;
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
NpuCongestionControl::Make(const std::string& name)
{
    for (const std::string& word : npunet::topology::congestion_algorithm_names())
    {
        const CongestionAlgorithm algorithm = *npunet::topology::congestion_algorithm_named(word);
        if (algorithm == CongestionAlgorithm::None)
        {
            if (name == word)
            {
                return nullptr;
            }
        }
        else if (name == word || name == TypeOf(algorithm).GetName())
        {
            ObjectFactory factory;
            factory.SetTypeId(TypeOf(algorithm));
            return factory.Create<NpuCongestionControl>();
        }
    }
    std::string names;
    for (const std::string& word : npunet::topology::congestion_algorithm_names())
    {
        names += (names.empty() ? "" : ", ") + word;
    }
    throw npunet::InputError({"", "congestion control", "'" + name + "'", names, ""});
}

Ptr<NpuCongestionControl>
NpuCongestionControl::Make(const CongestionControlChoice& choice)
{
    Ptr<NpuCongestionControl> made = Make(npunet::topology::name_of(choice.algorithm));
    if (made)
    {
        made->m_values = choice.values;
        made->m_given.assign(choice.values.size(), true);
        made->m_preset = choice.scaled ? STANDARD : PAPER;
    }
    return made;
}

CongestionControlChoice
NpuCongestionControl::Choice() const
{
    CongestionControlChoice choice;
    choice.algorithm = m_algorithm;
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

TypeId
NpuDcqcn::GetTypeId()
{
    static TypeId tid = AddParameters(TypeId("ns3::NpuDcqcn")
                                          .SetParent<NpuCongestionControl>()
                                          .SetGroupName("Npunet")
                                          .AddConstructor<NpuDcqcn>(),
                                      CongestionAlgorithm::Dcqcn);
    return tid;
}

NpuDcqcn::NpuDcqcn() : NpuCongestionControl(CongestionAlgorithm::Dcqcn)
{
}

TypeId
NpuHpcc::GetTypeId()
{
    static TypeId tid = AddParameters(TypeId("ns3::NpuHpcc")
                                          .SetParent<NpuCongestionControl>()
                                          .SetGroupName("Npunet")
                                          .AddConstructor<NpuHpcc>(),
                                      CongestionAlgorithm::Hpcc);
    return tid;
}

NpuHpcc::NpuHpcc() : NpuCongestionControl(CongestionAlgorithm::Hpcc)
{
}

TypeId
NpuTimely::GetTypeId()
{
    static TypeId tid = AddParameters(TypeId("ns3::NpuTimely")
                                          .SetParent<NpuCongestionControl>()
                                          .SetGroupName("Npunet")
                                          .AddConstructor<NpuTimely>(),
                                      CongestionAlgorithm::Timely);
    return tid;
}

NpuTimely::NpuTimely() : NpuCongestionControl(CongestionAlgorithm::Timely)
{
}

TypeId
NpuSwift::GetTypeId()
{
    static TypeId tid = AddParameters(TypeId("ns3::NpuSwift")
                                          .SetParent<NpuCongestionControl>()
                                          .SetGroupName("Npunet")
                                          .AddConstructor<NpuSwift>(),
                                      CongestionAlgorithm::Swift);
    return tid;
}

NpuSwift::NpuSwift() : NpuCongestionControl(CongestionAlgorithm::Swift)
{
}

TypeId
NpuDctcp::GetTypeId()
{
    static TypeId tid = AddParameters(TypeId("ns3::NpuDctcp")
                                          .SetParent<NpuCongestionControl>()
                                          .SetGroupName("Npunet")
                                          .AddConstructor<NpuDctcp>(),
                                      CongestionAlgorithm::Dctcp);
    return tid;
}

NpuDctcp::NpuDctcp() : NpuCongestionControl(CongestionAlgorithm::Dctcp)
{
}

TypeId
NpuReceiverCredit::GetTypeId()
{
    static TypeId tid = AddParameters(TypeId("ns3::NpuReceiverCredit")
                                          .SetParent<NpuCongestionControl>()
                                          .SetGroupName("Npunet")
                                          .AddConstructor<NpuReceiverCredit>(),
                                      CongestionAlgorithm::ReceiverCredit);
    return tid;
}

NpuReceiverCredit::NpuReceiverCredit() : NpuCongestionControl(CongestionAlgorithm::ReceiverCredit)
{
}

} // namespace ns3
