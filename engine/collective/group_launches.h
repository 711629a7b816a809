// Which collectives of a communicator a library launches together, as between ncclGroupStart and
// ncclGroupEnd: those that follow each other in its first member's program and wait for the same
// operations, so that they are ready at once.
//
//     GroupLaunches launches(workload);
//     const GroupLaunches::Launch launch = launches.of(group, number);
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "engine/program/workload.h"

namespace npunet::engine {

/// The number-th collective of a group in a member's program; null where there is none.
[[nodiscard]] const ProgramOperation* collective_of(const Workload& workload, Rank member,
                                                    std::int32_t group, std::size_t number);

class GroupLaunches {
public:
    /// The workload must outlive this.
    explicit GroupLaunches(const Workload& workload) : workload_(workload) {}

    struct Launch {
        std::size_t first = 0;  ///< number in the group
        std::size_t count = 1;
    };
    /// That of the number-th collective of a group; it alone where there is no such collective.
    [[nodiscard]] Launch of(std::int32_t group, std::size_t number);

private:
    /// By operation: what it waits for, ascending.
    using Parents = std::vector<std::vector<std::uint32_t>>;
    const std::vector<Launch>& launches_of(std::int32_t group);

    const Workload& workload_;
    std::map<std::size_t, Parents> parents_;                ///< by program
    std::map<std::int32_t, std::vector<Launch>> launches_;  ///< by group and collective
};

}  // namespace npunet::engine
