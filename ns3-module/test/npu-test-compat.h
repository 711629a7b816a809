/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_TEST_COMPAT_H
#define NPU_TEST_COMPAT_H

#include <ns3/test.h>
#include <ns3/version-defines.h>

// Since ns-3.42 the kinds of tests are enum classes.
#if NS3_VERSION_MAJOR > 3 || NS3_VERSION_MINOR >= 42
#define NPU_TEST_UNIT ns3::TestSuite::Type::UNIT
#define NPU_TEST_QUICK ns3::TestCase::Duration::QUICK
#else
#define NPU_TEST_UNIT ns3::TestSuite::UNIT
#define NPU_TEST_QUICK ns3::TestCase::QUICK
#endif

#endif /* NPU_TEST_COMPAT_H */
