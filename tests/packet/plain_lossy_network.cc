#include "plain_lossy_network.h"

#include <algorithm>

#include "plain_queue_pairs.h"
#include "plain_switches.h"

namespace npunet::packet_test {

LossyRun run_plainly(const topology::NetworkDescription& description, const Plan& plan) {
    plain::QueuePairs pairs(description, plan);
    plain::Switches switches(description, pairs);
    Time now = Time::ps(-1);
    while (pairs.gave_up().empty()) {
        const Time next = std::min(pairs.next_time(now), switches.next_time(now));
        if (next == Time::max()) {
            break;
        }
        now = next;
        pairs.join_those_due(now);
        switches.arrive(now);
        pairs.run_out_timers(now);
        pairs.send_planned(now);
        switches.send(now);
    }
    LossyRun run;
    run.outcomes = pairs.outcomes();
    run.uses = switches.uses(now);
    run.packet_hops = switches.packet_hops();
    run.flows = pairs.flows();
    run.gave_up = pairs.gave_up();
    return run;
}

}  // namespace npunet::packet_test
