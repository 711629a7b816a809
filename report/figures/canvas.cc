#include "report/figures/canvas.h"

#include <iterator>
#include <sstream>

#include "base/errors.h"
#include "base/program_module.h"

namespace npunet::report {

Colour palette(std::size_t index) {
    static constexpr Colour colours[] = {
        {0.000, 0.447, 0.698}, {0.835, 0.369, 0.000}, {0.000, 0.620, 0.451}, {0.800, 0.475, 0.655},
        {0.902, 0.624, 0.000}, {0.337, 0.706, 0.914}, {0.250, 0.250, 0.250}, {0.620, 0.620, 0.620}};
    return colours[index % std::size(colours)];
}

std::string Canvas::fitting(const std::string& text, double most, const Font& font) {
    if (width_of(text, font) <= most) {
        return text;
    }
    std::string cut = text;
    while (!cut.empty() && width_of(cut + "...", font) > most) {
        // Whole characters of UTF-8: the bytes that continue one go with it.
        while (cut.size() > 1 && (static_cast<unsigned char>(cut.back()) & 0xC0U) == 0x80U) {
            cut.pop_back();
        }
        cut.pop_back();
    }
    return cut + "...";
}

std::vector<std::string> Canvas::wrapped(const std::string& text, double most, const Font& font) {
    std::vector<std::string> lines;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (!lines.empty() && width_of(lines.back() + " " + word, font) <= most) {
            lines.back() += " " + word;
        } else {
            lines.push_back(word);
        }
    }
    return lines;
}

Figure draw_figure(double width, double height, const std::function<void(Canvas&)>& draw,
                   double pixels) {
    static const auto draw_with_cairo = reinterpret_cast<DrawWithCairo>(
        function_of_module("npunet_cairo", "npunet_draw_with_cairo", ModuleScope::Local));
    Figure figure;
    const char* const problem = draw_with_cairo(width, height, pixels, draw, figure);
    if (problem != nullptr) {
        throw MachineError(std::string("cannot draw a figure: ") + problem);
    }
    return figure;
}

}  // namespace npunet::report
