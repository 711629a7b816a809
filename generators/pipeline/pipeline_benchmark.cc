#include "generators/pipeline/pipeline_benchmark.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/units.h"
#include "generators/pipeline/stage_pipeline.h"
#include "generators/role_builder.h"

namespace npunet::generators {

namespace {

constexpr std::int64_t most_stages = std::int64_t{1} << 20;
constexpr std::int64_t most_passes = std::int64_t{1} << 24;
constexpr double longest_step_ps = 100.0 * 24 * 3600 * 1e12;

void check_count(const char* option, std::int64_t value, std::int64_t most) {
    if (value < 1 || value > most) {
        throw InputError({option, "", fmt::format("{}", value),
                          fmt::format("a whole number from 1 to {}", most), ""});
    }
}

void check_time(const char* option, Time time) {
    if (time < Time() || time.ps() % 1000 != 0) {
        throw InputError({option, "", format_ns(time) + " ns",
                          "a whole number of nanoseconds from 0: traces record no less", ""});
    }
}

void check(const PipelineBenchmark& benchmark) {
    const PipelineShape& shape = benchmark.shape;
    check_count("--pp", shape.stages, most_stages);
    check_count("--vpp", shape.chunks, most_passes);
    check_count("--micro-batches", shape.micro_batches, most_passes);
    check_pipeline(shape, "Change --micro-batches");
    const double passes =
        static_cast<double>(shape.micro_batches) * static_cast<double>(shape.chunks);
    if (passes > static_cast<double>(most_passes) ||
        passes * static_cast<double>(shape.stages) > 0x1p29) {
        throw InputError(
            {"--micro-batches x --vpp x --pp", "",
             fmt::format("{} x {} x {}", shape.micro_batches, shape.chunks, shape.stages),
             "at most 2^24 passes a stage and 2^29 altogether", ""});
    }
    check_time("--forward", benchmark.forward);
    check_time("--backward", benchmark.backward);
    check_time("--weight", benchmark.weight);
    const double pass = static_cast<double>(benchmark.forward.ps()) +
                        static_cast<double>(benchmark.backward.ps()) +
                        static_cast<double>(benchmark.weight.ps());
    if (pass * (passes + static_cast<double>(shape.stages)) > longest_step_ps) {
        throw InputError({"--forward, --backward and --weight", "",
                          fmt::format("a step of {:.3g} days",
                                      pass * (passes + static_cast<double>(shape.stages)) /
                                          longest_step_ps * 100),
                          "at most 100 days: the clock of a simulation ends at 106", ""});
    }
}

/// One stage: passes of recorded times that keep activations alive.
class RecordedStage : private PipelineWork {
public:
    RecordedStage(const PipelineBenchmark& benchmark, std::int64_t stage)
        : benchmark_(benchmark), stage_(stage), builder_({}) {}

    Role build() {
        const PipelineShape& shape = benchmark_.shape;
        const std::int64_t bytes = benchmark_.message.value();
        StagePipeline(builder_, shape, stage_, {{{0, bytes}}, {{1, bytes}}})
            .run(pipeline_actions(shape, stage_), *this);
        return builder_.take();
    }

private:
    struct Kept {
        std::vector<std::uint32_t> all;          ///< to the gradient of the input
        std::vector<std::uint32_t> for_weights;  ///< to that of the weights
    };

    [[nodiscard]] std::string scope(std::int64_t micro_batch, std::int64_t chunk) const {
        return benchmark_.shape.chunks > 1 ? fmt::format("mb{}_chunk{}_", micro_batch, chunk)
                                           : fmt::format("mb{}_", micro_batch);
    }

    void forward(std::int64_t micro_batch, std::int64_t chunk) override {
        const std::string name = scope(micro_batch, chunk);
        Kept& kept = kept_[{micro_batch, chunk}];
        std::vector<std::uint32_t> writes;
        if (benchmark_.activations > Bytes(0)) {
            kept.all.push_back(
                builder_.tensor(name + "activations", benchmark_.activations.value()));
            writes = kept.all;
        }
        if (benchmark_.weight_activations > Bytes(0)) {
            kept.for_weights.push_back(builder_.tensor(name + "weight_activations",
                                                       benchmark_.weight_activations.value()));
            writes.push_back(kept.for_weights.front());
        }
        builder_.set_scope(name);
        builder_.recorded_compute("forward", nanoseconds(benchmark_.forward), {}, writes);
    }

    void backward(std::int64_t micro_batch, std::int64_t chunk) override {
        const auto place = kept_.find({micro_batch, chunk});
        const Kept kept = std::move(place->second);
        kept_.erase(place);
        builder_.set_scope(scope(micro_batch, chunk));
        builder_.recorded_compute("backward", nanoseconds(benchmark_.backward), kept.all);
        // A backward pass that is not split lets go of nothing before its end.
        std::vector<std::uint32_t> reads = kept.for_weights;
        if (benchmark_.shape.schedule != Schedule::ZeroBubble) {
            reads.insert(reads.end(), kept.all.begin(), kept.all.end());
        }
        builder_.deferrable([this, reads] {
            builder_.recorded_compute("weight", nanoseconds(benchmark_.weight), reads);
        });
    }

    [[nodiscard]] static std::int64_t nanoseconds(Time time) { return time.ps() / 1000; }

    const PipelineBenchmark& benchmark_;
    std::int64_t stage_;
    RoleBuilder builder_;
    std::map<std::pair<std::int64_t, std::int64_t>, Kept> kept_;
};

}  // namespace

GeneratedWorkload generate(const PipelineBenchmark& benchmark) {
    check(benchmark);
    const std::int64_t stages = benchmark.shape.stages;
    std::vector<Role> roles;
    std::vector<RankBinding> ranks;
    for (std::int64_t p = 0; p < stages; ++p) {
        roles.push_back(RecordedStage(benchmark, p).build());
        RankBinding binding;
        binding.role = static_cast<std::int32_t>(p);
        binding.peers = {Rank(static_cast<std::int32_t>((p + stages - 1) % stages)),
                         Rank(static_cast<std::int32_t>((p + 1) % stages))};
        ranks.push_back(std::move(binding));
    }
    return {{}, std::move(roles), std::move(ranks)};
}

}  // namespace npunet::generators
