// Where NPUs that behave alike are simulated once, links carry what all of them send.

#include <gtest/gtest.h>

#include <algorithm>

#include "analytical/congestion_unaware.h"
#include "engine/simulation/fold_finder.h"
#include "engine/simulation/simulation.h"
#include "tests/support/machines.h"
#include "tests/support/workloads.h"

namespace npunet::folded_links_test {
namespace {

engine::Results run(const engine::Workload& workload, const test::TestMachine& machine,
                    const engine::Fold& fold) {
    engine::EventQueue queue(machine.dialect.event_order);
    analytical::CongestionUnaware network(machine.network, queue, machine.dialect, fold);
    engine::Simulation simulation(workload, machine.network, machine.system, machine.dialect, queue,
                                  network, fold);
    return simulation.run();
}

// Ranks placed from the end, so that none has its own number; direct, so that routes have several
// hops.
TEST(FoldedLinks, CarryWhatAllSend) {
    test::TestMachine machine = test::torus_machine(4, 4, Rate(50'000'000'000), Time::ns(500));
    std::reverse(machine.network.npu_of_rank.begin(), machine.network.npu_of_rank.end());
    machine.use(engine::Algorithm::Direct);
    const engine::Workload workload = test::workload_of(16, [](Rank) {
        return std::vector{test::collective_node(1, chakra::CollectiveType::AllToAll, 1'600'000)};
    });
    const engine::Fold fold =
        engine::find_fold(workload, machine.network, machine.system, machine.dialect);
    ASSERT_FALSE(fold.trivial());
    const engine::Results folded = run(workload, machine, fold);
    const engine::Results whole = run(workload, machine, engine::Fold::everyone_for_itself());
    EXPECT_LT(folded.simulated_npus, 16U);
    EXPECT_EQ(folded.finish, whole.finish);
    ASSERT_EQ(folded.links.size(), whole.links.size());
    for (std::size_t i = 0; i < whole.links.size(); ++i) {
        EXPECT_EQ(folded.links[i].payload, whole.links[i].payload) << "link " << i;
        EXPECT_EQ(folded.links[i].busy, whole.links[i].busy) << "link " << i;
    }
}

}  // namespace
}  // namespace npunet::folded_links_test
