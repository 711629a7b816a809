#include "ns3-module/model/npu-packet-machine.h"

#include <gtest/gtest.h>

namespace npunet::packet_test {
namespace {}  // namespace
}  // namespace npunet::packet_test
