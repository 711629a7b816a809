#include "report/figures/shade.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace npunet::report {

Colour shade(double part) {
    static constexpr std::array<Colour, 5> stops{{{0.99, 0.90, 0.62},
                                                  {0.99, 0.65, 0.36},
                                                  {0.86, 0.33, 0.36},
                                                  {0.52, 0.15, 0.47},
                                                  {0.16, 0.06, 0.28}}};
    const double at = std::clamp(part, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    const double rest = at - static_cast<double>(below);
    const Colour& a = stops[below];
    const Colour& b = stops[below + 1];
    return {a.red + rest * (b.red - a.red), a.green + rest * (b.green - a.green),
            a.blue + rest * (b.blue - a.blue)};
}

}  // namespace npunet::report
