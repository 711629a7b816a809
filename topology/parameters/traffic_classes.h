// Traffic classes: which messages go before which, in the packet fidelity.
//
//     TrafficClasses classes;
//     classes.count = 2;
//     classes.weights = {3, 1};                              // empty: class 0 goes first
//     classes.of(Communication::AllToAll)                    // 0 unless class_of says otherwise
//
// Texts such as those of class_of_text() are ns-3 attributes; network.yml has YAML for them
// (read_classes(), topology/yaml/network_sections.h).
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/communication.h"

namespace npunet::topology {

struct TrafficClasses {
    static constexpr int most = 8;
    static constexpr int most_weight = 100;
    /// Classes times virtual channels of a link.
    static constexpr int most_channels = 32;

    std::uint8_t count = 1;  ///< 1 to `most`
    /// Shares of a link, one a class, each 1 to `most_weight`; empty: the lowest class goes first.
    std::vector<std::uint8_t> weights;
    /// By Communication: its class, below `count`.
    std::array<std::uint8_t, communications> class_of{};

    [[nodiscard]] std::uint8_t of(Communication kind) const {
        return class_of[static_cast<std::size_t>(kind)];
    }
};

/// "strict", or the weights with blanks between them: "3 1". Sets `classes.weights`; `place` is
/// named in the InputError for anything else. classes.count is set before.
void read_arbitration_text(const std::string& text, const std::string& place,
                           TrafficClasses& classes);
[[nodiscard]] std::string arbitration_text(const TrafficClasses& classes);

/// Kinds and classes with blanks between them: "all_to_all 1 broadcast 1". Sets
/// `classes.class_of`; the rest as above.
void read_class_of_text(const std::string& text, const std::string& place, TrafficClasses& classes);
[[nodiscard]] std::string class_of_text(const TrafficClasses& classes);

}  // namespace npunet::topology
