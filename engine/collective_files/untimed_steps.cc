#include "engine/collective_files/untimed_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/errors.h"

namespace npunet::engine {

UntimedSteps::UntimedSteps(const FileAlgorithm& algorithm, std::int32_t per_call)
    : algorithm_(algorithm),
      per_call_(per_call),
      calls_ahead_(algorithm.protocol == nullptr
                       ? std::numeric_limits<std::int64_t>::max()
                       : FifoProtocol::slots / algorithm.protocol->call_slots) {
    for (std::size_t gpu = 0; gpu < algorithm.gpus.size(); ++gpu) {
        first_.push_back(blocks_.size());
        for (std::size_t block = 0; block < algorithm.gpus[gpu].blocks.size(); ++block) {
            Block added;
            added.gpu = static_cast<std::uint32_t>(gpu);
            added.block = static_cast<std::uint32_t>(block);
            blocks_.push_back(added);
        }
    }
}

std::int32_t UntimedSteps::calls_of(const AlgorithmStep& step) const {
    if (algorithm_.is_trace) {
        return 1;
    }
    return step.chunks / per_call_ + (step.chunks % per_call_ > 0 ? 1 : 0);
}

std::size_t UntimedSteps::obstacle(const Block& block) const {
    const ThreadBlock& own = block_of(block);
    const AlgorithmStep& step = own.steps[block.step];
    for (std::uint32_t i = 0; block.call == 0 && i < step.waits; ++i) {
        const StepReference& wait = algorithm_.gpus[block.gpu].waits[step.first_wait + i];
        if (blocks_[index(block.gpu, wait.block)].step <= wait.step) {
            return index(block.gpu, wait.block);
        }
    }
    if (block.call == calls_of(step)) {
        return none;
    }
    if (receives(step.type) && block.taken == block.arrived) {
        return index(static_cast<std::size_t>(own.receive_from), own.receives_from_block);
    }
    if (sends(step.type) && block.sent - block.freed >= calls_ahead_) {
        return index(static_cast<std::size_t>(own.send_to), own.sends_to_block);
    }
    return none;
}

void UntimedSteps::wake(std::size_t number) {
    if (!blocks_[number].queued) {
        blocks_[number].queued = true;
        queue_.push_back(number);
    }
}

void UntimedSteps::make_call(Block& block, const AlgorithmStep& step) {
    const ThreadBlock& own = block_of(block);
    if (sends(step.type)) {
        ++block.sent;
        const std::size_t peer = index(static_cast<std::size_t>(own.send_to), own.sends_to_block);
        ++blocks_[peer].arrived;
        wake(peer);
    }
    if (receives(step.type)) {
        ++block.taken;
        const std::size_t peer =
            index(static_cast<std::size_t>(own.receive_from), own.receives_from_block);
        ++blocks_[peer].freed;
        wake(peer);
    }
}

void UntimedSteps::advance(std::size_t number, const Made& made) {
    Block& block = blocks_[number];
    block.queued = false;
    const ThreadBlock& own = block_of(block);
    while (block.step < own.steps.size()) {
        const AlgorithmStep& step = own.steps[block.step];
        if (obstacle(block) != none) {
            // It hears of what it will receive before it has room to send it on.
            return;
        }
        if (!block.told) {
            block.told = true;
            made(block.gpu, block.block, block.step);
        }
        if (block.call < calls_of(step)) {
            make_call(block, step);
            ++block.call;
            if (block.call < calls_of(step)) {
                continue;
            }
        }
        block.call = 0;
        block.told = false;
        ++block.step;
        for (const std::uint32_t follower : own.followed_by) {
            wake(index(block.gpu, follower));
        }
    }
}

void UntimedSteps::make(const Made& made) {
    for (std::size_t number = 0; number < blocks_.size(); ++number) {
        wake(number);
    }
    while (!queue_.empty()) {
        const std::size_t number = queue_.front();
        queue_.pop_front();
        advance(number, made);
    }
    const bool all = std::all_of(blocks_.begin(), blocks_.end(), [this](const Block& block) {
        return block.step == block_of(block).steps.size();
    });
    if (!all) {
        refuse();
    }
}

std::string UntimedSteps::place(std::size_t number) const {
    const Block& block = blocks_[number];
    return algorithm_.place(block.gpu, block.block, block.step);
}

void UntimedSteps::refuse() const {
    std::size_t number = 0;
    while (blocks_[number].step == block_of(blocks_[number]).steps.size()) {
        ++number;
    }
    // From any block that is stuck the obstacles lead into a cycle.
    std::vector<bool> seen(blocks_.size(), false);
    for (; !seen[number]; number = obstacle(blocks_[number])) {
        seen[number] = true;
    }
    constexpr std::size_t most_named = 8;
    std::string text = place(number);
    std::size_t length = 1;
    bool slots = false;
    for (std::size_t at = number;; ++length) {
        const Block& block = blocks_[at];
        const ThreadBlock& own = block_of(block);
        at = obstacle(block);
        slots = slots ||
                (sends(own.steps[block.step].type) && block.sent - block.freed >= calls_ahead_);
        text += length <= most_named ? " waits for " + place(at) : "";
        if (at == number) {
            break;
        }
    }
    text += length > most_named ? fmt::format(" waits for ... ({} in all)", length) : "";
    throw InputError(
        {algorithm_.file, place(number), "steps that wait for each other: " + text,
         slots ? fmt::format("receives that come in time: a sender may be {} slots, "
                             "or {} calls, ahead of its receiver with {}",
                             FifoProtocol::slots, calls_ahead_, algorithm_.protocol->name)
               : "steps that can all be made in some order",
         "Correct the file"});
}

}  // namespace npunet::engine
