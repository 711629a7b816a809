#include "tests/planner/search/random_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace npunet::test {

namespace {

using planner::LayerProfile;
using planner::ProfileSet;

/// SplitMix64. One number an expression: compilers order the operands of an operator as they like.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
        return mixed ^ (mixed >> 31U);
    }

    /// In [0, 1).
    double uniform() { return static_cast<double>(next() >> 11U) / 9007199254740992.0; }
    double between(double low, double high) { return low + (high - low) * uniform(); }
    int whole(int low, int high) {
        return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
    }
    bool chance(double probability) { return uniform() < probability; }
    template <class T>
    T one_of(const std::vector<T>& values) {
        return values[static_cast<std::size_t>(whole(0, static_cast<int>(values.size()) - 1))];
    }

private:
    std::uint64_t state_;
};

/// What the profiles of a model are made of. A sample has some 10 ms in a layer of the fastest
/// type.
struct Model {
    std::vector<double> layer_ms;  ///< one sample on one device of the first type
    std::vector<double> parameter_bytes;
    std::vector<double> weight_mib;
    std::vector<double> activation_mib;  ///< of a sample
    double gap_ms = 0;                   ///< of forward_backward_ms, may be negative
    double optimizer_ms = 0;
    double batch_generator_ms = 0;
    double tp_loss = 0;     ///< how much slower than ideal a layer is per further device
    double batch_gain = 0;  ///< how much of the time of a micro-batch does not grow with it
    double noise = 0;
    double missing = 0;  ///< probability that a profile is
    bool gives_activations = false;
    bool parameters_differ = false;
};

Model random_model(Random& random, int layers) {
    Model model;
    const double unevenness = random.one_of<double>({0, 0.2, 2});
    const double parameters = 1e6 * random.one_of<double>({0.1, 1, 30, 100, 300});
    const double weight = random.between(1, 10);
    const double activation = random.between(0.2, 5);
    for (int layer = 0; layer < layers; ++layer) {
        const double size = 1 + unevenness * random.uniform();
        model.layer_ms.push_back(10 * size);
        model.parameter_bytes.push_back(parameters * (1 + unevenness * random.uniform()));
        model.weight_mib.push_back(weight * size);
        model.activation_mib.push_back(activation * (1 + unevenness * random.uniform()));
    }
    model.gap_ms = random.chance(0.5) ? random.between(-2, 8) : 0;
    model.optimizer_ms = random.chance(0.8) ? random.between(0, 20) : 0;
    model.batch_generator_ms = random.chance(0.5) ? random.between(0, 5) : 0;
    model.tp_loss = random.one_of<double>({0.02, 0.2, 0.4});
    model.batch_gain = random.one_of<double>({0, 0, 0.3, 0.7});
    model.noise = random.one_of<double>({0, 0.05, 0.3});
    model.missing = random.one_of<double>({0, 0, 0, 0.1, 0.3});
    model.gives_activations = random.chance(0.4);
    model.parameters_differ = random.chance(0.1);
    return model;
}

LayerProfile random_profile(Random& random, const Model& model, double slowness, int tp,
                            int batch) {
    LayerProfile made;
    made.tp = tp;
    made.batch = batch;
    const double ideal = (model.batch_gain + (1 - model.batch_gain) * batch) / tp;
    const double factor = slowness * ideal * (1 + model.tp_loss * (tp - 1));
    const auto uneven = [&] { return 1 + model.noise * random.between(-1, 1); };
    for (std::size_t layer = 0; layer < model.layer_ms.size(); ++layer) {
        made.layer_ms.push_back(model.layer_ms[layer] * factor * uneven());
        made.forward_backward_ms += made.layer_ms.back();
        const double activation = model.activation_mib[layer] * batch / tp * uneven();
        made.layer_memory_mib.push_back(model.weight_mib[layer] / tp * uneven() + activation);
        if (model.gives_activations) {
            made.layer_activation_mib.push_back(activation);
        }
        made.parameter_bytes.push_back(model.parameter_bytes[layer] *
                                       (model.parameters_differ ? uneven() : 1));
    }
    made.forward_backward_ms = std::max(0.0, made.forward_backward_ms + model.gap_ms * uneven());
    made.optimizer_ms = model.optimizer_ms * slowness / tp * uneven();
    made.batch_generator_ms = model.batch_generator_ms * uneven();
    return made;
}

/// Of tp 1 to 6 and each batch that divides the global one.
std::vector<LayerProfile> random_profiles(Random& random, const Model& model,
                                          const std::vector<std::string>& types, int gbs) {
    std::vector<LayerProfile> profiles;
    double slowness = 1;
    for (const std::string& type : types) {
        for (int tp = 1; tp <= 6; ++tp) {
            for (int batch = 1; batch <= gbs; ++batch) {
                if (gbs % batch != 0) {
                    continue;
                }
                LayerProfile made = random_profile(random, model, slowness, tp, batch);
                made.type = type;
                made.file_name = fmt::format("DeviceType.{}_tp{}_bs{}.json", type, tp, batch);
                if (!random.chance(model.missing)) {
                    profiles.push_back(std::move(made));
                }
            }
        }
        slowness *= random.between(1, random.one_of<double>({1, 1.1, 2}));
    }
    return profiles;
}

BruteNode random_node(Random& random, int type, double model_mib, bool tight) {
    BruteNode node;
    node.type = type;
    node.devices = random.one_of<int>({1, 1, 2, 2, 3, 3, 4, 5, 6});
    node.memory_mib = model_mib * (tight ? random.between(0.25, 1.5) : 100);
    node.intra_rate = random.one_of<double>({1e5, 1e6});
    node.intra_rate *= random.between(1, 10);
    node.inter_rate = random.one_of<double>({1e4, 1e5, 1e5, 1e6});
    node.inter_rate *= random.between(1, 10);
    node.intra_latency_ms = random.chance(0.5) ? random.between(0, 0.2) : 0;
    node.inter_latency_ms = random.chance(0.5) ? random.between(0, 0.5) : 0;
    return node;
}

/// Nodes of one or two kinds, or three; as many as there are devices for.
std::vector<BruteNode> random_nodes(Random& random, int types, double model_mib, int devices) {
    const bool tight = random.chance(0.5);
    std::vector<BruteNode> kinds;
    int type = random.whole(0, types - 1);
    for (int kind = random.one_of<int>({1, 2, 2, 2, 3}); kind > 0; --kind) {
        kinds.push_back(random_node(random, type, model_mib, tight));
        if (kinds.size() > 1 && random.chance(0.2)) {
            kinds.back() = kinds.front();
            kinds.back().inter_rate *= random.between(0.3, 1);
        }
        if (random.chance(0.6)) {
            kinds.back().devices = kinds.front().devices;
        }
        type = random.chance(0.8) ? (type + 1) % types : type;
    }
    std::vector<BruteNode> nodes;
    for (int wanted = random.one_of<int>({1, 2, 2, 3, 3, 4, 4}); wanted > 0; --wanted) {
        const BruteNode& node = random.one_of(kinds);
        if (node.devices <= devices) {
            nodes.push_back(node);
            devices -= node.devices;
        }
    }
    return nodes;
}

}  // namespace

RandomProblem random_problem(std::uint64_t seed) {
    Random random(seed);
    RandomProblem made;
    made.seed = seed;
    BruteProblem& problem = made.problem;
    problem.layers = random.one_of<int>({1, 2, 2, 3, 3, 4, 4, 4, 5, 6, 6});
    problem.gbs = random.one_of<int>({1, 2, 3, 4, 6, 6, 8, 12, 12, 12});
    problem.sequence = 64 * random.one_of<int>({1, 1, 1, 2, 4, 8});
    problem.hidden = 256 * random.one_of<int>({1, 1, 2, 3, 4});
    problem.activation_bytes = random.one_of<double>({2, 4});
    problem.memory_factor = random.one_of<double>({1, 1, 1.2});
    const std::vector<std::string> names{"A", "B", "C"};
    problem.types.assign(names.begin(), names.begin() + random.one_of<int>({1, 2, 2, 2, 3, 3}));

    const Model model = random_model(random, problem.layers);
    double model_mib = 0;
    for (std::size_t layer = 0; layer < model.layer_ms.size(); ++layer) {
        model_mib += model.weight_mib[layer] + model.activation_mib[layer];
    }
    const int devices = problem.layers * problem.gbs >= 30 ? 9 : 12;
    problem.nodes =
        random_nodes(random, static_cast<int>(problem.types.size()), model_mib, devices);
    made.profiles = std::make_shared<const ProfileSet>(
        random_profiles(random, model, problem.types, problem.gbs), "random profiles");
    made.parameters_differ = model.parameters_differ && model.noise > 0;
    problem.profiles = made.profiles.get();
    return made;
}

std::string text_of(const RandomProblem& random) {
    const BruteProblem& problem = random.problem;
    std::string text =
        fmt::format("random problem {}: {} layers, batch {}, {} profiles\n", random.seed,
                    problem.layers, problem.gbs, random.profiles->all().size());
    for (const BruteNode& node : problem.nodes) {
        text += fmt::format(
            "  {} x {}, {:.4g} MiB, inside {:.4g} bytes/ms + {:.3g} ms, outside {:.4g} + {:.3g}\n",
            node.devices, problem.types[static_cast<std::size_t>(node.type)], node.memory_mib,
            node.intra_rate, node.intra_latency_ms, node.inter_rate, node.inter_latency_ms);
    }
    return text;
}

}  // namespace npunet::test
