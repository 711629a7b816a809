#include "topology/yaml/network_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/units.h"
#include "topology/yaml/link_fields.h"

namespace npunet::topology {

namespace {

constexpr std::int64_t most_ps = 1'000'000'000'000'000;  // 1000 s

bool is_word(const YamlField& field, const char* word) {
    return field.is_text() && field.text("") == word;
}

Time span_at(const YamlField& field) {
    const std::string expected = "a time such as 500us, up to 1000 s, or 'auto'";
    const Time time = parse_time(field.text(expected), field.where());
    if (time <= Time() || time > Time::ps(most_ps)) {
        field.refuse(field.found(), expected);
    }
    return time;
}

Time jitter_at(const YamlField& field) {
    const std::string expected = "a time such as 1us, 0ns to 1000 s";
    const Time time = parse_time(field.text(expected), field.where());
    if (time < Time() || time > Time::ps(most_ps)) {
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
    const std::string word = one_of(*field, {"credit", "pfc", "none"});
    return word == "credit" ? FlowControl::Credit
           : word == "pfc"  ? FlowControl::Pfc
                            : FlowControl::None;
}

TransportKind kind_at(const YamlField& field) {
    const std::string word = one_of(field, {"none", "go-back-n", "selective-repeat"});
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
    check_keys(*field,
               {"kind", "window", "ack_every", "rto", "retries", "reordering", "start_jitter"},
               unknown);
    transport.kind = kind_at(field->at("kind"));
    if (const auto window = field->find("window"); window && !is_word(*window, "auto")) {
        transport.window = window->size(1);
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
    if (const auto jitter = field->find("start_jitter")) {
        transport.start_jitter = jitter_at(*jitter);
    }
    return transport;
}

EcnParameters read_ecn(const YamlField& section, const UnknownKeys& unknown) {
    EcnParameters ecn;
    const auto field = section.find("ecn");
    if (!field) {
        return ecn;
    }
    check_keys(*field, {"kmin", "kmax", "pmax", "per"}, unknown);
    const auto kmin = field->find("kmin");
    if (kmin) {
        ecn.kmin = kmin->size(0);
        ecn.kmax = std::max(ecn.kmax, 4 * ecn.kmin);
    }
    if (const auto kmax = field->find("kmax")) {
        ecn.kmax = kmax->size(0);
        if (!kmin) {
            ecn.kmin = std::min(ecn.kmin, Bytes(ecn.kmax.value() / 4));
        }
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
        ecn.per = is_word(*per, "link")
                      ? Rate()
                      : parse_rate(per->text("a rate such as 25Gbps, or 'link'"), per->where());
    }
    return ecn;
}

SharedBufferParameters read_shared_buffer(const YamlField& section, const UnknownKeys& unknown) {
    SharedBufferParameters shared;
    const auto field = section.find("pfc");
    if (!field) {
        return shared;
    }
    check_keys(*field, {"alpha", "headroom"}, unknown);
    if (const auto alpha = field->find("alpha")) {
        shared.alpha = ratio_at(*alpha, 1e-3, 1e3, "a factor");
    }
    if (const auto headroom = field->find("headroom"); headroom && !is_word(*headroom, "auto")) {
        shared.headroom = headroom->size(1);
    }
    return shared;
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
    const auto ecn = section.find("ecn");
    const auto pfc = section.find("pfc");
    if (packet.flow_control == FlowControl::Credit) {
        for (const auto& field : {ecn, pfc}) {
            if (field) {
                warn(*field, "with flow_control: credit");
            }
        }
    } else if (ecn && !looks_at_marks(packet.congestion_control)) {
        warn(*ecn, fmt::format("with congestion_control: {}, which does not look at marks",
                               name_of(packet.congestion_control)));
    }
    if (packet.flow_control == FlowControl::None && pfc && pfc->find("headroom")) {
        warn(*pfc->find("headroom"), "with flow_control: none");
    }
}

}  // namespace

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
