#include "topology/transport_section.h"

#include <fmt/format.h>

#include <string>

#include "base/errors.h"
#include "base/units.h"
#include "topology/congestion_section.h"
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
    check_keys(*field, {"kind", "window", "ack_every", "rto", "reordering"}, {}, unknown);
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

/// Keys that mean nothing, or something else, where there are no credits.
void refuse_keys_of_credits(const YamlField& section, FlowControl flow_control) {
    for (const char* key : {"virtual_channels", "speedup"}) {
        const auto field = section.find(key);
        if (field && !is_word(*field, "auto") && !is_word(*field, "none")) {
            field->refuse(
                fmt::format("{}: {} with flow_control: {}", key, field->text(""),
                            name_of(flow_control)),
                "flow_control: credit",
                "Leave it out: Ethernet-like switches have one queue per class at each output");
        }
    }
    const auto arbitration = section.find("arbitration");
    if (arbitration && is_word(*arbitration, "oldest")) {
        arbitration->refuse(
            fmt::format("'oldest' with flow_control: {}", name_of(flow_control)), "round-robin",
            "Ethernet-like switches send what waits for a link in the order in which it came");
    }
}

}  // namespace

void check_transport(const NetworkDescription& network, const std::string& file,
                     const std::string& place) {
    const PacketParameters& packet = network.packet;
    const bool transport = packet.transport.kind != TransportKind::None;
    const auto refuse = [&](const std::string& found, const std::string& expected,
                            const std::string& remedy) {
        throw InputError({file, place, found, expected, remedy});
    };
    if (packet.flow_control == FlowControl::Credit) {
        if (packet.congestion_control.algorithm != CongestionAlgorithm::None) {
            refuse(fmt::format("congestion_control: {} with flow_control: credit",
                               name_of(packet.congestion_control.algorithm)),
                   "flow_control: pfc or none",
                   "Networks with credits have no transport on which it could act");
        }
        if (transport) {
            refuse(fmt::format("transport: {} with flow_control: credit",
                               name_of(packet.transport.kind)),
                   "flow_control: pfc or none",
                   "Networks with credits lose nothing and need no transport: leave it out");
        }
        return;
    }
    const CongestionAlgorithm algorithm = packet.congestion_control.algorithm;
    if (algorithm != CongestionAlgorithm::None && !transport) {
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
    const bool loses = packet.error_rate > 0 || network.faults.take_links_down();
    if (packet.flow_control == FlowControl::None && !transport) {
        refuse("flow_control: none without a transport", "transport: go-back-n or selective-repeat",
               "Switches without flow control drop packets, and nobody would send them again");
    }
    if (loses && !transport) {
        refuse(packet.error_rate > 0 ? "error_rate without a transport"
                                     : "faults that take links down without a transport",
               "transport: go-back-n or selective-repeat",
               "What is lost on an Ethernet-like link is lost unless a transport sends it again");
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
    if (packet.flow_control == FlowControl::Credit) {
        for (const char* key : {"ecn", "pfc"}) {
            if (const auto field = section.find(key); field && unknown.warnings != nullptr) {
                unknown.warnings->push_back(
                    fmt::format("{}: {}: has no effect with flow_control: credit", field->file(),
                                field->place()));
            }
        }
        return;
    }
    refuse_keys_of_credits(section, packet.flow_control);
}

}  // namespace npunet::topology
