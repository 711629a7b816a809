// SPDX-License-Identifier: GPL-2.0-only

// Without ns-3's module mpi: one process.

#include "npu-mpi-channel.h"
#include "npu-processes.h"

#include <ns3/abort.h>

namespace ns3
{

void
NpuProcesses::Enable(int* /* argc */, char*** /* argv */)
{
}

void
NpuProcesses::Disable()
{
}

uint32_t
NpuProcesses::GetId()
{
    return 0;
}

uint32_t
NpuProcesses::GetCount()
{
    return 1;
}

std::vector<int64_t>
NpuProcesses::Max(std::vector<int64_t> values)
{
    return values;
}

/// There is no other process to write to.
struct NpuMpiChannel::Ends
{
};

// NOLINTNEXTLINE(performance-unnecessary-value-param): with MPI it is kept.
NpuMpiChannel::NpuMpiChannel(const std::vector<Gate>& /* gates */, Reader /* reader */)
{
    NS_ABORT_MSG("a fabric is split over processes in an ns-3 with its module mpi only");
}

NpuMpiChannel::~NpuMpiChannel() = default;

void
NpuMpiChannel::Send(uint32_t /* process */, Time /* at */, const std::vector<uint8_t>& /* data */)
{
}

} // namespace ns3
