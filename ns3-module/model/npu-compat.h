// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_COMPAT_H
#define NPU_COMPAT_H

#include <ns3/enum.h>
#include <ns3/trace-helper.h>

/**
 * @file
 * @ingroup npunet
 * What differs between the releases of ns-3 that the module compiles with.
 */

namespace ns3
{

namespace npu_compat
{

/**
 * Since ns-3.41.
 * @param member variable of the object
 * @return the accessor
 */
template <typename Enum, typename Member>
auto
EnumAccessor(Member member, int /* preferred */) -> decltype(MakeEnumAccessor<Enum>(member))
{
    return MakeEnumAccessor<Enum>(member);
}

/**
 * Before.
 * @param member variable of the object
 * @return the accessor
 */
template <typename Enum, typename Member>
Ptr<const AttributeAccessor>
EnumAccessor(Member member, long /* otherwise */)
{
    return MakeEnumAccessor(member);
}

} // namespace npu_compat

/// Of Ethernet frames in a pcap file: PcapHelper::DLT_EN10MB, deprecated in ns-3.49 for
/// iana::LinkType::ETHERNET.
constexpr auto NPU_LINK_TYPE_ETHERNET = static_cast<PcapHelper::DataLinkType>(1);

/**
 * @ingroup npunet
 * An accessor of an enumeration attribute. Since ns-3.41 MakeEnumAccessor() wants the enumeration
 * as template argument; before, its first one was the type of the member.
 *
 *     NpuMakeEnumAccessor<NpuFabric::SwitchingMode>(&NpuFabric::m_switching)
 *
 * @tparam Enum the enumeration
 * @param member variable of the object
 * @return the accessor
 */
template <typename Enum, typename Member>
Ptr<const AttributeAccessor>
NpuMakeEnumAccessor(Member member)
{
    return npu_compat::EnumAccessor<Enum>(member, 0);
}

} // namespace ns3

#endif /* NPU_COMPAT_H */
