#include "tests/report/sample_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

namespace npunet::report {

namespace {

using analysis::Category;
using analysis::Dimension;
using analysis::Interval;
using analysis::Phase;
using analysis::RunTimeline;

Interval interval(RunTimeline& timeline, std::int32_t rank, const std::string& name,
                  std::int64_t start_ps, std::int64_t end_ps, std::uint64_t id) {
    Interval row;
    row.rank = Rank(rank);
    row.lane = timeline.names.number_of("lane");
    row.name = timeline.names.number_of(name);
    row.start = Time::ps(start_ps);
    row.end = Time::ps(end_ps);
    row.id = id;
    return row;
}

/// Lays out a step rank by rank.
class StepWriter {
public:
    explicit StepWriter(const StepShape& shape) : shape_(shape) {
        timeline_.label = "step";
        for (std::int32_t rank = 0; rank < ranks(); rank += shape.ranks_of_stage) {
            analysis::TimelineGroup group{fmt::format("{}", timeline_.groups.size() + 1), {}};
            for (std::int32_t i = 0; i < shape.ranks_of_stage; ++i) {
                group.ranks.emplace_back(rank + i);
            }
            timeline_.groups.push_back(group);
        }
    }

    RunTimeline write() {
        for (std::int32_t rank = 0; rank < ranks(); ++rank) {
            write_rank(rank);
        }
        if (shape_.columns > 0) {
            add_links();
        }
        timeline_.length = Time::ns(now_ + 20);
        timeline_.finish();
        return std::move(timeline_);
    }

private:
    [[nodiscard]] std::int32_t ranks() const {
        return shape_.stages * shape_.ranks_of_stage * shape_.replicas;
    }
    [[nodiscard]] std::int32_t stage_of(std::int32_t rank) const {
        return rank / shape_.ranks_of_stage % shape_.stages;
    }
    [[nodiscard]] std::int32_t joint(const std::string& key) {
        return joints_.emplace(key, static_cast<std::int32_t>(joints_.size())).first->second;
    }

    void add(std::int32_t rank, const std::string& name, std::int64_t length_ns, Category category,
             Phase phase, Dimension dimension, std::int32_t micro_batch) {
        Interval row = interval(timeline_, rank, name, now_ * 1000, (now_ + length_ns) * 1000,
                                timeline_.intervals.size());
        row.category = category;
        row.phase = phase;
        row.dimension = dimension;
        row.micro_batch = micro_batch;
        if (category == Category::Communication && dimension != Dimension::Pipeline) {
            row.bytes = Bytes(1 << 20);
            row.group = rank / shape_.ranks_of_stage;
            row.joint = joint(fmt::format("{} {} {}", row.group, name, micro_batch));
        }
        if (dimension == Dimension::Pipeline) {
            const bool up = phase == Phase::Forward;
            const bool sends = name.find("send") != std::string::npos;
            const std::int32_t step = (up == sends ? 1 : -1) * shape_.ranks_of_stage;
            row.peer = Rank(rank + step);
            row.joint = joint(fmt::format("{} {} {} {}", std::min(rank, rank + step),
                                          std::max(rank, rank + step), up, micro_batch));
        }
        timeline_.intervals.add(row);
        now_ += length_ns;
    }

    void pass(std::int32_t rank, Phase phase, std::int32_t micro_batch) {
        const bool forward = phase == Phase::Forward;
        const std::string suffix = forward ? "forward" : "backward";
        const std::int32_t stage = stage_of(rank);
        const bool receives = forward ? stage > 0 : stage + 1 < shape_.stages;
        const bool sends = forward ? stage + 1 < shape_.stages : stage > 0;
        const std::string mb = fmt::format("mb{}_", micro_batch);
        if (receives) {
            add(rank, mb + suffix + "_receive", 10, Category::Communication, phase,
                Dimension::Pipeline, micro_batch);
        }
        for (std::int32_t layer = 0; layer < shape_.layers; ++layer) {
            add(rank, fmt::format("{}layer{}_mlp_{}", mb, layer, suffix), forward ? 60 : 120,
                Category::Computation, phase, Dimension::Other, micro_batch);
            if (shape_.ranks_of_stage > 1) {
                add(rank, fmt::format("{}layer{}_all_reduce_{}", mb, layer, suffix), 25,
                    Category::Communication, phase, Dimension::Tensor, micro_batch);
            }
        }
        if (sends) {
            add(rank, mb + suffix + "_send", 10, Category::Communication, phase,
                Dimension::Pipeline, micro_batch);
        }
    }

    void write_rank(std::int32_t rank) {
        const std::int32_t stage = stage_of(rank);
        const std::int64_t forward = shape_.layers * 85 + 20;
        const std::int64_t backward = shape_.layers * 145 + 20;
        now_ = stage * forward;
        for (std::int32_t mb = 0; mb < shape_.micro_batches; ++mb) {
            pass(rank, Phase::Forward, mb);
        }
        const std::int64_t all_forward = (shape_.stages + shape_.micro_batches - 1) * forward;
        now_ = all_forward + (shape_.stages - 1 - stage) * backward;
        for (std::int32_t mb = 0; mb < shape_.micro_batches; ++mb) {
            pass(rank, Phase::Backward, mb);
        }
        now_ = all_forward + (shape_.stages + shape_.micro_batches - 1) * backward;
        if (shape_.replicas > 1) {
            add(rank, "gradients_all_reduce", 150, Category::Communication, Phase::Backward,
                Dimension::Data, Interval::none);
        }
        add(rank, "optimizer_step", 80, Category::Computation, Phase::Optimizer, Dimension::Other,
            Interval::none);
    }

    void add_links() {
        analysis::LinkLoad& load = timeline_.load;
        load.bins = 64;
        load.bin = Time::ns((now_ + 20 + 63) / 64);
        const auto link = [&load](std::int32_t from, std::int32_t to) {
            load.links.push_back({fmt::format("npu{}", from), fmt::format("npu{}", to)});
            for (std::size_t bin = 0; bin < load.bins; ++bin) {
                const auto at = static_cast<std::int32_t>(bin);
                load.shares.push_back(static_cast<float>((at * 7 + from + 3 * to) % 101) / 100);
            }
        };
        for (std::int32_t rank = 0; rank < ranks(); ++rank) {
            load.nodes.push_back({fmt::format("npu{}", rank),
                                  static_cast<float>(rank % shape_.columns),
                                  static_cast<float>(rank / shape_.columns)});
            if ((rank + 1) % shape_.columns != 0) {
                link(rank, rank + 1);
                link(rank + 1, rank);
            }
            if (rank + shape_.columns < ranks()) {
                link(rank, rank + shape_.columns);
                link(rank + shape_.columns, rank);
            }
        }
    }

    StepShape shape_;
    RunTimeline timeline_;
    std::map<std::string, std::int32_t> joints_;
    std::int64_t now_ = 0;
};

}  // namespace

RunTimeline sample_timeline() {
    RunTimeline timeline;
    timeline.label = "packet";
    timeline.groups = {{"1", {Rank(0), Rank(2)}}};
    timeline.length = Time::ns(200);
    const auto add = [&timeline](Interval row, Category category, Phase phase, Dimension dimension,
                                 std::int32_t joint) {
        row.category = category;
        row.phase = phase;
        row.dimension = dimension;
        row.joint = joint;
        if (category == Category::Communication) {
            row.bytes = Bytes(1000);
            if (dimension == Dimension::Pipeline) {
                row.peer = Rank(row.rank.value() == 0 ? 2 : 0);
            } else {
                row.group = 0;
            }
        }
        timeline.intervals.add(row);
    };
    const auto communication = Category::Communication;
    add(interval(timeline, 0, "mlp", 0, 100'250, 1), Category::Computation, Phase::Forward,
        Dimension::Other, Interval::none);
    add(interval(timeline, 0, "sum", 20'000, 90'000, 2), communication, Phase::Forward,
        Dimension::Tensor, 0);
    add(interval(timeline, 0, "gradients", 50'000, 150'000, 3), communication, Phase::Backward,
        Dimension::Data, 1);
    add(interval(timeline, 0, "more gradients", 60'000, 140'000, 4), communication, Phase::Backward,
        Dimension::Data, 2);
    add(interval(timeline, 0, "send", 100'250, 130'000, 5), communication, Phase::Forward,
        Dimension::Pipeline, 3);
    add(interval(timeline, 0, "optimizer", 150'000, 190'000, 6), Category::Computation,
        Phase::Optimizer, Dimension::Other, Interval::none);
    add(interval(timeline, 2, "sum", 10'000, 90'000, 2), communication, Phase::Forward,
        Dimension::Tensor, 0);
    add(interval(timeline, 2, "gradients", 50'000, 150'000, 3), communication, Phase::Backward,
        Dimension::Data, 1);
    add(interval(timeline, 2, "receive", 110'000, 140'000, 5), communication, Phase::Forward,
        Dimension::Pipeline, 3);
    timeline.load.bin = Time::ns(50);
    timeline.load.bins = 4;
    timeline.load.links = {{"npu0", "npu2"}, {"npu2", "npu0"}};
    timeline.load.shares = {0, 0.5F, 0.5F, 1, 0, 0, 0, 0};
    timeline.finish();
    return timeline;
}

RunTimeline step_timeline(const StepShape& shape) {
    return StepWriter(shape).write();
}

}  // namespace npunet::report
