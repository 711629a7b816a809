#include "packet/base/packet_network.h"

#include "base/errors.h"
#include "topology/parameters/traffic_classes.h"

#include <string>

namespace npunet::packet {

namespace {

/// Packet sizes must fit in 31 bits.
constexpr std::int64_t max_packet = std::int64_t{1} << 30;

void check_classes(const topology::TrafficClasses& classes, const std::string& file) {
    constexpr int most = topology::TrafficClasses::most;
    if (classes.count < 1 || classes.count > most) {
        throw InputError({file, "packet.classes", std::to_string(classes.count),
                          "1 to " + std::to_string(most) + " traffic classes", ""});
    }
    for (const std::uint8_t own : classes.class_of) {
        if (own >= classes.count) {
            throw InputError({file, "packet.class_of", "class " + std::to_string(own),
                              "classes below " + std::to_string(classes.count), ""});
        }
    }
    bool in_range = classes.weights.empty() || classes.weights.size() == classes.count;
    for (const std::uint8_t weight : classes.weights) {
        in_range = in_range && weight >= 1 && weight <= topology::TrafficClasses::most_weight;
    }
    if (!in_range) {
        throw InputError({file, "packet.class_arbitration",
                          "'" + topology::arbitration_text(classes) + "'",
                          "no weights, or one from 1 to 100 for each class", ""});
    }
}

}  // namespace

void check_packet_parameters(const topology::PacketParameters& parameters,
                             const std::string& file) {
    check_classes(parameters.classes, file);
    const std::int64_t packet = parameters.mtu.value() + parameters.header.value();
    if (parameters.mtu.value() < 1 || parameters.mtu.value() > max_packet) {
        throw InputError({file, "packet.mtu", std::to_string(parameters.mtu.value()) + " bytes",
                          "1 to 2^30 bytes", ""});
    }
    if (parameters.header.value() < 0 || packet > max_packet) {
        throw InputError({file, "packet.header",
                          std::to_string(parameters.header.value()) + " bytes",
                          "0 bytes or more, with the mtu at most 2^30 bytes", ""});
    }
    if (!(parameters.error_rate >= 0 && parameters.error_rate < 1)) {
        throw InputError({file, "packet.error_rate", std::to_string(parameters.error_rate),
                          "a probability from 0 to below 1", ""});
    }
    if (parameters.error_rate > 0 && parameters.switching == topology::Switching::CutThrough) {
        throw InputError({file, "packet.error_rate",
                          std::to_string(parameters.error_rate) + " with cut-through",
                          "store and forward: links that repair errors check whole packets",
                          "leave one of the two out"});
    }
    if (parameters.buffer.value() != 0 && parameters.buffer.value() < packet) {
        throw InputError({file, "packet.buffer",
                          std::to_string(parameters.buffer.value()) + " bytes",
                          "room for at least one full packet, " + std::to_string(packet) +
                              " bytes, or 0 for automatic",
                          "enlarge the buffer or lower packet.mtu"});
    }
}

}  // namespace npunet::packet
