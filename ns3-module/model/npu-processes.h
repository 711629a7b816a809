// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_PROCESSES_H
#define NPU_PROCESSES_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * The processes of one simulation under MPI, each with a part of the fabric: a program that is
 * started by mpirun, in an ns-3 with its module mpi. Anywhere else there is one process, and the
 * same program runs.
 *
 *     NpuProcesses::Enable(&argc, &argv);
 *     NpuFabricHelper helper;
 *     helper.SetTopology("Torus2D", {8, 8});
 *     helper.Install(helper.CreateNpus());
 *     helper.GetFabric()->Send(0, 63, 1 << 20);
 *     Simulator::Run();
 *     const auto uses = helper.GetFabric()->GatherLinkUse();
 *     if (NpuProcesses::GetId() == 0)
 *     {
 *         // print
 *     }
 *     Simulator::Destroy();
 *     NpuProcesses::Disable();
 */
class NpuProcesses
{
  public:
    NpuProcesses() = delete;

    /**
     * Begins to work under MPI, where there are several processes, with ns-3's
     * DistributedSimulatorImpl. Before anything that uses the Simulator. Scripts that call ns-3's
     * MpiInterface::Enable() themselves do without.
     * @param argc of main()
     * @param argv of main()
     */
    static void Enable(int* argc, char*** argv);

    /**
     * Ends what Enable() began. After Simulator::Destroy().
     */
    static void Disable();

    /**
     * @return the number of this process, from 0, which is the system id of its nodes
     */
    static uint32_t GetId();

    /**
     * @return how many processes there are
     */
    static uint32_t GetCount();

    /**
     * Every process must call it, with as many values.
     * @param values of this process
     * @return the largest of all processes, value by value
     */
    static std::vector<int64_t> Max(std::vector<int64_t> values);
};

} // namespace ns3

#endif /* NPU_PROCESSES_H */
