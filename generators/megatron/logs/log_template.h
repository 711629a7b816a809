// The text of a log with holes for what is a rank's own: many ranks log the same but for their
// number, their groups and their neighbours, so that the text is made once and copied.
//
//     LogTemplate events;
//     events.append("\"ranks\": ");
//     events.append(GroupRole::Tensor);
//     RankText rank(LogLayout::Lines, groups, calls, Rank(5));
//     events.fill(rank, text);                                   // "ranks": [4, 5]
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "generators/megatron/groups/process_groups.h"
#include "generators/megatron/logs/log_layout.h"
#include "generators/megatron/program/program.h"
#include "generators/megatron/program/rank_calls.h"

namespace npunet::generators::megatron {

/// What goes into the holes for one rank, made when it is first asked for.
class RankText {
public:
    /// The two references have to outlive this.
    RankText(LogLayout layout, const ProcessGroups& groups, const RankCalls& calls, Rank rank);

    [[nodiscard]] const std::string& owner() const { return owner_; }
    /// The list of the group's ranks, its bracket at 4 blanks.
    [[nodiscard]] const std::string& group(GroupRole role);
    [[nodiscard]] const std::string& peer(PeerRole role);

private:
    static constexpr std::size_t peer_roles = 7;

    LogLayout layout_;
    const ProcessGroups& groups_;
    const RankCalls& calls_;
    Rank rank_;
    std::string owner_;
    std::array<std::string, group_roles> group_texts_;
    std::array<std::string, peer_roles> peer_texts_;
};

class LogTemplate {
public:
    void append(std::string_view text) { text_ += text; }
    void append(GroupRole role) { add_hole(Hole::Kind::Group, static_cast<std::uint8_t>(role)); }
    void append(PeerRole role) { add_hole(Hole::Kind::Peer, static_cast<std::uint8_t>(role)); }
    void append_owner() { add_hole(Hole::Kind::Owner, 0); }

    /// For appending at its end.
    [[nodiscard]] std::string& text() { return text_; }

    /// Appends the text with the rank's values to `out`.
    void fill(RankText& rank, std::string& out) const;
    /// Bytes of the text without what goes into the holes.
    [[nodiscard]] std::size_t size() const { return text_.size(); }

private:
    struct Hole {
        enum class Kind : std::uint8_t { Owner, Group, Peer };
        std::size_t at;  ///< before this byte of the text
        Kind kind;
        std::uint8_t role;
    };

    void add_hole(Hole::Kind kind, std::uint8_t role) {
        holes_.push_back({text_.size(), kind, role});
    }
    [[nodiscard]] static const std::string& value(const Hole& hole, RankText& rank);

    std::string text_;
    std::vector<Hole> holes_;
};

}  // namespace npunet::generators::megatron
