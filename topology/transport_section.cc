#include "topology/transport_section.h"

#include <fmt/format.h>

#include <string>

#include "base/errors.h"
#include "base/units.h"
#include "topology/congestion_section.h"
#include "topology/headroom.h"
#include "topology/link_fields.h"

namespace npunet::topology {

namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 50;
constexpr std::int64_t most_ps = 1'000'000'000'000'000;  // 1000 s

bool is_word(const YamlField& field, const char* word) {
    return field.is_text() && field.text("") == word;
}

Bytes size_at(const YamlField& field, std::int64_t least) {
    const std::string expected = fmt::format("a size from {} B to {} B", least, most_bytes);
    const Bytes bytes = parse_bytes(field.text(expected), field.file() + ": " + field.place());
    if (bytes < Bytes(least) || bytes > Bytes(most_bytes)) {
        field.refuse(field.found(), expected);
    }
    return bytes;
}

Time span_at(const YamlField& field) {
    const std::string expected = "a time such as 500us, up to 1000 s, or 'auto'";
    const Time time = parse_time(field.text(expected), field.file() + ": " + field.place());
    if (time <= Time() || time > Time::ps(most_ps)) {
        field.refuse(field.found(), expected);
    }
    return time;
}

double ratio_at(const YamlField& field, double least, double most, const char* what) {
    const std::optional<double> number = field.number();
    if (!number || !(*number >= least && *number <= most)) {
        field.refuse(field.found(), fmt::format("{}, {:g} to {:g}", what, least, most));
    }
    return *number;
}

FlowControl read_flow_control(const YamlField& section) {
    const auto field = section.find("flow_control");
    if (!field) {
        return FlowControl::Credit;
    }
    const std::string word = one_of(*field, {"credit", "pfc", "none"}, {});
    return word == "credit" ? FlowControl::Credit
           : word == "pfc"  ? FlowControl::Pfc
                            : FlowControl::None;
}

TransportKind kind_at(const YamlField& field) {
    const std::string word = one_of(field, {"none", "go-back-n", "selective-repeat"}, {});
    return word == "none"        ? TransportKind::None
           : word == "go-back-n" ? TransportKind::GoBackN
                                 : TransportKind::SelectiveRepeat;
}

/// `transport: none` and `transport: {kind: none}` are the same.
TransportParameters read_transport(const YamlField& section, const UnknownKeys& unknown) {
    TransportParameters transport;
    const auto field = section.find("transport");
    if (!field) {
        return transport;
    }
    if (!field->is_map()) {
        transport.kind = kind_at(*field);
        return transport;
    }
    check_keys(*field, {"kind", "window", "ack_every", "rto", "retries", "reordering"}, {},
               unknown);
    transport.kind = kind_at(field->at("kind"));
    if (const auto window = field->find("window"); window && !is_word(*window, "auto")) {
        transport.window = size_at(*window, 1);
    }
    if (const auto every = field->find("ack_every")) {
        transport.ack_every =
            static_cast<std::int32_t>(every->whole(1, 1 << 16, "packets, 1 to 65536"));
    }
    if (const auto rto = field->find("rto"); rto && !is_word(*rto, "auto")) {
        transport.rto = span_at(*rto);
    }
    if (const auto retries = field->find("retries")) {
        transport.retries =
            is_word(*retries, "unlimited")
                ? 0
                : static_cast<std::int32_t>(retries->whole(
                      1, 1 << 20, "timeouts in a row, 1 to 1048576, or 'unlimited'"));
    }
    if (const auto reordering = field->find("reordering");
        reordering && !is_word(*reordering, "auto")) {
        transport.reordering = static_cast<std::int32_t>(
            reordering->whole(0, 1 << 20, "packets, 0 to 1048576, or 'auto'"));
    }
    return transport;
}

EcnParameters read_ecn(const YamlField& section, const UnknownKeys& unknown) {
    EcnParameters ecn;
    const auto field = section.find("ecn");
    if (!field) {
        return ecn;
    }
    check_keys(*field, {"kmin", "kmax", "pmax", "per"}, {}, unknown);
    if (const auto kmin = field->find("kmin")) {
        ecn.kmin = size_at(*kmin, 0);
    }
    if (const auto kmax = field->find("kmax")) {
        ecn.kmax = size_at(*kmax, 0);
    }
    if (ecn.kmax < ecn.kmin) {
        field->refuse(
            fmt::format("kmin {} above kmax {}", format_bytes(ecn.kmin), format_bytes(ecn.kmax)),
            "kmin at most kmax");
    }
    if (const auto pmax = field->find("pmax")) {
        ecn.pmax = ratio_at(*pmax, 0, 1, "a probability");
    }
    if (const auto per = field->find("per")) {
        ecn.per = is_word(*per, "link") ? Rate()
                                        : parse_rate(per->text("a rate such as 25Gbps, or 'link'"),
                                                     per->file() + ": " + per->place());
    }
    return ecn;
}

SharedBufferParameters read_shared_buffer(const YamlField& section, const UnknownKeys& unknown) {
    SharedBufferParameters shared;
    const auto field = section.find("pfc");
    if (!field) {
        return shared;
    }
    check_keys(*field, {"alpha", "headroom"}, {}, unknown);
    if (const auto alpha = field->find("alpha")) {
        shared.alpha = ratio_at(*alpha, 1e-3, 1e3, "a factor");
    }
    if (const auto headroom = field->find("headroom"); headroom && !is_word(*headroom, "auto")) {
        shared.headroom = size_at(*headroom, 1);
    }
    return shared;
}

/// Says what cannot stay as it is, at a place of a file.
struct Refusal {
    const std::string& file;
    const std::string& place;

    [[noreturn]] void operator()(const std::string& found, const std::string& expected,
                                 const std::string& remedy) const {
        throw InputError({file, place, found, expected, remedy});
    }
};

/// Parameters of queue pairs that do not look at them.
void refuse_unused(const TransportParameters& transport, const Refusal& refuse) {
    const TransportParameters standard;
    const auto refuse_if = [&](bool given, const char* key) {
        if (given) {
            refuse(fmt::format("transport.{} with transport: {}", key, name_of(transport.kind)),
                   "only what has an effect", "Leave it out, or to its default");
        }
    };
    if (transport.kind == TransportKind::None) {
        refuse_if(transport.window != standard.window, "window");
        refuse_if(transport.ack_every != standard.ack_every, "ack_every");
        refuse_if(transport.rto != standard.rto, "rto");
        refuse_if(transport.retries != standard.retries, "retries");
    }
    if (transport.kind != TransportKind::SelectiveRepeat) {
        refuse_if(transport.reordering != standard.reordering, "reordering");
    }
}

/// Parameters that mean nothing, or something else, where there are no credits.
void refuse_those_of_credits(const PacketParameters& packet, const Refusal& refuse) {
    const auto refuse_if = [&](int value, const char* key) {
        if (value != 0) {
            refuse(fmt::format("{}: {} with flow_control: {}", key, value,
                               name_of(packet.flow_control)),
                   "flow_control: credit",
                   "Leave it out: Ethernet-like switches have one queue per class at each output");
        }
    };
    refuse_if(packet.virtual_channels, "virtual_channels");
    refuse_if(packet.speedup, "speedup");
    if (packet.arbitration == Arbitration::Oldest) {
        refuse(fmt::format("arbitration: 'oldest' with flow_control: {}",
                           name_of(packet.flow_control)),
               "round-robin",
               "Ethernet-like switches send what waits for a link in the order in which it came");
    }
}

void refuse_those_of_ethernet(const PacketParameters& packet, const Refusal& refuse) {
    if (packet.congestion_control.algorithm != CongestionAlgorithm::None) {
        refuse(fmt::format("congestion_control: {} with flow_control: credit",
                           name_of(packet.congestion_control.algorithm)),
               "flow_control: pfc or none",
               "Networks with credits have no transport on which it could act");
    }
    if (packet.transport.kind != TransportKind::None) {
        refuse(
            fmt::format("transport: {} with flow_control: credit", name_of(packet.transport.kind)),
            "flow_control: pfc or none",
            "Networks with credits lose nothing and need no transport: leave it out");
    }
}

void check_congestion_control(const NetworkDescription& network, const Refusal& refuse) {
    const PacketParameters& packet = network.packet;
    const CongestionAlgorithm algorithm = packet.congestion_control.algorithm;
    if (algorithm != CongestionAlgorithm::None && packet.transport.kind == TransportKind::None) {
        refuse(fmt::format("congestion_control: {} without a transport", name_of(algorithm)),
               "transport: go-back-n or selective-repeat",
               "It acts on the windows and the pace of a transport's queue pairs");
    }
    if (algorithm == CongestionAlgorithm::ReceiverCredit &&
        value_of(packet.congestion_control, "trimming") != 0 &&
        (packet.flow_control != FlowControl::None ||
         packet.transport.kind != TransportKind::SelectiveRepeat)) {
        refuse("receiver-credit with trimming",
               "flow_control: none and transport: selective-repeat",
               "Packets are trimmed where they would be dropped, and sent again one by one");
    }
    if (algorithm == CongestionAlgorithm::Hpcc && network.multipath != nullptr) {
        refuse(
            fmt::format("congestion_control: hpcc with routing: {}", network.routing_name()),
            "one path for each pair of NPUs",
            "HPCC compares what the ports of a path told before: use another routing, or another "
            "algorithm");
    }
}

/// What is lost must be sent again.
void check_losses(const NetworkDescription& network, const Refusal& refuse) {
    const PacketParameters& packet = network.packet;
    if (packet.transport.kind != TransportKind::None) {
        return;
    }
    if (packet.flow_control == FlowControl::None) {
        refuse("flow_control: none without a transport", "transport: go-back-n or selective-repeat",
               "Switches without flow control drop packets, and nobody would send them again");
    }
    if (packet.error_rate > 0 || network.faults.take_links_down()) {
        refuse(packet.error_rate > 0 ? "error_rate without a transport"
                                     : "faults that take links down without a transport",
               "transport: go-back-n or selective-repeat",
               "What is lost on an Ethernet-like link is lost unless a transport sends it again");
    }
}

/// With less headroom than may still come packets are lost in spite of pauses.
std::string headroom_warning(const NetworkDescription& network) {
    const Bytes given = network.packet.shared_buffer.headroom;
    const NeededHeadroom needed = needed_headroom(network.graph, network.packet);
    if (given >= needed.bytes) {
        return {};
    }
    const Link& link = network.graph.link(needed.link);
    return fmt::format(
        "pfc.headroom: {} B is less than the {} B that may come by {} -> {} after it is told to "
        "pause: packets are lost for want of headroom, and sending them again is slow; 'auto' is "
        "enough for every link",
        given.value(), needed.bytes.value(), network.graph.name(link.from),
        network.graph.name(link.to));
}

/// Sections that nothing looks at.
void warn_of_no_effect(const YamlField& section, const UnknownKeys& unknown,
                       const PacketParameters& packet) {
    const auto warn = [&](const YamlField& field, const std::string& why) {
        if (unknown.warnings != nullptr) {
            unknown.warnings->push_back(
                fmt::format("{}: {}: has no effect {}", field.file(), field.place(), why));
        }
    };
    const CongestionAlgorithm algorithm = packet.congestion_control.algorithm;
    const bool marks =
        algorithm == CongestionAlgorithm::Dcqcn || algorithm == CongestionAlgorithm::Dctcp;
    const auto ecn = section.find("ecn");
    const auto pfc = section.find("pfc");
    if (packet.flow_control == FlowControl::Credit) {
        for (const auto& field : {ecn, pfc}) {
            if (field) {
                warn(*field, "with flow_control: credit");
            }
        }
    } else if (ecn && !marks) {
        warn(*ecn, fmt::format("with congestion_control: {}, which does not look at marks",
                               name_of(algorithm)));
    }
    if (packet.flow_control == FlowControl::None && pfc && pfc->find("headroom")) {
        warn(*pfc->find("headroom"), "with flow_control: none");
    }
}

}  // namespace

void check_transport(const NetworkDescription& network, const std::string& file,
                     const std::string& place, std::vector<std::string>* warnings) {
    const PacketParameters& packet = network.packet;
    const Refusal refuse{file, place};
    if (packet.flow_control == FlowControl::Credit) {
        refuse_those_of_ethernet(packet, refuse);
        refuse_unused(packet.transport, refuse);
        return;
    }
    refuse_those_of_credits(packet, refuse);
    check_congestion_control(network, refuse);
    check_losses(network, refuse);
    refuse_unused(packet.transport, refuse);
    if (warnings != nullptr && packet.flow_control == FlowControl::Pfc &&
        packet.shared_buffer.headroom > Bytes()) {
        if (const std::string text = headroom_warning(network); !text.empty()) {
            warnings->push_back(fmt::format("{}: {}.{}", file, place, text));
        }
    }
}

void read_transport_section(const YamlField& section, const UnknownKeys& unknown,
                            NetworkDescription& network) {
    PacketParameters& packet = network.packet;
    packet.flow_control = read_flow_control(section);
    packet.transport = read_transport(section, unknown);
    packet.congestion_control = read_congestion_control(section, unknown);
    packet.ecn = read_ecn(section, unknown);
    packet.shared_buffer = read_shared_buffer(section, unknown);
    warn_of_no_effect(section, unknown, packet);
}

}  // namespace npunet::topology
