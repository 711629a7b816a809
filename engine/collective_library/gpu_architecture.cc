#include "engine/collective_library/gpu_architecture.h"

#include <algorithm>

namespace npunet::engine {

namespace {

const std::vector<GpuArchitecture>& architectures() {
    static const std::vector<GpuArchitecture> list{
        {"ampere",
         240,
         12,
         20,
         24,
         0,
         0,
         32,
         0,
         {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3},
         {48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2},
         {87.7, 22.5, 19},
         {20, 20, 20},
         {20, 20, 20},
         {24, 23.6, 17.8},
         {24, 23.6, 17.8}},
        {"hopper",
         370.8,
         12,
         30,
         24,
         16,
         16,
         32,
         0.85,
         {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3},
         {48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2},
         {141, 45, 35},
         {36.7, 36.7, 36.7},
         {36.7, 36.7, 29},
         {38.7, 41.4, 36},
         {0, 57.7, 45.5}},
        {"blackwell",
         721.8,
         16,
         45,
         32,
         24,
         32,
         32,
         0.74,
         {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18},
         {96, 86, 80, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2},
         {282, 90, 70},
         {40, 40, 40},
         {55.6, 31.67, 20},
         {70, 42.8, 24},
         {0, 96, 80}},
    };
    return list;
}

}  // namespace

const GpuArchitecture* GpuArchitecture::named(std::string_view name) {
    const auto found = std::find_if(architectures().begin(), architectures().end(),
                                    [&](const GpuArchitecture& one) { return name == one.name; });
    return found == architectures().end() ? nullptr : &*found;
}

GpuArchitecture GpuArchitecture::as_of(const LibraryVersion& version) const {
    GpuArchitecture old = *this;
    const std::string_view of(name);
    if (of == "hopper" && version < LibraryVersion{2, 21, 5}) {
        old.ll_most[0] = 87.7;
    }
    if (of == "blackwell") {
        if (version < LibraryVersion{2, 29, 2}) {
            old.ring_ll128_most[0] = 73.4;
        } else if (version < LibraryVersion{2, 29, 7}) {
            old.ring_ll128_most[0] = 34.5;
        }
        if (version < LibraryVersion{2, 28, 9}) {
            old.nvls_tree_most[2] = 43.1;
        } else if (version < LibraryVersion{2, 30, 0}) {
            old.nvls_tree_most[2] = 43.8;
        }
    }
    return old;
}

double GpuArchitecture::nvls_rate(std::int32_t gpus) const {
    if (nvls_channels == 0 || gpus < 2) {
        return 0;
    }
    const auto fits = std::find_if(node_rates.begin(), node_rates.end(),
                                   [&](double rate) { return (gpus + 1) * rate <= link_total; });
    return fits == node_rates.end() ? 0 : *fits;
}

}  // namespace npunet::engine
