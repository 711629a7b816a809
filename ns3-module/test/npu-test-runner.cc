// SPDX-License-Identifier: GPL-2.0-only

#include <ns3/test.h>

/**
 * Runs the test suites outside an ns-3 tree: npunet-test-runner --suite=npu-fabric
 */
int
main(int argc, char* argv[])
{
    return ns3::TestRunner::Run(argc, argv);
}
