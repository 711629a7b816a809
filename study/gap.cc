#include "study/gap.h"

#include "engine/event_queue.h"
#include "engine/simulation.h"
#include "report/comparison.h"
#include "study/idle_path_network.h"

namespace npunet::study {

namespace {

/// More than anything that is ever under way, and far from the end of 64 bits.
constexpr Bytes boundless{std::int64_t{1} << 50};

class Explanation {
public:
    Explanation(const std::vector<engine::Results>& runs, const engine::Workload& workload,
                const Machine& machine)
        : workload_(workload), machine_(machine) {
        for (const engine::Results& results : runs) {
            if (results.fidelity == name_of(Fidelity::Analytical)) {
                analytical_ = results.finish;
                known_ = true;
            }
        }
    }

    /// What makes a run longer than the analytical one.
    report::Gap against_analytical(const engine::Results& results) {
        report::Gap gap;
        switch (fidelity_named(results.fidelity)) {
            case Fidelity::Analytical:
                break;
            case Fidelity::CongestionAware: {
                const Time idle = on_idle_paths(IdlePath::WholeMessages);
                gap.latency = idle - analytical();
                gap.contention = results.finish - idle;
                break;
            }
            case Fidelity::Packet: {
                const Time with_headers = on_idle_paths(IdlePath::Headers);
                const Time idle = on_idle_paths(IdlePath::Packets);
                const Time unbounded = with_boundless_buffers();
                gap.header = with_headers - analytical();
                gap.latency = idle - with_headers;
                gap.contention = unbounded - idle;
                gap.flow_control = results.finish - unbounded;
                break;
            }
        }
        return gap;
    }

private:
    Time analytical() {
        if (!known_) {
            analytical_ = run(machine_, Fidelity::Analytical);
            known_ = true;
        }
        return analytical_;
    }

    Time on_idle_paths(IdlePath path) const {
        engine::EventQueue queue(machine_.dialect.event_order);
        IdlePathNetwork network(machine_.network, queue, machine_.dialect, path);
        engine::Simulation simulation(workload_, machine_.network, machine_.system,
                                      machine_.dialect, queue, network);
        simulation.set_timeline(false);
        return simulation.run().finish;
    }

    Time with_boundless_buffers() const {
        Machine machine = machine_;
        machine.network.packet.buffer = boundless;
        machine.network.packet.error_rate = 0;
        return run(machine, Fidelity::Packet);
    }

    Time run(const Machine& machine, Fidelity fidelity) const {
        RunOptions options;
        options.timeline = false;
        return simulate(workload_, machine, fidelity, options).finish;
    }

    const engine::Workload& workload_;
    const Machine& machine_;
    Time analytical_;
    bool known_ = false;
};

}  // namespace

report::Gap explain_gap(const std::vector<engine::Results>& runs, const engine::Workload& workload,
                        const Machine& machine) {
    const report::Comparison comparison = report::compare(runs, 0);
    Explanation explanation(runs, workload, machine);
    const report::Gap most = explanation.against_analytical(runs[comparison.most_detailed]);
    const report::Gap least = explanation.against_analytical(runs[comparison.least_detailed]);
    report::Gap gap;
    gap.header = most.header - least.header;
    gap.latency = most.latency - least.latency;
    gap.contention = most.contention - least.contention;
    gap.flow_control = most.flow_control - least.flow_control;
    return gap;
}

}  // namespace npunet::study
