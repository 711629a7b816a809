// InfraGraph files for tests.
#pragma once

namespace npunet::test {

/// Four servers of eight GPUs at four NVSwitches and, through PCIe switches, eight NICs that are
/// devices of their own; leaf k has port 0 of the NICs of server k, and four cables to each of two
/// spines. Links `pcie` and `fabric` say nothing of latency, `board` nothing at all.
inline constexpr const char* infragraph_cluster = R"(name: four-servers
devices:
  - name: server
    description: 8 GPUs, 4 NVSwitches, 2 CPUs, 4 PCIe switches with 2 NICs each
    components:
      - {name: cpu, count: 2, choice: cpu}
      - {name: memory, count: 2, choice: memory}
      - {name: gpu, count: 8, choice: xpu}
      - {name: nvswitch, count: 4, choice: switch}
      - {name: pcie_switch, count: 4, choice: switch}
      - {name: nic, count: 8, choice: device}
      - {name: bmc, count: 1, choice: custom, custom: {type: management}}
    links:
      - name: nvlink
        physical:
          bandwidth: {choice: gigabytes_per_second, gigabytes_per_second: 112.5}
          latency: {choice: ns, ns: 100}
      - name: pcie
        physical:
          bandwidth: {choice: gigabytes_per_second, gigabytes_per_second: 64}
      - {name: fabric, physical: {bandwidth: {gigabytes_per_second: 100}}}
      - {name: board}
    edges:
      - {ep1: {component: gpu}, ep2: {component: nvswitch}, scheme: many2many, link: nvlink}
      - {ep1: {component: "gpu[::2]"}, ep2: {component: pcie_switch}, scheme: one2one, link: pcie}
      - {ep1: {component: "gpu[1:8:2]"}, ep2: {component: pcie_switch}, scheme: one2one, link: pcie}
      - ep1: {device: "nic[0:8:2]", component: slot}
        ep2: {component: "pcie_switch[0:4]"}
        scheme: one2one
        link: pcie
      - {ep1: {component: "nic[1::2].slot"}, ep2: {component: pcie_switch}, scheme: one2one, link: pcie}
      - {ep1: {component: "pcie_switch[:2]"}, ep2: {component: "cpu[0]"}, scheme: many2many, link: pcie}
      - {ep1: {component: "pcie_switch[2:]"}, ep2: {component: "cpu[1]"}, scheme: many2many, link: pcie}
      - {ep1: {component: cpu}, ep2: {component: cpu}, scheme: many2many, link: fabric}
      - {ep1: {component: cpu}, ep2: {component: memory}, scheme: one2one, link: board}
      - {ep1: {component: "cpu[0]"}, ep2: {component: "bmc[0]"}, link: board}
  - name: nic
    components:
      - {name: slot, count: 1, choice: custom, custom: {type: pcie}}
      - {name: port, count: 2, choice: port}
    links:
      - {name: on-card, physical: {bandwidth: {gigabits_per_second: 400}, latency: {ns: 50}}}
    edges:
      - {ep1: {component: slot}, ep2: {component: port}, scheme: many2many, link: on-card}
  - name: ethernet
    components:
      - {name: asic, count: 1, choice: switch}
      - {name: port, count: 16, choice: port}
    links:
      - {name: lanes, physical: {bandwidth: {gigabits_per_second: 400}, latency: {ns: 50}}}
    edges:
      - {ep1: {component: asic}, ep2: {component: port}, scheme: many2many, link: lanes}
links:
  - name: cable
    physical:
      bandwidth: {choice: gigabits_per_second, gigabits_per_second: 400}
      latency: {choice: us, us: 0.3}
instances:
  - {name: host, device: server, count: 4}
  - {name: leaf, device: ethernet, count: 4}
  - {name: spine, device: ethernet, count: 2}
edges:
  - {ep1: {instance: host, component: "nic.port[0]"}, ep2: {instance: leaf, component: "port[:8]"}, scheme: one2one, link: cable}
  - {ep1: {instance: leaf, component: "port[8:12]"}, ep2: {instance: "spine[0]", component: port}, scheme: one2one, link: cable}
  - {ep1: {instance: leaf, component: "port[12:16]"}, ep2: {instance: "spine[1]", component: "port[0:16]"}, scheme: one2one, link: cable}
)";

/// Two GPUs with a NIC each, of devices called `side`, which are linked: 64 and 50 GB/s, and no
/// latencies.
inline constexpr const char* infragraph_pair = R"(infrastructure:
  devices:
    - name: side
      components: [{name: gpu, count: 1, choice: xpu}, {name: nic, count: 1, choice: nic}]
      links: [{name: pcie, physical: {bandwidth: {gigabytes_per_second: 64}}}]
      edges: [{ep1: {component: gpu}, ep2: {component: nic}, scheme: one2one, link: pcie}]
  links: [{name: cable, physical: {bandwidth: {gigabits_per_second: 400}}}]
  instances: [{name: host, device: side, count: 2}]
  edges:
    - ep1: {instance: "host[0]", component: nic}
      ep2: {instance: "host[1]", component: "nic[0]"}
      scheme: one2one
      link: cable
annotations:
  nodes: [{name: host.0.gpu.0, attributes: [{attribute: rank, value: "0"}]}]
)";

}  // namespace npunet::test
