// What tests of drawn runs say about them, and what a stage has to do.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "generators/megatron/program/training_run.h"

namespace npunet::generators::megatron {

inline std::string text(const TrainingRun& run) {
    const Parallelism& p = run.parallelism;
    return fmt::format(
        "tp {} cp {} dp {} pp {} ep {} etp {} vpp {} m {} b {} sp {} do {} og {} opg {} op2p {} "
        "experts {}",
        p.tp, p.cp, p.dp, p.pp, p.ep, p.etp, run.vpp, run.steps, run.micro_batch,
        run.sequence_parallel, run.distributed_optimizer, run.overlap_grad_reduce,
        run.overlap_param_gather, run.overlap_p2p, run.model.moe.experts);
}

/// What a stage has of layers.
struct Share {
    std::int64_t dense = 0;
    std::int64_t experts = 0;
    bool first = false;
    bool last = false;
};

inline Share share_of(const TrainingRun& run, std::int64_t stage) {
    Share share;
    const std::int64_t pp = run.parallelism.pp;
    const std::int64_t each = run.model.layers / (pp * run.vpp);
    for (std::int64_t layer = 0; layer < run.model.layers; ++layer) {
        if (layer / each % pp == stage) {
            ++(run.model.is_moe_layer(layer) ? share.experts : share.dense);
        }
    }
    share.first = stage == 0;
    share.last = stage == pp - 1;
    return share;
}

}  // namespace npunet::generators::megatron
