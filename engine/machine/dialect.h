// A dialect: the named rules in which simulators of training differ, as data.
//
// The default, npunet, is what is physically right and what the published algorithms say. The
// astra-sim dialect reproduces ASTRA-sim (as of April 2025) to the nanosecond, so that people can
// trust and migrate; astra-sim-2025-03 does the same for the release before, which differs in the
// order in which ready operations are looked at. The engine consults the switches at the few places
// where the rules differ.
//
//     const Dialect dialect = Dialect::named("astra-sim");
//
// C++17-clean.
#pragma once

#include <string>
#include <vector>

#include "engine/clock/event_queue.h"
#include "engine/collective_algorithms/phase.h"
#include "engine/program/issue_order.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

struct Dialect {
    std::string name;

    /// What GB/s means in network.yml.
    topology::GigaByte gigabyte = topology::GigaByte::Decimal;
    /// Unknown keys in the input files are warnings instead of errors.
    bool tolerant_input = false;
    /// Ties between simultaneous events: by content, or first scheduled first run.
    EventQueue::Order event_order = EventQueue::Order::Content;
    /// Times are truncated to whole nanoseconds, in double arithmetic.
    bool whole_nanoseconds = false;
    /// Work is issued after every single completion, from a snapshot of the ready operations; else
    /// once per instant, after all completions of that instant, until nothing more can start.
    bool issue_after_each_completion = false;
    /// An NPU has one collective or send in flight at a time; else one collective per communicator,
    /// in program order, and point-to-point beside it.
    bool one_communication_at_a_time = false;
    /// In which order ready operations are looked at.
    IssueOrder issue_order = IssueOrder::AscendingId;
    /// An access to remote memory, and a node that does nothing, need the place of a communication
    /// (of a CPU operation with is_cpu_op); else accesses have a place of their own and nothing
    /// needs none.
    bool memory_takes_communication_place = false;
    /// A broadcast takes its recorded duration on each rank alone, without messages.
    bool broadcasts_replay = false;
    /// scheduling-policy and comm-compute-slowdown have an effect.
    bool scheduling_keys_count = true;
    /// Communicators are identified by the leading integer of their name: "3.0" is group 3.
    bool group_names_are_numbers = false;
    /// pg_name "0" means all ranks, even if the group file has a group 0, as in ASTRA-sim since
    /// November 2025; no preset sets this.
    bool group_zero_is_all = false;
    /// A communicator-group file whose path contains "empty" means none.
    bool empty_group_file_means_none = false;
    /// A send ends when its message has arrived; else when its last byte has left the source.
    bool send_ends_at_delivery = false;
    /// A posted receive counts as communication while it waits for its sender; else only from the
    /// moment the first byte leaves the sender.
    bool waiting_receive_is_communication = false;
    /// Messages that leave or reach an NPU by the same link queue there.
    bool ports_queue = true;
    /// Chunks add up to S: pieces of which all members have equal parts are dealt out; else the
    /// reference's integer division, its enlarged small messages and repeated last chunk.
    bool exact_chunks = true;
    /// A communicator that is not the whole system uses the configured algorithms on the dimensions
    /// that it fills; else one ring in listed order with a fixed endpoint delay of 10 ns.
    bool groups_use_configuration = true;
    /// Sizes of parts, blocks of a ring all-to-all, which reductions are charged
    /// (engine/collective_algorithms/phase.h).
    ScheduleRules schedules;
    /// What system.json leaves open of collectives is chosen by cost; else it is a ring (a binomial
    /// tree to broadcast and reduce, direct to gather and scatter) in one chunk.
    bool chooses_algorithms = true;
    /// The two trees of a double binary tree share every chunk; else each takes every other chunk,
    /// and stands in for reduce-scatter and all-gather too.
    bool trees_share_chunks = true;
    /// Statistics divide by the compute time plus one nanosecond, and exposed communication is
    /// finish minus compute, whatever the rest was.
    bool reference_statistics = false;

    /// The preset of that name; InputError with the known names otherwise.
    [[nodiscard]] static Dialect named(const std::string& name);
    [[nodiscard]] static std::vector<std::string> names();
};

}  // namespace npunet::engine
