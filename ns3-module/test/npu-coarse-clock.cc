// SPDX-License-Identifier: GPL-2.0-only

// A mistake: a fabric on ns-3's usual clock of nanoseconds. The program must stop and say why.

#include "ns3/npu-fabric-helper.h"

int
main()
{
    ns3::NodeContainer npus;
    npus.Create(4);
    ns3::NpuFabricHelper helper;
    helper.SetTopology("Ring", {4});
    helper.Install(npus);
    return 0;
}
