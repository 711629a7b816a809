#include "report/results/results_json.h"

#include <string>

namespace npunet::report {

namespace {

/// [least, most]; left out if the range is empty.
template <class Quantity>
void write_range(JsonWriter& json, const char* key, const engine::OptionalRange<Quantity>& range) {
    if (range) {
        json.key(key).begin_array().value(range->least).value(range->most).end_array();
    }
}

void write_packet(JsonWriter& json, const engine::ResolvedPacket& packet) {
    json.begin_object()
        .member("routing", packet.routing)
        .member("flow_control", packet.flow_control);
    if (packet.has_credits()) {
        json.member("virtual_channels", packet.virtual_channels);
    }
    write_range(json, "buffer_bytes", packet.buffer);
    if (!packet.has_credits()) {
        write_range(json, "queue_limit_bytes", packet.queue_limit);
        if (packet.headroom) {
            json.member("resume_below_bytes", packet.resume_below);
            write_range(json, "headroom_bytes", packet.headroom);
        }
        if (packet.kmin) {
            write_range(json, "kmin_bytes", packet.kmin);
            write_range(json, "kmax_bytes", packet.kmax);
            json.member("pmax", packet.pmax);
        }
        json.member("transport", packet.transport);
        write_range(json, "window_bytes", packet.pairs.window);
        write_range(json, "rto_ns", packet.pairs.timeout);
        json.member("congestion_control", packet.congestion_control);
    }
    for (const engine::ResolvedPacket& inner : packet.scale_up) {
        json.key("scale_up");
        write_packet(json, inner);
    }
    json.end_object();
}

}  // namespace

void write_resolved(JsonWriter& json, const engine::Resolved& resolved) {
    json.begin_object().key("algorithms").begin_object();
    for (const auto& [kind, algorithms] : resolved.collectives) {
        json.key(kind).begin_array();
        for (const std::string& algorithm : algorithms) {
            json.value(algorithm);
        }
        json.end_array();
    }
    json.end_object();
    if (resolved.packet) {
        json.key("packet");
        write_packet(json, *resolved.packet);
    }
    json.end_object();
}

}  // namespace npunet::report
