// Algorithms of collectives in MSCCL's XML.
#include <algorithm>

#include "engine/collective_files/algorithm_check.h"
#include "engine/collective_files/read_algorithm.h"
#include "memory_folder.h"
#include "memory_watch.h"
#include "targets.h"
#include "tests/support/msccl_files.h"

namespace npunet::fuzz {

namespace {

/// A step is 100 bytes in XML, has a node and ten attributes in the document, and is kept in a list
/// that grows. Chunks of buffers and steps, 2^22 each at most, take 4 bytes whatever they are in
/// the file.
constexpr std::size_t msccl_bytes_for_each = 20;
constexpr std::size_t msccl_chunks = std::size_t{64} << 20;

}  // namespace

void run_msccl(std::string_view input) {
    const MemoryFolder folder;
    folder.write("made.xml", input);
    accepts_written([&] {
        const MemoryWatch watch(
            memory_limit(msccl_bytes_for_each * input.size(), reader_buffers + msccl_chunks));
        const auto algorithm =
            engine::read_algorithm(folder / "made.xml", engine::CollectiveKind::AllReduce);
        watch.check();
        for (const engine::AlgorithmGpu& gpu : algorithm->gpus) {
            const auto chunks = static_cast<std::uint32_t>(algorithm->chunks);
            expect(std::all_of(gpu.parts.begin(), gpu.parts.end(),
                               [&](std::uint32_t part) { return part < chunks; }),
                   "a chunk that is none");
        }
        engine::check_slots(*algorithm, 1);
    });
}

std::vector<std::string> msccl_seeds() {
    test::XmlAlgorithm stuck = test::ring_all_reduce(2, "LL");
    std::swap(stuck.gpus[1].blocks[0].steps[0], stuck.gpus[1].blocks[0].steps[2]);
    return {test::ring_all_reduce(3, "Simple", 2).text(), test::all_pairs_all_reduce(3).text(),
            test::hierarchical_all_reduce().text(), stuck.text(),
            "<!DOCTYPE a [<!ENTITY b \"c\">]><!-- d --><algo name=\"&b;\"><![CDATA[e]]></algo>"};
}

}  // namespace npunet::fuzz
