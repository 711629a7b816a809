# What the module consists of, for both of its homes: CMakeLists.txt builds it outside an ns-3 tree,
# in-ns3-tree.cmake inside one. Paths are relative to this folder; one name a line.

# What users include as <ns3/NAME.h>, and <ns3/npunet-module.h> as a whole.
set(npunet_ns3_headers
    helper/npu-anim-writer.h
    helper/npu-ascii-trace.h
    helper/npu-chakra-helper.h
    helper/npu-fabric-helper.h
    helper/npu-fault-list.h
    helper/npu-flow-writer.h
    helper/npu-link-statistics.h
    helper/npu-pcap-link.h
    helper/npu-random-flow-helper.h
    helper/npu-socket-helper.h
    helper/npu-topology-helper.h
    helper/npu-trace-log.h
    model/npu-chakra-workload.h
    model/npu-channel.h
    model/npu-compat.h
    model/npu-congestion-settings.h
    model/npu-event-bridge.h
    model/npu-fabric.h
    model/npu-flow-statistics.h
    model/npu-message-header.h
    model/npu-net-device.h
    model/npu-network.h
    model/npu-processes.h
    model/npu-segment.h
    model/npu-socket-application.h
    model/npu-socket-network.h
    model/npu-trace-records.h
    model/npu-tx-queue.h
)

set(npunet_ns3_sources
    helper/npu-anim-writer.cc
    helper/npu-ascii-trace.cc
    helper/npu-chakra-helper.cc
    helper/npu-fabric-helper.cc
    helper/npu-fabric-output.cc
    helper/npu-fault-list.cc
    helper/npu-flow-writer.cc
    helper/npu-link-statistics.cc
    helper/npu-pcap-link.cc
    helper/npu-random-flow-helper.cc
    helper/npu-topology-helper.cc
    helper/npu-trace-log.cc
    model/npu-chakra-workload.cc
    model/npu-channel.cc
    model/npu-congestion-parameter.cc
    model/npu-congestion-settings.cc
    model/npu-event-bridge.cc
    model/npu-fabric-attributes.cc
    model/npu-fabric-core.cc
    model/npu-fabric-core-border.cc
    model/npu-fabric-scale-up.cc
    model/npu-fabric.cc
    model/npu-gathering.cc
    model/npu-ip-ecn.cc
    model/npu-log-feed.cc
    model/npu-net-device.cc
    model/npu-network.cc
    model/npu-segment.cc
    model/npu-trace-feed.cc
    model/npu-tx-queue.cc
)

# Workloads on the sockets of ns-3's Internet stack.
set(npunet_ns3_socket_sources
    helper/npu-socket-helper.cc
    model/npu-datagram-port.cc
    model/npu-message-header.cc
    model/npu-socket-application.cc
    model/npu-socket-network.cc
    model/npu-stream-port.cc
    model/npu-stream-reader.cc
)
# One of these: with ns-3's module mpi, in a tree that is configured for it, and without.
set(npunet_ns3_mpi_source model/npu-processes-mpi.cc)
set(npunet_ns3_alone_source model/npu-processes-alone.cc)

# NAME is the test suite of test/NAME-test-suite.cc.
set(npunet_ns3_suites
    npu-attribute
    npu-chakra
    npu-class
    npu-congestion
    npu-datagram
    npu-event-bridge
    npu-fabric
    npu-flow
    npu-install
    npu-internet
    npu-jobs
    npu-log
    npu-net-device
    npu-output
    npu-own-congestion
    npu-packet-fate
    npu-pcap-link
    npu-processes
    npu-queue
    npu-random-flow
    npu-refusal
    npu-socket
    npu-socket-scenario
    npu-stock
    npu-tiers
    npu-topology
    npu-trace
    npu-trace-log
    npu-trains
)

# NAME is the program of examples/NAME.cc; test/examples-to-run.py lists it too.
set(npunet_ns3_examples
    npu-all-to-all
    npu-background-traffic
    npu-fair-shares
    npu-fat-tree-incast
    npu-head-of-line
    npu-incast
    npu-mixed-failure
    npu-own-congestion-control
    npu-pause-storm
    npu-split-training
    npu-sweep
    npu-tcp-all-reduce
    npu-torus-utilization
    npu-training-step
    npu-two-jobs
)
