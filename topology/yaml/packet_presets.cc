#include "topology/yaml/packet_presets.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "topology/yaml/network_reader.h"

namespace npunet::topology {

namespace {

// Switches: the defaults of NVIDIA's `roce lossless` and `roce lossy` (Onyx and Cumulus Linux user
// manuals, "RoCE"): marks by absolute thresholds of 150 and 1500 kB, whatever the rate of the port;
// pauses in lossless mode. NICs: the defaults of ConnectX (NVIDIA, "DCQCN CC Parameters";
// mlxconfig): DCE_TCP_G 1019 (alpha keeps 1019/1024 of itself), DCE_TCP_RTT 1 us,
// MIN_TIME_BETWEEN_CNPS and RATE_REDUCE_MONITOR_PERIOD 4 us, RPG_TIME_RESET 300 us, RPG_BYTE_RESET
// 32767 times 64 bytes, RPG_THRESHOLD 1, RPG_AI_RATE 5 Mb/s, RPG_HAI_RATE 50 Mb/s, CLAMP_TGT_RATE
// off; the rates are those of a NIC, not in proportion to its link. Not RPG_MIN_RATE (1 Mb/s): the
// pace of a packet is set when it starts, and a packet of 4 KiB would hold its queue pair for 33
// ms, whatever the rate becomes meanwhile; at 100 Mb/s it does for one RPG_TIME_RESET.
constexpr const char* dcqcn_of_nics =
    "congestion_control: dcqcn\n"
    "ecn: {kmin: 150KB, kmax: 1500KB, pmax: 1, per: link}\n"
    "dcqcn:\n"
    "    preset: paper\n"
    "    gain: 0.0048828125\n"
    "    alpha_timer: 1us\n"
    "    cnp_interval: 4us\n"
    "    increase_timer: 300us\n"
    "    byte_counter: 2097088B\n"
    "    fast_recovery: 1\n"
    "    rate_ai: 5Mbps\n"
    "    rate_hai: 50Mbps\n"
    "    min_rate: 100Mbps\n"
    "    clamp_target_rate: false\n";

/// A section of a network.yml.
std::string text_of(const std::string& name) {
    return (name == "roce-2025"
                ? std::string("flow_control: pfc\ntransport: go-back-n\n")
                : std::string("flow_control: none\ntransport: selective-repeat\n")) +
           dcqcn_of_nics;
}

}  // namespace

const std::vector<std::string>& packet_preset_names() {
    static const std::vector<std::string> names{"roce-2025", "ethernet-lossy"};
    return names;
}

YamlField with_preset(const YamlField& section) {
    const auto preset = section.find("preset");
    if (!preset) {
        return section;
    }
    const std::string name = one_of(*preset, packet_preset_names());
    YamlField defaults =
        YamlField::parse(fmt::format("preset {}", name), text_of(name), "mtu: 4KB");
    const auto control = section.find("congestion_control");
    const std::string own = defaults.at("congestion_control").text("a word");
    if (control && control->is_text() && control->text("a word") != own) {
        defaults = defaults.without(own);
    }
    return section.without("preset").with_defaults(defaults);
}

PacketParameters preset_parameters(const std::string& name) {
    static_cast<void>(one_of(YamlField::of_text("", "preset", name), packet_preset_names()));
    return parse_network(
               fmt::format(
                   "{{topology: [Switch], npus_count: [2], bandwidth: [50], latency: [500], "
                   "packet: {{preset: {}}}}}",
                   name),
               "preset")
        .packet;
}

}  // namespace npunet::topology
