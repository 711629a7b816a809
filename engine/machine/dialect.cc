#include "engine/machine/dialect.h"

#include "base/errors.h"

namespace npunet::engine {

namespace {

Dialect npunet_dialect() {
    Dialect dialect;
    dialect.name = "npunet";
    return dialect;
}

Dialect astra_sim_dialect() {
    Dialect dialect;
    dialect.name = "astra-sim";
    dialect.gigabyte = topology::GigaByte::Binary;
    dialect.tolerant_input = true;
    dialect.event_order = EventQueue::Order::Insertion;
    dialect.whole_nanoseconds = true;
    dialect.issue_after_each_completion = true;
    dialect.one_communication_at_a_time = true;
    dialect.memory_takes_communication_place = true;
    dialect.broadcasts_replay = true;
    dialect.scheduling_keys_count = false;
    dialect.group_names_are_numbers = true;
    dialect.empty_group_file_means_none = true;
    dialect.send_ends_at_delivery = true;
    dialect.waiting_receive_is_communication = true;
    dialect.ports_queue = false;
    dialect.exact_chunks = false;
    dialect.groups_use_configuration = false;
    dialect.schedules.equal_parts = true;
    dialect.schedules.ring_all_to_all_aggregates = false;
    dialect.schedules.every_reduction_is_charged = false;
    dialect.schedules.halving_begins_nearby = true;
    dialect.chooses_algorithms = false;
    dialect.trees_share_chunks = false;
    dialect.reference_statistics = true;
    return dialect;
}

Dialect astra_sim_2025_03_dialect() {
    Dialect dialect = astra_sim_dialect();
    dialect.name = "astra-sim-2025-03";
    dialect.issue_order = IssueOrder::HashWalk;
    return dialect;
}

}  // namespace

Dialect Dialect::named(const std::string& name) {
    if (name == "npunet") {
        return npunet_dialect();
    }
    if (name == "astra-sim") {
        return astra_sim_dialect();
    }
    if (name == "astra-sim-2025-03") {
        return astra_sim_2025_03_dialect();
    }
    throw InputError({"--dialect", "", "'" + name + "'", "npunet, astra-sim or astra-sim-2025-03",
                      "Leave it out for npunet, the default"});
}

std::vector<std::string> Dialect::names() {
    return {"npunet", "astra-sim", "astra-sim-2025-03"};
}

}  // namespace npunet::engine
