// Renews tests/study/packet_steps.txt, packet by packet: scripts/record packet-steps.
#include <vector>

#include "packet_steps.h"

int main() {
    using namespace npunet::study;
    std::vector<PacketStep> steps = recorded_steps();
    for (PacketStep& step : steps) {
        step = step_of(step.network, run_step(step.network, false));
    }
    record_steps(steps);
    return 0;
}
