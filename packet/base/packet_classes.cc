#include "packet/base/packet_classes.h"

#include <algorithm>

namespace npunet::packet {

std::vector<Bytes> PacketClasses::wire_of(std::size_t port) const {
    std::vector<Bytes> wires;
    for (std::size_t i = 0; !of_ports.empty() && i < given.count; ++i) {
        wires.emplace_back(of_ports[port * given.count + i].wire);
    }
    return wires;
}

std::uint32_t PacketClasses::first(std::size_t port, std::uint32_t open) {
    auto first = static_cast<std::uint32_t>(__builtin_ctz(open));
    if (given.weights.empty()) {
        return first;
    }
    const ClassOfPort* classes = of_port(port);
    for (std::uint32_t number = first + 1; number < given.count; ++number) {
        if ((open >> number & 1U) != 0 && classes[number].lead < classes[first].lead) {
            first = number;
        }
    }
    return first;
}

void PacketClasses::charge(std::size_t port, std::uint32_t number, std::uint32_t bytes) {
    if (given.weights.empty()) {
        return;
    }
    ClassOfPort* classes = of_port(port);
    const std::int64_t start = classes[number].lead;
    for (std::uint32_t other = 0; other < given.count; ++other) {
        classes[other].lead = std::max<std::int64_t>(classes[other].lead - start, 0);
    }
    classes[number].lead = (std::int64_t{bytes} << 20) / given.weights[number];
}

}  // namespace npunet::packet
