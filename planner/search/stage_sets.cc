#include "planner/search/stage_sets.h"

#include "base/errors.h"

namespace npunet::planner {

namespace {

constexpr std::size_t max_sets = 4'000'000;

class Enumeration {
public:
    Enumeration(const std::vector<NodeClass>& classes,
                const std::function<bool(std::int64_t)>& wanted)
        : classes_(classes), wanted_(wanted) {
        set_.whole.assign(classes.size(), 0);
    }

    std::vector<StageSet> run() {
        choose_whole(0);
        return std::move(sets_);
    }

private:
    void choose_whole(std::size_t c) {
        if (c == classes_.size()) {
            choose_part();
            return;
        }
        const auto members = static_cast<std::int32_t>(classes_[c].members.size());
        for (std::int32_t count = 0; count <= members; ++count) {
            set_.whole[c] = count;
            choose_whole(c + 1);
            set_.devices += classes_[c].node.devices;
        }
        set_.devices -= (members + 1) * classes_[c].node.devices;
        set_.whole[c] = 0;
    }

    void choose_part() {
        keep();
        for (std::size_t c = 0; c < classes_.size(); ++c) {
            if (set_.whole[c] == static_cast<std::int32_t>(classes_[c].members.size())) {
                continue;
            }
            for (std::int64_t part = 1; part < classes_[c].node.devices; part *= 2) {
                set_.part_class = static_cast<std::int32_t>(c);
                set_.part_devices = part;
                set_.devices += part;
                keep();
                set_.devices -= part;
            }
        }
        set_.part_class = -1;
        set_.part_devices = 0;
    }

    void keep() {
        if (++seen_ > max_visits || sets_.size() == max_sets) {
            throw InputError({"--hostfile", "", "too many ways to form a stage",
                              "a cluster with fewer kinds of nodes, or fewer nodes of each kind",
                              "Plan for a part of the cluster, or make nodes alike"});
        }
        if (set_.devices > 0 && wanted_(set_.devices)) {
            sets_.push_back(set_);
        }
    }

    static constexpr std::size_t max_visits = 200'000'000;
    const std::vector<NodeClass>& classes_;
    const std::function<bool(std::int64_t)>& wanted_;
    StageSet set_;
    std::vector<StageSet> sets_;
    std::size_t seen_ = 0;
};

}  // namespace

std::vector<StageSet> stage_sets(const Problem& problem,
                                 const std::function<bool(std::int64_t)>& wanted) {
    return Enumeration(problem.classes(), wanted).run();
}

}  // namespace npunet::planner
