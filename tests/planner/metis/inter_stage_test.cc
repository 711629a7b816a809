// Numbers of stages in the order of the original, whose state machine is run here as it stands: one
// stage first; and for every node sequence after the first, the groups of the next number of stages
// under the number 1.
#include "planner/metis/inter_stage.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "planner/metis/group_sequences.h"
#include "tests/support/refusals.h"

namespace npunet::planner::metis {

static bool operator==(const Visit& a, const Visit& b) {
    return a.sequence == b.sequence && a.stages == b.stages && a.costed == b.costed;
}

namespace {

bool has_groups(std::int64_t devices, std::int64_t stages, std::int64_t variance) {
    return GroupSequences(devices, stages, least_group(devices, stages, variance)).next();
}

/// The original's, without the batches and with one plan for all device groups.
std::vector<Visit> stepped(std::int64_t devices, std::int64_t sequences,
                           const Arguments& arguments) {
    const std::int64_t limit = std::min(devices, arguments.num_layers);
    const auto next_number = [&](std::int64_t stages) {
        do {
            ++stages;
        } while (!has_groups(devices, stages, arguments.min_group_scale_variance) &&
                 stages <= limit);
        return stages;
    };
    std::vector<Visit> result;
    std::int64_t sequence = 0;
    std::int64_t number = 1;
    std::int64_t groups_of = 1;
    while (sequence < sequences) {
        result.push_back({sequence, groups_of, number});
        number = next_number(number);
        groups_of = number;
        if (number > limit) {
            ++sequence;
            number = 1;
            groups_of = next_number(1);
        }
    }
    return result;
}

TEST(Visits, AreThoseOfTheStateMachine) {
    for (std::int64_t devices = 1; devices <= 64; devices *= 2) {
        for (const std::int64_t layers : {2, 3, 5, 10, 40}) {
            for (const std::int64_t variance : {0, 1}) {
                for (const std::int64_t sequences : {1, 2, 6}) {
                    if (devices == 1 && sequences > 1) {
                        continue;
                    }
                    Arguments arguments;
                    arguments.num_layers = layers;
                    arguments.min_group_scale_variance = variance;
                    EXPECT_EQ(visits(devices, sequences, arguments),
                              stepped(devices, sequences, arguments))
                        << devices << " " << layers << " " << variance << " " << sequences;
                }
            }
        }
    }
}

TEST(Visits, WhereTheOriginalFindsNoGroups) {
    Arguments arguments;
    arguments.num_layers = 6;
    EXPECT_EQ(test::problem_of([&] { return visits(12, 2, arguments); }).found,
              "12 devices in all");
    arguments.min_group_scale_variance = 2;
    EXPECT_EQ(test::problem_of([&] { return visits(8, 1, arguments); }).file,
              "--min-group-scale-variance");
}

TEST(Divisors, FromTheNumberToOne) {
    EXPECT_EQ(divisors_downwards(12), (std::vector<std::int64_t>{12, 6, 4, 3, 2, 1}));
    EXPECT_EQ(divisors_downwards(1), (std::vector<std::int64_t>{1}));
}

}  // namespace
}  // namespace npunet::planner::metis
