// The memory of a feeder does not grow with its trace: this program counts the bytes that are
// allocated and not freed, which is why it is one of its own.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "chakra/feeder/trace_feeder.h"
#include "chakra/files/trace_writer.h"
#include "test_files.h"

namespace {

std::atomic<std::size_t> live_bytes{0};
std::atomic<std::size_t> peak_bytes{0};

constexpr std::size_t header = alignof(std::max_align_t);

void* counted_allocation(std::size_t bytes) {
    auto* const block = static_cast<char*>(std::malloc(bytes + header));
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    *reinterpret_cast<std::size_t*>(block) = bytes;
    const std::size_t now = live_bytes += bytes;
    peak_bytes = std::max(peak_bytes.load(), now);
    return block + header;
}

void counted_release(void* memory) noexcept {
    if (memory != nullptr) {
        auto* const block = static_cast<char*>(memory) - header;
        live_bytes -= *reinterpret_cast<std::size_t*>(block);
        std::free(block);
    }
}

}  // namespace

// Those for arrays call these; those without exceptions do, too, but not with a sanitizer.
void* operator new(std::size_t bytes) {
    return counted_allocation(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    try {
        return counted_allocation(bytes);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void operator delete(void* memory) noexcept {
    counted_release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    counted_release(memory);
}

namespace npunet::chakra {
namespace {

class FeederMemory : public ::testing::Test {
protected:
    /// Writes nodes 0 to count - 1, each made by `make` and given its id.
    template <class Make>
    void write(std::uint64_t count, Make make) const {
        TraceWriter writer(folder_ / "t.0.et");
        for (std::uint64_t id = 0; id < count; ++id) {
            Node node = make(id);
            node.id = id;
            node.name = "node";
            node.type = NodeType::Compute;
            writer.write(node);
        }
        writer.commit();
    }

    /// The most bytes beyond those of before that live while the trace is executed, 10 nodes at a
    /// time. The nodes come in the order that `expected` says.
    template <class Expected>
    [[nodiscard]] std::size_t peak(std::uint64_t count, Expected expected) const {
        const std::size_t before = live_bytes;
        peak_bytes = before;
        FeederOptions options;
        options.window_nodes = 1000;
        options.temporary_folder = folder_.path();
        TraceFeeder feeder(folder_ / "t.0.et", options);
        std::uint64_t number = 0;
        std::vector<std::uint64_t> running;
        running.reserve(10);
        while (feeder.has_nodes_to_issue()) {
            while (running.size() < 10) {
                const NodeView* const node = feeder.next_issuable_node();
                if (node == nullptr) {
                    break;
                }
                EXPECT_EQ(node->id(), expected(number++));
                running.push_back(node->id());
            }
            feeder.free_children_nodes(running.front());
            feeder.remove_node(running.front());
            running.erase(running.begin());
        }
        EXPECT_EQ(number, count);
        return peak_bytes - before;
    }

    test::TemporaryFolder folder_;
};

constexpr std::uint64_t nodes = 300'000;
constexpr std::size_t few_megabytes = std::size_t{7} << 20U;  // 4 MiB of it are of the file

TEST_F(FeederMemory, TheCountingWorks) {
    const std::size_t before = live_bytes;
    const std::vector<char> block(1 << 20);
    EXPECT_GE(live_bytes - before, block.size());
    EXPECT_LT(live_bytes - before, 2 * block.size());
}

// Written last, issued first; then all others may begin at once.
TEST_F(FeederMemory, AllWaitForTheLastNode) {
    write(nodes, [](std::uint64_t id) {
        Node node;
        if (id != nodes - 1) {
            node.data_deps = {nodes - 1};
        }
        return node;
    });
    EXPECT_LT(
        peak(nodes, [](std::uint64_t number) { return number == 0 ? nodes - 1 : number - 1; }),
        few_megabytes);
}

// As before, but each waits for the node behind it as well: woken in pieces, waiting again.
TEST_F(FeederMemory, AllWaitForTheLastNodeAndForEachOther) {
    write(nodes, [](std::uint64_t id) {
        Node node;
        if (id != nodes - 1) {
            node.data_deps = {id + 1, nodes - 1};
        }
        return node;
    });
    EXPECT_LT(peak(nodes, [](std::uint64_t number) { return nodes - 1 - number; }), few_megabytes);
}

// The first node's children are all others, which may then begin.
TEST_F(FeederMemory, AllWaitForTheFirstNode) {
    write(nodes, [](std::uint64_t id) {
        Node node;
        if (id != 0) {
            node.data_deps = {0};
        }
        return node;
    });
    EXPECT_LT(peak(nodes, [](std::uint64_t number) { return number; }), few_megabytes);
}

TEST_F(FeederMemory, Chain) {
    write(nodes, [](std::uint64_t id) {
        Node node;
        if (id != 0) {
            node.data_deps = {id - 1};
        }
        return node;
    });
    EXPECT_LT(peak(nodes, [](std::uint64_t number) { return number; }), few_megabytes);
}

}  // namespace
}  // namespace npunet::chakra
