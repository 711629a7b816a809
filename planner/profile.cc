#include "planner/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/errors.h"

namespace npunet::planner {

ProfileSet::ProfileSet(std::vector<LayerProfile> profiles, const std::filesystem::path& folder)
    : profiles_(std::move(profiles)) {
    std::sort(profiles_.begin(), profiles_.end(), [](const LayerProfile& a, const LayerProfile& b) {
        return a.file_name < b.file_name;
    });
    for (std::size_t i = 0; i < profiles_.size(); ++i) {
        const LayerProfile& profile = profiles_[i];
        const auto [place, added] =
            index_.emplace(std::make_tuple(profile.type, profile.tp, profile.batch), i);
        if (!added) {
            throw InputError(
                {folder.string(),
                 fmt::format("{} and {}", profiles_[place->second].file_name, profile.file_name),
                 fmt::format("two profiles of {}, tp {}, batch {}", profile.type, profile.tp,
                             profile.batch),
                 "one of each", "Remove one of the two"});
        }
    }
}

const LayerProfile* ProfileSet::find(const std::string& type, std::int64_t tp,
                                     std::int64_t batch) const {
    const auto found = index_.find({type, tp, batch});
    return found == index_.end() ? nullptr : &profiles_[found->second];
}

const LayerProfile* ProfileSet::named(const std::string& file_name) const {
    const auto found = std::lower_bound(profiles_.begin(), profiles_.end(), file_name,
                                        [](const LayerProfile& profile, const std::string& name) {
                                            return profile.file_name < name;
                                        });
    return found == profiles_.end() || found->file_name != file_name ? nullptr : &*found;
}

}  // namespace npunet::planner
