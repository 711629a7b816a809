// The recorded data of ../shared, which a checkout may lack as a whole.
//
//     TEST(Traces, AreRead) {
//         NPUNET_SKIP_WITHOUT_SHARED_DATA();
//         read(path(NPUNET_SHARED_DIR) / "data/chakra/made/cycle.et");
//     }
//
// Where the folder is there no test skips: a file that is missing in it fails whoever reads it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>

/// In the body of a test or its SetUp().
#define NPUNET_SKIP_WITHOUT_SHARED_DATA()                                         \
    do {                                                                          \
        if (!std::filesystem::exists(NPUNET_SHARED_DIR)) {                        \
            GTEST_SKIP() << "the shared folder is absent: " << NPUNET_SHARED_DIR; \
        }                                                                         \
    } while (false)
