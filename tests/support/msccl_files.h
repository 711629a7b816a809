// MSCCL algorithms for tests, made by a few lines: of the kinds that RCCL's files have, and others.
//
//     TemporaryFolder folder;
//     folder.write("ring.xml", ring_all_reduce(8).text());
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace npunet::test {

struct XmlStep {
    std::string type;
    char source = 'i';
    std::int32_t source_offset = 0;
    char destination = 'i';
    std::int32_t destination_offset = 0;
    std::int32_t count = 1;
    std::int32_t wait_block = -1;
    std::int32_t wait_step = -1;
    bool publishes = false;
};

struct XmlBlock {
    std::int32_t send = -1;
    std::int32_t receive = -1;
    std::int32_t channel = 0;
    std::vector<XmlStep> steps;
};

struct XmlGpu {
    std::int32_t input = 0;
    std::int32_t output = 0;
    std::int32_t scratch = 0;
    std::vector<XmlBlock> blocks;
};

struct XmlAlgorithm {
    std::string name = "made";
    std::string protocol = "LL128";
    std::string collective = "allreduce";
    std::int32_t chunks = 1;
    bool in_place = true;
    std::string more;  ///< attributes of the root
    std::vector<XmlGpu> gpus;

    [[nodiscard]] std::string text() const {
        const auto attribute = [](const char* key, const auto& value) {
            if constexpr (std::is_convertible_v<decltype(value), std::string>) {
                return std::string(" ") + key + "=\"" + std::string(value) + "\"";
            } else {
                return std::string(" ") + key + "=\"" + std::to_string(value) + "\"";
            }
        };
        std::string xml = "<algo" + attribute("name", name) + attribute("proto", protocol) +
                          attribute("nchannels", 1) + attribute("nchunksperloop", chunks) +
                          attribute("ngpus", static_cast<int>(gpus.size())) +
                          attribute("coll", collective) + attribute("inplace", in_place ? 1 : 0) +
                          more + ">\n";
        for (std::size_t id = 0; id < gpus.size(); ++id) {
            const XmlGpu& gpu = gpus[id];
            xml += "<gpu" + attribute("id", static_cast<int>(id)) +
                   attribute("i_chunks", gpu.input) + attribute("o_chunks", gpu.output) +
                   attribute("s_chunks", gpu.scratch) + ">\n";
            for (std::size_t tb = 0; tb < gpu.blocks.size(); ++tb) {
                const XmlBlock& block = gpu.blocks[tb];
                xml += "<tb" + attribute("id", static_cast<int>(tb)) +
                       attribute("send", block.send) + attribute("recv", block.receive) +
                       attribute("chan", block.channel) + ">\n";
                for (std::size_t s = 0; s < block.steps.size(); ++s) {
                    const XmlStep& step = block.steps[s];
                    xml += "<step" + attribute("s", static_cast<int>(s)) +
                           attribute("type", step.type) +
                           attribute("srcbuf", std::string(1, step.source)) +
                           attribute("srcoff", step.source_offset) +
                           attribute("dstbuf", std::string(1, step.destination)) +
                           attribute("dstoff", step.destination_offset) +
                           attribute("cnt", step.count) + attribute("depid", step.wait_block) +
                           attribute("deps", step.wait_step) +
                           attribute("hasdep", step.publishes ? 1 : 0) + "/>\n";
                }
                xml += "</tb>\n";
            }
            xml += "</gpu>\n";
        }
        return xml + "</algo>\n";
    }
};

/// x mod n, 0 .. n - 1.
inline std::int32_t around(std::int32_t x, std::int32_t n) {
    return (x % n + n) % n;
}

/// n GPUs in a ring, on each of `channels` channels n chunks: s, rrs ..., rrcs, rcs ..., r. GPU g
/// begins with chunk g - 1, as the built-in ring's member does.
inline XmlAlgorithm ring_all_reduce(std::int32_t n, const std::string& protocol = "LL128",
                                    std::int32_t channels = 1) {
    XmlAlgorithm ring;
    ring.name = "ring_all_reduce";
    ring.protocol = protocol;
    ring.chunks = n * channels;
    for (std::int32_t g = 0; g < n; ++g) {
        XmlGpu gpu{ring.chunks, 0, 0, {}};
        for (std::int32_t channel = 0; channel < channels; ++channel) {
            XmlBlock block{around(g + 1, n), around(g - 1, n), channel, {}};
            for (std::int32_t e = 0; e < 2 * n - 1; ++e) {
                const std::int32_t chunk = channel * n + around(g - 1 - e, n);
                const char* const type = e == 0          ? "s"
                                         : e < n - 1     ? "rrs"
                                         : e == n - 1    ? "rrcs"
                                         : e < 2 * n - 2 ? "rcs"
                                                         : "r";
                block.steps.push_back({type, 'i', chunk, 'i', chunk});
            }
            gpu.blocks.push_back(block);
        }
        ring.gpus.push_back(gpu);
    }
    return ring;
}

/// The same from sends, receives and reductions that are steps of their own, as msccl-tools write
/// without fusion: s, rrc, s, ..., r, s, r.
inline XmlAlgorithm unfused_ring(std::int32_t n) {
    XmlAlgorithm ring = ring_all_reduce(n);
    ring.name = "unfused_ring";
    for (std::int32_t g = 0; g < n; ++g) {
        std::vector<XmlStep>& steps = ring.gpus[static_cast<std::size_t>(g)].blocks[0].steps;
        steps.clear();
        for (std::int32_t e = 0; e < 2 * n - 1; ++e) {
            const std::int32_t chunk = around(g - 1 - e, n);
            if (e > 0) {
                steps.push_back({e < n ? "rrc" : "r", 'i', chunk, 'i', chunk});
            }
            if (e < 2 * n - 2) {
                steps.push_back({"s", 'i', chunk, 'i', chunk});
            }
        }
    }
    return ring;
}

/// Each GPU's shard goes round: s, rcs ..., r.
inline XmlAlgorithm ring_all_gather(std::int32_t n, const std::string& protocol = "LL128") {
    XmlAlgorithm ring;
    ring.name = "ring_all_gather";
    ring.protocol = protocol;
    ring.collective = "allgather";
    ring.chunks = n;
    for (std::int32_t g = 0; g < n; ++g) {
        XmlBlock block{around(g + 1, n), around(g - 1, n), 0, {}};
        block.steps.push_back({"s", 'o', g, 'o', g});
        for (std::int32_t e = 1; e < n; ++e) {
            const std::int32_t chunk = around(g - e, n);
            block.steps.push_back({e < n - 1 ? "rcs" : "r", 'o', chunk, 'o', chunk});
        }
        ring.gpus.push_back({1, n, 0, {block}});
    }
    return ring;
}

/// The same out of place, with two chunks a shard: the shard is copied and sent from the input.
inline XmlAlgorithm gather_from_input(std::int32_t n) {
    XmlAlgorithm ring;
    ring.name = "gather_from_input";
    ring.collective = "allgather";
    ring.in_place = false;
    ring.chunks = 2 * n;
    for (std::int32_t g = 0; g < n; ++g) {
        XmlBlock copy{-1, -1, 0, {{"cpy", 'i', 0, 'o', 2 * g, 2}}};
        XmlBlock block{around(g + 1, n), around(g - 1, n), 0, {}};
        block.steps.push_back({"s", 'i', 0, 'o', 2 * g, 2});
        for (std::int32_t e = 1; e < n; ++e) {
            const std::int32_t chunk = 2 * around(g - e, n);
            block.steps.push_back({e < n - 1 ? "rcs" : "r", 'o', chunk, 'o', chunk, 2});
        }
        ring.gpus.push_back({2, 2 * n, 0, {copy, block}});
    }
    return ring;
}

/// s, rrs ..., rrc: chunk g ends at GPU g.
inline XmlAlgorithm ring_reduce_scatter(std::int32_t n) {
    XmlAlgorithm ring;
    ring.name = "ring_reduce_scatter";
    ring.collective = "reducescatter";
    ring.chunks = n;
    for (std::int32_t g = 0; g < n; ++g) {
        XmlBlock block{around(g + 1, n), around(g - 1, n), 0, {}};
        for (std::int32_t e = 0; e < n; ++e) {
            const std::int32_t chunk = around(g - 1 - e, n);
            const bool last = e == n - 1;
            const char* const type = e == 0 ? "s" : last ? "rrc" : "rrs";
            block.steps.push_back({type, 'i', chunk, last ? 'o' : 'i', last ? 0 : chunk});
        }
        ring.gpus.push_back({n, 1, 0, {block}});
    }
    return ring;
}

/// Own block copied, each other one sent and received by thread blocks of their own; each in so
/// many chunks, on a channel each.
inline XmlAlgorithm all_to_all(std::int32_t n, const std::string& protocol = "Simple",
                               std::int32_t parts = 1) {
    XmlAlgorithm algorithm;
    algorithm.name = "all_to_all";
    algorithm.protocol = protocol;
    algorithm.collective = "alltoall";
    algorithm.in_place = false;
    algorithm.chunks = n * parts;
    for (std::int32_t g = 0; g < n; ++g) {
        XmlGpu gpu{n * parts, n * parts, 0, {}};
        for (std::int32_t part = 0; part < parts; ++part) {
            const auto chunk = [&](std::int32_t block) { return block * parts + part; };
            gpu.blocks.push_back({-1, -1, part, {{"cpy", 'i', chunk(g), 'o', chunk(g)}}});
            for (std::int32_t d = 1; d < n; ++d) {
                const std::int32_t to = around(g + d, n);
                const std::int32_t from = around(g - d, n);
                gpu.blocks.push_back({to, -1, part, {{"s", 'i', chunk(to), 'o', chunk(g)}}});
                gpu.blocks.push_back({-1, from, part, {{"r", 'i', chunk(g), 'o', chunk(from)}}});
            }
        }
        algorithm.gpus.push_back(gpu);
    }
    return algorithm;
}

/// Everyone sends chunk p of its input to GPU p, which adds what has come (nop chains wait for all
/// of it), and sends the sum to all.
inline XmlAlgorithm all_pairs_all_reduce(std::int32_t n, const std::string& protocol = "Simple") {
    XmlAlgorithm algorithm;
    algorithm.name = "all_pairs";
    algorithm.protocol = protocol;
    algorithm.chunks = n;
    for (std::int32_t g = 0; g < n; ++g) {
        XmlGpu gpu{n, 0, n, {}};
        XmlBlock sum{-1, -1, 0, {}};
        for (std::int32_t d = 1; d < n - 1; ++d) {
            sum.steps.push_back({"nop", 'i', -1, 'o', -1, 0, d, 1});
        }
        for (std::int32_t d = 1; d < n; ++d) {
            XmlStep add{"re", 's', around(g + d, n), 'i', g};
            if (d == 1) {
                add.wait_block = n - 1;
                add.wait_step = 1;
            }
            add.publishes = d == n - 1;
            sum.steps.push_back(add);
        }
        const auto last = static_cast<std::int32_t>(sum.steps.size()) - 1;
        gpu.blocks.push_back(sum);
        for (std::int32_t d = 1; d < n; ++d) {
            const std::int32_t peer = around(g + d, n);
            XmlBlock block{peer, peer, 0, {}};
            block.steps.push_back({"s", 'i', peer, 's', g});
            block.steps.push_back({"r", 'i', g, 's', peer, 1, -1, -1, true});
            block.steps.push_back({"s", 'i', g, 'i', g, 1, 0, last});
            block.steps.push_back({"r", 'i', peer, 'i', peer});
            gpu.blocks.push_back(block);
        }
        algorithm.gpus.push_back(gpu);
    }
    return algorithm;
}

/// Two servers of two GPUs, 0 and 1, 2 and 3: reduce-scatter within, all-reduce across, all-gather
/// within. Chunk g % 2 is that of GPU g.
inline XmlAlgorithm hierarchical_all_reduce() {
    XmlAlgorithm algorithm;
    algorithm.name = "hierarchical";
    algorithm.chunks = 2;
    for (std::int32_t g = 0; g < 4; ++g) {
        const std::int32_t mate = g ^ 1;
        const std::int32_t across = around(g + 2, 4);
        const std::int32_t own = g % 2;
        XmlGpu gpu{2, 0, 1, {}};
        XmlBlock within{mate, mate, 0, {}};
        within.steps.push_back({"s", 'i', 1 - own, 'i', 1 - own});
        within.steps.push_back({"rrc", 'i', own, 'i', own, 1, -1, -1, true});
        within.steps.push_back({"s", 'i', own, 'i', own, 1, 1, 2});
        within.steps.push_back({"r", 'i', 1 - own, 'i', 1 - own});
        XmlBlock outside{across, across, 0, {}};
        outside.steps.push_back({"s", 'i', own, 's', 0, 1, 0, 1});
        outside.steps.push_back({"r", 'i', own, 's', 0});
        outside.steps.push_back({"re", 's', 0, 'i', own, 1, -1, -1, true});
        gpu.blocks = {within, outside};
        algorithm.gpus.push_back(gpu);
    }
    return algorithm;
}

/// A chain from GPU 0: s; rcs ...; r, in `chunks` chunks.
inline XmlAlgorithm chain_broadcast(std::int32_t n, std::int32_t chunks,
                                    const std::string& protocol = "LL128") {
    XmlAlgorithm chain;
    chain.name = "chain";
    chain.protocol = protocol;
    chain.collective = "broadcast";
    chain.chunks = chunks;
    for (std::int32_t g = 0; g < n; ++g) {
        XmlBlock block{g < n - 1 ? g + 1 : -1, g - 1, 0, {}};
        for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
            const char* const type = g == 0 ? "s" : g < n - 1 ? "rcs" : "r";
            block.steps.push_back({type, 'i', chunk, 'i', chunk});
        }
        chain.gpus.push_back({chunks, 0, 0, {block}});
    }
    return chain;
}

}  // namespace npunet::test
