#include "generators/megatron/logs/log_template.h"

namespace npunet::generators::megatron {

RankText::RankText(LogLayout layout, const ProcessGroups& groups, const RankCalls& calls, Rank rank)
    : layout_(layout),
      groups_(groups),
      calls_(calls),
      rank_(rank),
      owner_(std::to_string(rank.value())) {}

const std::string& RankText::group(GroupRole role) {
    std::string& text = group_texts_[static_cast<std::size_t>(role)];
    if (text.empty()) {
        append_list(text, layout_, 4, groups_.of(role, rank_),
                    [&text](Rank member) { append_number(text, member.value()); });
    }
    return text;
}

const std::string& RankText::peer(PeerRole role) {
    std::string& text = peer_texts_[static_cast<std::size_t>(role)];
    if (text.empty()) {
        append_number(text, calls_.peer(role, rank_).value());
    }
    return text;
}

const std::string& LogTemplate::value(const Hole& hole, RankText& rank) {
    switch (hole.kind) {
        case Hole::Kind::Group:
            return rank.group(static_cast<GroupRole>(hole.role));
        case Hole::Kind::Peer:
            return rank.peer(static_cast<PeerRole>(hole.role));
        case Hole::Kind::Owner:
            break;
    }
    return rank.owner();
}

void LogTemplate::fill(RankText& rank, std::string& out) const {
    std::size_t begin = 0;
    for (const Hole& hole : holes_) {
        out.append(text_, begin, hole.at - begin);
        out += value(hole, rank);
        begin = hole.at;
    }
    out.append(text_, begin, text_.size() - begin);
}

}  // namespace npunet::generators::megatron
