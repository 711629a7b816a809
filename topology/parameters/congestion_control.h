// Congestion control of the packet fidelity's transport: which algorithms there are, and their
// parameters. One table of parameters an algorithm is the source of the keys of network.yml, of the
// attributes of the ns-3 objects and of docs/transport.md; what the algorithms do is in
// packet/congestion/congestion_control.h. An algorithm from outside the project is an object
// (CustomCongestionControl) instead.
//
//     CongestionControlChoice choice = standard_choice(CongestionAlgorithm::Dcqcn);
//     choice.values[DcqcnParameter::rate_ai] = 5e6;   // bytes/s
//     (topology/parameters/congestion_parameters.h) double interval = value_of(choice,
//     "cnp_interval");
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace npunet::topology {

enum class CongestionAlgorithm : std::uint8_t {
    None,
    Dcqcn,
    Hpcc,
    Timely,
    Swift,
    Dctcp,
    ReceiverCredit,
    Custom,  ///< CongestionControlChoice::custom
};

/// What an algorithm requires of switches, receiver and transport.
struct CongestionNeeds {
    bool telemetry = false;  ///< ports write what passes them; headers grow by 8 bytes a hop
    std::int64_t notification_interval = 0;  ///< ps, least between two CNPs of a pair; 0: no CNPs
    bool echo = false;                       ///< acknowledgements carry the marks of data packets
};

/// An algorithm from outside the project. Must derive from packet::CustomSenders, which makes its
/// senders.
class CustomCongestionControl {
public:
    CustomCongestionControl() = default;
    CustomCongestionControl(const CustomCongestionControl&) = delete;
    CustomCongestionControl& operator=(const CustomCongestionControl&) = delete;
    virtual ~CustomCongestionControl() = default;

    [[nodiscard]] virtual std::string name() const = 0;
    [[nodiscard]] virtual CongestionNeeds needs() const = 0;
};

/// What a parameter's number counts: picoseconds, bytes per second, bytes, a number, a whole
/// number, 0 or 1.
enum class ParameterUnit : std::uint8_t { Time, Rate, Size, Ratio, Count, Flag };

/// What a parameter's number is multiplied by for each queue pair: nothing; the rate of the pair's
/// first link / 25 Gb/s, unless the choice is not `scaled`; its bandwidth-delay product (bytes);
/// its round trip on the idle network (ps).
enum class ParameterScale : std::uint8_t { None, Per25Gbps, PerBandwidthDelay, PerRoundTrip };

struct CongestionParameter {
    const char* key;  ///< in network.yml
    ParameterUnit unit;
    ParameterScale scale;
    double least;     ///< accepted
    double most;      ///< accepted
    double standard;  ///< the default
    double paper;     ///< of `preset: paper`
    const char* help;
};

/// The parameters in the order of CongestionControlChoice::values; none for None and Custom.
[[nodiscard]] const std::vector<CongestionParameter>& parameters_of(CongestionAlgorithm algorithm);

/// An algorithm with its parameters.
struct CongestionControlChoice {
    CongestionAlgorithm algorithm = CongestionAlgorithm::None;
    std::vector<double> values;  ///< one for each of parameters_of(algorithm)
    bool scaled = true;          ///< Per25Gbps parameters are; those of `preset: paper` are not
    std::shared_ptr<const CustomCongestionControl> custom;  ///< of Custom, else null
};

/// The algorithm with its defaults.
[[nodiscard]] CongestionControlChoice standard_choice(CongestionAlgorithm algorithm);

/// The algorithm with the numbers of its paper, unscaled.
[[nodiscard]] CongestionControlChoice paper_choice(CongestionAlgorithm algorithm);

/// The value of a parameter that the algorithm has.
[[nodiscard]] double value_of(const CongestionControlChoice& choice, std::string_view key);

/// "none", "dcqcn", ..., "receiver-credit", in the order of the enumeration; without Custom.
[[nodiscard]] const std::vector<std::string>& congestion_algorithm_names();

/// `algorithm` is not Custom.
[[nodiscard]] const std::string& name_of(CongestionAlgorithm algorithm);

/// The name of the algorithm, of a custom one, too.
[[nodiscard]] std::string name_of(const CongestionControlChoice& choice);

/// Nothing for None and ReceiverCredit.
[[nodiscard]] CongestionNeeds needs_of(const CongestionControlChoice& choice);

/// Whether its senders react to marks (ECN); without such senders switches do not mark.
[[nodiscard]] bool looks_at_marks(const CongestionControlChoice& choice);

/// The algorithm of a name; nothing for other words.
[[nodiscard]] std::optional<CongestionAlgorithm> congestion_algorithm_named(std::string_view name);

}  // namespace npunet::topology
