#include "pairs.h"

#include <fmt/format.h>

#include <utility>

#include "tests/support/draw.h"
#include "topology/yaml/network_reader.h"

namespace npunet::validation {

namespace {

Pair make_pair(const NetworkCase& network, Traffic traffic, Control control) {
    std::string name = fmt::format("{}/{}/{}", network.name, traffic.name, name_of(control));
    return {std::move(name), network, std::move(traffic), control};
}

bool is_at_home(Control control, const NetworkCase& network) {
    return network.switched || control == Control::Credits || control == Control::Pfc;
}

/// Of ten pairs on networks with switches five with credits, two with pauses alone, three with
/// congestion control; on others the three are with pauses alone.
Control hold_out_control(const NetworkCase& network, std::size_t number) {
    constexpr Control of_ten[] = {
        Control::Credits, Control::Pfc,     Control::Credits, Control::Dcqcn, Control::Credits,
        Control::Hpcc,    Control::Credits, Control::Swift,   Control::Pfc,   Control::Credits};
    // Neither the kind of network nor that of traffic comes back with the control.
    const Control control = of_ten[(number + number / 8 + number / 9) % std::size(of_ten)];
    return is_at_home(control, network) ? control : Control::Pfc;
}

}  // namespace

const char* name_of(Control control) {
    switch (control) {
        case Control::Credits:
            return "credits";
        case Control::Pfc:
            return "pfc";
        case Control::Dcqcn:
            return "dcqcn";
        case Control::Hpcc:
            return "hpcc";
        case Control::Swift:
            break;
    }
    return "swift";
}

const std::vector<Pair>& product_pairs() {
    static const std::vector<Pair> pairs = [] {
        std::vector<Pair> all;
        for (const NetworkCase& network : product_networks()) {
            const std::vector<Traffic> traffic = product_traffic(network.npus);
            for (const Control control : controls) {
                if (!is_at_home(control, network)) {
                    continue;
                }
                for (const Traffic& one : traffic) {
                    all.push_back(make_pair(network, one, control));
                }
            }
        }
        return all;
    }();
    return pairs;
}

std::vector<Pair> sample_pairs() {
    constexpr std::size_t every = 7;
    constexpr std::int64_t most_bytes = std::int64_t{1} << 30;  // of all NPUs
    std::vector<Pair> small;
    for (const Pair& pair : product_pairs()) {
        const auto npus = static_cast<std::int64_t>(pair.network.npus);
        if (pair.traffic.bytes * npus <= most_bytes && pair.traffic.unable.empty()) {
            small.push_back(pair);
        }
    }
    test::Draw draw(7);
    for (std::size_t i = small.size(); i > 1; --i) {
        std::swap(small[i - 1],
                  small[static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(i)))]);
    }
    std::vector<Pair> sample;
    for (std::size_t i = 0; i < small.size(); i += every) {
        sample.push_back(std::move(small[i]));
    }
    return sample;
}

std::vector<Pair> hold_out_pairs() {
    constexpr std::size_t count = 100;
    std::vector<Pair> pairs;
    for (std::size_t number = 0; number < count; ++number) {
        const NetworkCase network = hold_out_network(number);
        const Control control = hold_out_control(network, number);
        pairs.push_back(make_pair(network, hold_out_traffic(number, network.npus), control));
    }
    return pairs;
}

std::string network_text(const Pair& pair, Buffers buffers) {
    std::string packet;
    if (buffers == Buffers::Deep) {
        packet += "    buffer: 256MiB\n";
    }
    if (pair.control != Control::Credits) {
        packet += "    flow_control: pfc\n    transport: go-back-n\n";
    }
    if (pair.control != Control::Credits && pair.control != Control::Pfc) {
        packet += fmt::format("    congestion_control: {}\n", name_of(pair.control));
    }
    return pair.network.text + (packet.empty() ? "" : "packet:\n" + packet);
}

study::Machine machine_for(const Pair& pair, Buffers buffers) {
    study::Machine machine;
    machine.dialect = engine::Dialect::named("npunet");
    machine.network =
        topology::parse_network(network_text(pair, buffers), pair.network.name, &machine.warnings);
    machine.system = pair.traffic.system;
    return machine;
}

}  // namespace npunet::validation
