# What the module consists of, for both of its homes: CMakeLists.txt builds it outside an ns-3 tree,
# in-ns3-tree.cmake inside one. Paths are relative to this folder; one name a line.

# The packet machine: plain C++, without ns-3.
set(npunet_packet_core_sources
    model/npu-credit-account.cc
    model/npu-link-timing.cc
    model/npu-message-table.cc
    model/npu-packet-machine.cc
    model/npu-packet-machine-classes.cc
    model/npu-packet-machine-detours.cc
    model/npu-packet-machine-inputs.cc
    model/npu-packet-machine-links.cc
    model/npu-packet-machine-setup.cc
    model/npu-packet-machine-statistics.cc
    model/npu-packet-machine-ways.cc
    model/npu-route-plan.cc
    model/npu-way-chooser.cc
)

# What users include as <ns3/NAME.h>, and <ns3/npunet-module.h> as a whole.
set(npunet_ns3_headers
    helper/npu-anim-writer.h
    helper/npu-ascii-trace.h
    helper/npu-chakra-helper.h
    helper/npu-fabric-helper.h
    helper/npu-fault-list.h
    helper/npu-link-statistics.h
    helper/npu-topology-helper.h
    model/npu-chakra-workload.h
    model/npu-channel.h
    model/npu-compat.h
    model/npu-event-bridge.h
    model/npu-fabric.h
    model/npu-net-device.h
)

set(npunet_ns3_sources
    helper/npu-anim-writer.cc
    helper/npu-ascii-trace.cc
    helper/npu-chakra-helper.cc
    helper/npu-fabric-helper.cc
    helper/npu-fault-list.cc
    helper/npu-link-statistics.cc
    helper/npu-topology-helper.cc
    model/npu-chakra-workload.cc
    model/npu-channel.cc
    model/npu-event-bridge.cc
    model/npu-fabric-core.cc
    model/npu-fabric.cc
    model/npu-net-device.cc
    model/npu-trace-feed.cc
)

# NAME is the test suite of test/NAME-test-suite.cc.
set(npunet_ns3_suites
    npu-attribute
    npu-chakra
    npu-class
    npu-event-bridge
    npu-fabric
    npu-net-device
    npu-output
    npu-topology
    npu-trace
)

# NAME is the program of examples/NAME.cc; test/examples-to-run.py lists it too.
set(npunet_ns3_examples
    npu-all-to-all
    npu-fat-tree-incast
    npu-torus-utilization
    npu-training-step
)
