#include "generators/transformer/moe_routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/draw.h"
#include "base/errors.h"

namespace npunet::generators {

namespace {

__extension__ using Wide = unsigned __int128;
using Weights = std::vector<std::int64_t>;

/// What a draw is for.
constexpr std::uint64_t draws_order = 1;
constexpr std::uint64_t draws_offset = 2;

/// Natural logarithm of x >= 1 and e^y for y <= 0 from additions, multiplications and divisions,
/// which IEEE 754 defines to the last bit, unlike a library's functions.
double logarithm(double x) {
    int halvings = 0;
    const double mantissa = 2 * std::frexp(x, &halvings);  // 1 <= mantissa < 2
    const double z = (mantissa - 1) / (mantissa + 1);
    double power = z;
    double sum = 0;
    for (int odd = 1; odd < 60; odd += 2) {
        sum += power / odd;
        power *= z * z;
    }
    constexpr double ln2 = 0.69314718055994530942;
    return 2 * sum + (halvings - 1) * ln2;
}

double exponential(double y) {
    constexpr int halvings = 20;
    const double small = std::ldexp(std::max(y, -700.0), -halvings);
    double value = 1 + small * (1 + small / 2 * (1 + small / 3 * (1 + small / 4)));
    for (int i = 0; i < halvings; ++i) {
        value *= value;
    }
    return value;
}

/// Weights by popularity, the most popular first.
Weights zipf_weights(std::int64_t experts, double exponent) {
    std::vector<double> shares;
    for (std::int64_t i = 1; i <= experts; ++i) {
        shares.push_back(exponential(-exponent * logarithm(static_cast<double>(i))));
    }
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    Weights weights;
    for (const double share : shares) {
        weights.push_back(
            std::max<std::int64_t>(1, static_cast<std::int64_t>(0x1p32 * (share / sum))));
    }
    return weights;
}

/// Fisher-Yates.
Weights shuffled(Weights weights, std::uint64_t seed, std::int64_t layer) {
    for (std::size_t i = weights.size(); i > 1; --i) {
        const std::uint64_t j =
            draw_below(i, {seed, draws_order, static_cast<std::uint64_t>(layer), i});
        std::swap(weights[i - 1], weights[j]);
    }
    return weights;
}

/// No weight above 1 / top_k of all: the heaviest c experts get exactly that, the others share what
/// is left, (top_k - c) / top_k, in proportion. In whole numbers over the sum top_k x rest.
Weights limited(Weights weights, std::int64_t top_k) {
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
    std::int64_t rest = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
    std::int64_t full = 0;
    while (full < top_k && rest > 0 &&
           static_cast<Wide>(weights[order[static_cast<std::size_t>(full)]]) *
                   static_cast<Wide>(top_k - full) >
               static_cast<Wide>(rest)) {
        rest -= weights[order[static_cast<std::size_t>(full)]];
        ++full;
    }
    if (full == 0) {
        return weights;
    }
    rest = full == top_k ? 1 : rest;
    for (std::size_t i = 0; i < order.size(); ++i) {
        std::int64_t& weight = weights[order[i]];
        weight = static_cast<std::int64_t>(i) < full ? rest : weight * (top_k - full);
    }
    return weights;
}

}  // namespace

Routing routing_named(const std::string& text, const std::string& source) {
    const std::string zipf = "zipf:";
    Routing routing;
    if (text == "uniform") {
        return routing;
    }
    if (text.rfind(zipf, 0) == 0) {
        routing.kind = Routing::Kind::Zipf;
        const char* last = text.data() + text.size();
        const auto [end, error] =
            std::from_chars(text.data() + zipf.size(), last, routing.exponent);
        if (error == std::errc{} && end == last && routing.exponent >= 0.0 &&
            routing.exponent <= 64.0) {
            return routing;
        }
    } else if (!text.empty() && text != "zipf") {
        routing.kind = Routing::Kind::File;
        routing.file = text;
        return routing;
    }
    throw InputError({source, "", fmt::format("'{}'", text),
                      "uniform, zipf:S with an exponent S from 0 to 64, or a file", ""});
}

std::string routing_name(const Routing& routing) {
    switch (routing.kind) {
        case Routing::Kind::Uniform:
            return "uniform";
        case Routing::Kind::Zipf:
            return fmt::format("zipf:{}", routing.exponent);
        default:
            return routing.file;
    }
}

MoeRouting::MoeRouting(const ModelSpec& model, std::uint64_t seed)
    : experts_(model.moe.experts),
      top_k_(model.moe.top_k),
      capacity_factor_(model.moe.capacity_factor),
      seed_(seed) {
    const Routing& routing = model.moe.routing;
    if (routing.kind == Routing::Kind::Uniform) {
        return;
    }
    std::vector<Weights> layers;
    if (routing.kind == Routing::Kind::File) {
        layers = read_routing_file(model);
    } else {
        const Weights weights = zipf_weights(experts_, routing.exponent);
        for (std::int64_t layer = 0; layer < model.layers; ++layer) {
            layers.push_back(shuffled(weights, seed, layer));
        }
    }
    for (Weights& layer : layers) {
        Cumulative sums{0};
        for (const std::int64_t weight : limited(std::move(layer), top_k_)) {
            sums.push_back(sums.back() + weight);
        }
        weights_.push_back(std::move(sums));
    }
}

std::uint64_t MoeRouting::offset(const TokenBatch& batch) const {
    if (uniform()) {
        const auto experts = static_cast<Wide>(experts_);
        const Wide turn = static_cast<Wide>(batch.turn + batch.layer) % experts;
        const Wide copies = static_cast<Wide>(batch.tokens) * static_cast<Wide>(top_k_);
        return static_cast<std::uint64_t>(turn * (copies % experts) % experts);
    }
    const auto total =
        static_cast<std::uint64_t>(weights_[static_cast<std::size_t>(batch.layer)].back());
    return draw_below(total, {seed_, draws_offset, static_cast<std::uint64_t>(batch.layer),
                              static_cast<std::uint64_t>(batch.micro_batch),
                              static_cast<std::uint64_t>(batch.source.value())});
}

std::int64_t MoeRouting::before(const TokenBatch& batch, std::int64_t expert,
                                std::uint64_t offset) const {
    const Wide copies = static_cast<Wide>(batch.tokens) * static_cast<Wide>(top_k_);
    if (uniform()) {
        return static_cast<std::int64_t>((copies * static_cast<Wide>(expert) + offset) /
                                         static_cast<Wide>(experts_));
    }
    const Cumulative& sums = weights_[static_cast<std::size_t>(batch.layer)];
    const Wide place = copies * static_cast<Wide>(sums[static_cast<std::size_t>(expert)]) + offset;
    // Most products fit 64 bits, whose division is several times as fast.
    if (place >> 64U == 0) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(place) /
                                         static_cast<std::uint64_t>(sums.back()));
    }
    return static_cast<std::int64_t>(place / static_cast<Wide>(sums.back()));
}

std::int64_t MoeRouting::capacity(std::int64_t tokens) const {
    return static_cast<std::int64_t>(std::ceil(
        capacity_factor_ * static_cast<double>(tokens * top_k_) / static_cast<double>(experts_)));
}

std::vector<std::int64_t> MoeRouting::parts(const TokenBatch& batch, std::int64_t parts) const {
    const std::int64_t held = experts_ / parts;
    std::vector<std::int64_t> sums(static_cast<std::size_t>(parts));
    if (capacity_factor_ == 0.0) {
        const std::uint64_t u = offset(batch);
        std::int64_t from = 0;
        for (std::int64_t part = 0; part < parts; ++part) {
            const std::int64_t to = before(batch, (part + 1) * held, u);
            sums[static_cast<std::size_t>(part)] = to - from;
            from = to;
        }
        return sums;
    }
    const std::vector<std::int64_t> each = counts(batch);
    for (std::size_t expert = 0; expert < each.size(); ++expert) {
        sums[expert / static_cast<std::size_t>(held)] += each[expert];
    }
    return sums;
}

std::vector<std::int64_t> MoeRouting::counts(const TokenBatch& batch, std::int64_t first,
                                             std::int64_t last) const {
    const std::uint64_t u = offset(batch);
    const std::int64_t most = capacity_factor_ == 0.0 ? batch.tokens : capacity(batch.tokens);
    std::vector<std::int64_t> counts;
    std::int64_t from = before(batch, first, u);
    for (std::int64_t expert = first; expert < last; ++expert) {
        const std::int64_t to = before(batch, expert + 1, u);
        counts.push_back(std::min(to - from, most));
        from = to;
    }
    return counts;
}

}  // namespace npunet::generators
