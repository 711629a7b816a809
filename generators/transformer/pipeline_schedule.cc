#include "generators/transformer/pipeline_schedule.h"

#include <algorithm>

namespace npunet::generators {

namespace {

class ActionList {
public:
    ActionList(std::int64_t stage, std::int64_t stages)
        : first_(stage == 0), last_(stage + 1 == stages) {}

    void receive_forward(std::int64_t m) { add_unless(first_, ActionKind::ReceiveForward, m); }
    void forward(std::int64_t m) { add_unless(false, ActionKind::Forward, m); }
    void send_forward(std::int64_t m) { add_unless(last_, ActionKind::SendForward, m); }
    void receive_backward(std::int64_t m) { add_unless(last_, ActionKind::ReceiveBackward, m); }
    void backward(std::int64_t m) { add_unless(false, ActionKind::Backward, m); }
    void send_backward(std::int64_t m) { add_unless(first_, ActionKind::SendBackward, m); }

    [[nodiscard]] std::vector<PipelineAction> take() { return std::move(actions_); }

private:
    void add_unless(bool absent, ActionKind kind, std::int64_t micro_batch) {
        if (!absent) {
            actions_.push_back({kind, micro_batch});
        }
    }

    bool first_;
    bool last_;
    std::vector<PipelineAction> actions_;
};

/// Forwards before the first backward, less one: all for GPipe.
std::int64_t warm_up(Schedule schedule, std::int64_t stage, std::int64_t stages,
                     std::int64_t micro_batches) {
    return schedule == Schedule::GPipe ? micro_batches
                                       : std::min(stages - 1 - stage, micro_batches);
}

}  // namespace

std::vector<PipelineAction> pipeline_actions(Schedule schedule, std::int64_t stage,
                                             std::int64_t stages, std::int64_t micro_batches) {
    const std::int64_t warm = warm_up(schedule, stage, stages, micro_batches);
    const std::int64_t steady = micro_batches - warm;
    ActionList list(stage, stages);
    for (std::int64_t m = 0; m < warm; ++m) {
        list.receive_forward(m);
        list.forward(m);
        list.send_forward(m);
    }
    if (steady > 0) {
        list.receive_forward(warm);
    }
    for (std::int64_t i = 0; i < steady; ++i) {
        list.forward(warm + i);
        list.send_forward(warm + i);
        list.receive_backward(i);
        list.backward(i);
        list.send_backward(i);
        if (i + 1 < steady) {
            list.receive_forward(warm + i + 1);
        }
    }
    for (std::int64_t m = steady; m < micro_batches; ++m) {
        list.receive_backward(m);
        list.backward(m);
        list.send_backward(m);
    }
    return list.take();
}

}  // namespace npunet::generators
