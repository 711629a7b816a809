#include "study/sweep/point_selection.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "topology/network/network_description.h"
#include "topology/yaml/network_reader.h"

namespace npunet::study {

namespace {

constexpr std::size_t most_combinations = 10'000'000;
constexpr std::size_t most_points = 1'000'000;

/// Gives the names of an expression their values at a point.
class Lookup {
public:
    Lookup(const DesignSpace& space, const Expression& where) : space_(space), where_(where) {}

    [[nodiscard]] std::int64_t value(const Point& point, std::size_t name) {
        const std::string& text = where_.names()[name];
        return text == "npus" ? npus(*space_.find(point, "network"))
                              : *space_.find(point, text)->number;
    }

private:
    std::int64_t npus(const Value& network) {
        const auto known = npus_.find(network.path);
        if (known != npus_.end()) {
            return known->second;
        }
        const auto read =
            topology::read_network(network.path, topology::GigaByte::Decimal, true, nullptr);
        const auto count = static_cast<std::int64_t>(read.graph.npus());
        npus_.emplace(network.path, count);
        return count;
    }

    const DesignSpace& space_;
    const Expression& where_;
    std::map<std::string, std::int64_t> npus_;
};

std::size_t combinations_of(const DesignSpace& space) {
    std::size_t count = 1;
    for (const Axis& axis : space.axes) {
        count *= axis.rows.size();
        if (count > most_combinations) {
            throw InputError({space.file, "",
                              fmt::format("more than {} combinations", most_combinations),
                              fmt::format("at most {}", most_combinations),
                              "List fewer values, or give the points in a file (points)"});
        }
    }
    return count;
}

/// The next combination, the last axis fastest.
void next_combination(const DesignSpace& space, std::vector<std::uint32_t>& rows) {
    for (std::size_t axis = rows.size(); axis-- > 0;) {
        if (++rows[axis] < space.axes[axis].rows.size()) {
            return;
        }
        rows[axis] = 0;
    }
}

bool wanted(const DesignSpace& space, const Expression& where, Lookup& lookup, const Point& point) {
    try {
        return where.evaluate([&](std::size_t name) { return lookup.value(point, name); }) != 0;
    } catch (const InputError& error) {
        InputProblem problem = error.problem();
        problem.found += " at " + space.describe(point);
        throw InputError(std::move(problem));
    }
}

}  // namespace

void select_points(DesignSpace& space, const Selection& selection) {
    const std::size_t combinations = combinations_of(space);
    std::optional<Lookup> lookup;
    if (selection.where) {
        lookup.emplace(space, *selection.where);
    }
    Point point{std::vector<std::uint32_t>(space.axes.size(), 0), std::nullopt};
    for (std::size_t i = 0; i < combinations; ++i) {
        if (!lookup || wanted(space, *selection.where, *lookup, point)) {
            space.points.push_back(point);
        }
        next_combination(space, point.rows);
    }
    if (space.points.empty()) {
        throw InputError({space.file, "where",
                          fmt::format("no point of {} combinations that fulfils it", combinations),
                          "at least one point", "Check the expression against the values"});
    }
    if (selection.sample_count) {
        std::vector<Point> chosen;
        for (const std::uint64_t number :
             sample_of(space.points.size(), *selection.sample_count, selection.seed)) {
            chosen.push_back(space.points[number]);
        }
        space.points = std::move(chosen);
    }
    if (space.points.size() > most_points) {
        throw InputError({space.file, "", fmt::format("{} points", space.points.size()),
                          fmt::format("at most {}", most_points), "Take a sample: {count: 1000}"});
    }
}

std::uint64_t draw_below(std::mt19937_64& generator, std::uint64_t bound) {
    // 2^64 mod bound outputs are too many for the rest to be a multiple of bound.
    const std::uint64_t surplus = (0 - bound) % bound;
    std::uint64_t raw = generator();
    while (raw < surplus) {
        raw = generator();
    }
    return raw % bound;
}

std::vector<std::uint64_t> sample_of(std::uint64_t population, std::uint64_t count,
                                     std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::set<std::uint64_t> chosen;
    const std::uint64_t first = count < population ? population - count : 0;
    for (std::uint64_t last = first; last < population; ++last) {
        const std::uint64_t number = draw_below(generator, last + 1);
        chosen.insert(chosen.count(number) == 0 ? number : last);
    }
    return {chosen.begin(), chosen.end()};
}

}  // namespace npunet::study
