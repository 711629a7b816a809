// A generator of one's own: training with a parameter server. Rank 0 is the server; every other
// rank computes, sends its gradients of b bytes to the server and gets the weights back, step after
// step. On links of their own a step takes
//
//     worker's compute + t(b) + server's compute + t(b), t(b) = a + ser(b)
#pragma once

#include <fmt/format.h>

#include <vector>

#include "generators/role_builder.h"
#include "generators/workload.h"

namespace extending {

using namespace npunet;
using namespace npunet::generators;

struct ParameterServer {
    std::int32_t workers = 1;
    std::int32_t steps = 1;
    Bytes gradients;
    std::int64_t worker_ns = 0;  ///< of a step's compute
    std::int64_t server_ns = 0;  ///< of the update
};

/// Its peer in slot w is worker w. Messages of a pair are told apart by their tags.
inline Role server_role(const ParameterServer& job) {
    RoleBuilder builder({});
    for (std::int32_t step = 0; step < job.steps; ++step) {
        std::vector<Pending> gradients;
        std::vector<Pending> weights;
        builder.set_scope(fmt::format("step{}_", step));
        for (std::int32_t w = 0; w < job.workers; ++w) {
            gradients.push_back(builder.receive("gradients", {w, job.gradients.value(), 2 * step}));
        }
        builder.proceed_after(gradients);
        builder.recorded_compute("update", job.server_ns);
        for (std::int32_t w = 0; w < job.workers; ++w) {
            weights.push_back(builder.send("weights", {w, job.gradients.value(), 2 * step + 1}));
        }
        builder.proceed_after(weights);
    }
    return builder.take();
}

/// Its peer in slot 0 is the server.
inline Role worker_role(const ParameterServer& job) {
    RoleBuilder builder({});
    for (std::int32_t step = 0; step < job.steps; ++step) {
        builder.set_scope(fmt::format("step{}_", step));
        builder.recorded_compute("gradients", job.worker_ns);
        const Pending sent = builder.send("gradients", {0, job.gradients.value(), 2 * step});
        builder.proceed_after(
            {sent, builder.receive("weights", {0, job.gradients.value(), 2 * step + 1})});
    }
    return builder.take();
}

inline GeneratedWorkload generate(const ParameterServer& job) {
    RankBinding server;
    server.role = 0;
    RankBinding worker;
    worker.role = 1;
    worker.peers = {Rank(0)};
    for (std::int32_t w = 0; w < job.workers; ++w) {
        server.peers.emplace_back(w + 1);
    }
    std::vector<RankBinding> ranks(static_cast<std::size_t>(job.workers) + 1, worker);
    ranks.front() = server;
    return {{}, {server_role(job), worker_role(job)}, std::move(ranks)};
}

}  // namespace extending
