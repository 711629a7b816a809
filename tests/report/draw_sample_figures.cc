// Draws the sample figures into a folder, to look at: scripts/record figures FOLDER.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/report/sample_figures.h"

int main(int count, char** arguments) {
    if (count != 2) {
        std::cerr << "usage: draw_sample_figures FOLDER\n";
        return 2;
    }
    const std::filesystem::path folder = arguments[1];
    std::filesystem::create_directories(folder);
    for (const npunet::report::StepShape& shape : npunet::report::sample_shapes) {
        for (const auto& [name, figure] : npunet::report::sample_figures(shape)) {
            std::ofstream(folder / (name + ".png")) << figure.png;
            std::ofstream(folder / (name + ".svg")) << figure.svg;
        }
    }
    return 0;
}
