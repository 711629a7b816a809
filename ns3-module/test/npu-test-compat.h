// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_TEST_COMPAT_H
#define NPU_TEST_COMPAT_H

#include "ns3/npu-event-bridge.h"

#include <ns3/test.h>

#include <initializer_list>
#include <string>
#include <type_traits>

// What the suites need from ns-3's test framework whatever its release. The version header is no
// help: ns-3 writes it on demand only.

/**
 * @ingroup npunet-test
 * How long a test case lasts: TestCase::QUICK, which is TestCase::Duration::QUICK since ns-3.42.
 * @tparam Case ns3::TestCase
 */
template <typename Case, typename = void> struct NpuTestDuration
{
    static constexpr auto QUICK = Case::QUICK; ///< fast
};

/// @copydoc NpuTestDuration
template <typename Case> struct NpuTestDuration<Case, std::void_t<typename Case::Duration>>
{
    static constexpr auto QUICK = Case::Duration::QUICK; ///< fast
};

#define NPU_TEST_QUICK NpuTestDuration<ns3::TestCase>::QUICK

/**
 * @ingroup npunet-test
 * A suite of unit tests on a clock of picoseconds, which ns-3's own test runner does not set.
 *
 * test.py gives every suite a process of its own. A runner of many suites in one process must not
 * have run a simulation before the first of these: ns-3's clock can be changed no more then.
 */
class NpuTestSuite : public ns3::TestSuite
{
  public:
    /**
     * @param name of the suite
     * @param cases all of them, quick ones
     */
    NpuTestSuite(const std::string& name, std::initializer_list<ns3::TestCase*> cases)
        : TestSuite(name, ns3::TestSuite::Type::UNIT)
    {
        for (ns3::TestCase* each : cases)
        {
            AddTestCase(each, NPU_TEST_QUICK);
        }
    }

  private:
    void
    DoSetup() override
    {
        ns3::NpuEventBridge::UsePicoseconds();
    }
};

#endif /* NPU_TEST_COMPAT_H */
