#include "chakra/inspection/attribute_counts.h"

namespace npunet::chakra {

namespace {

std::string key_of(std::string_view name, ValueMember member) {
    std::string key(name);
    key += ':';
    key += name_of(member);
    return key;
}

}  // namespace

std::size_t AttributeCounts::add(const AttributeView& attribute) {
    std::size_t place = kinds_[last_].next;
    if (place == 0 || kinds_[place].member != attribute.member ||
        kinds_[place].name != attribute.name) {
        const auto [found, inserted] =
            places_.try_emplace(key_of(attribute.name, attribute.member), kinds_.size());
        if (inserted) {
            kinds_.push_back({std::string(attribute.name), attribute.member, 0, 0});
        }
        place = found->second;
        kinds_[last_].next = place;
    }
    ++kinds_[place].count;
    last_ = place;
    return place;
}

std::map<std::string, std::uint64_t> AttributeCounts::counts() const {
    std::map<std::string, std::uint64_t> counts;
    for (std::size_t i = 1; i < kinds_.size(); ++i) {
        counts[key_of(kinds_[i].name, kinds_[i].member)] += kinds_[i].count;
    }
    return counts;
}

}  // namespace npunet::chakra
