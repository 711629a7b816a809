// The talk between the processes of a sweep, with threads in place of processes: every task once,
// whatever their number; and processes that cannot work.

#include "study/sweep/process_workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "base/errors.h"
#include "study/sweep/design_space.h"

namespace npunet::study {
namespace {

/// Mailboxes in memory.
struct Post {
    explicit Post(std::size_t size) : boxes(size) {}
    std::mutex mutex;
    std::vector<std::deque<MessagePort::Message>> boxes;
};

class MemoryPort final : public MessagePort {
public:
    MemoryPort(Post& post, int rank) : post_(post), rank_(rank) {}
    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return static_cast<int>(post_.boxes.size()); }
    void send(int to, const std::string& text) override {
        const std::lock_guard<std::mutex> lock(post_.mutex);
        post_.boxes[static_cast<std::size_t>(to)].push_back({rank_, text});
    }
    [[nodiscard]] std::optional<Message> receive() override {
        const std::lock_guard<std::mutex> lock(post_.mutex);
        auto& box = post_.boxes[static_cast<std::size_t>(rank_)];
        if (box.empty()) {
            return std::nullopt;
        }
        Message message = box.front();
        box.pop_front();
        return message;
    }

private:
    Post& post_;
    int rank_;
};

const char* const spec = NPUNET_SOURCE_DIR "/examples/sweep/collectives.yml";

TEST(ProcessTeam, EveryTaskOnceWithAnyNumberOfProcesses) {
    const DesignSpace space = read_design_space(spec);
    for (const std::size_t processes : {2U, 3U, 5U}) {
        Post post(processes);
        std::vector<std::thread> others;
        for (std::size_t i = 1; i < processes; ++i) {
            others.emplace_back([&, i] {
                MemoryPort port(post, static_cast<int>(i));
                PointRunner runner(space, i);
                serve(port, space.fingerprint, runner, i);
            });
        }
        std::vector<Task> tasks;
        for (std::size_t number = 0; number < space.points.size(); ++number) {
            tasks.push_back({number, number});
        }
        std::set<std::size_t> done;
        {
            MemoryPort port(post, 0);
            ProcessWorkers team(port, space.fingerprint);
            team.run(
                tasks,
                [&](const Finished& finished) {
                    EXPECT_TRUE(finished.outcome.ok()) << finished.outcome.message;
                    EXPECT_TRUE(done.insert(finished.number).second) << "twice";
                },
                [] { return false; });
        }
        for (std::thread& other : others) {
            other.join();
        }
        EXPECT_EQ(done.size(), space.points.size());
    }
}

TEST(ProcessTeam, AnotherSpecOrAProcessThatCannotWorkIsNamed) {
    const DesignSpace space = read_design_space(spec);
    for (const bool unable : {false, true}) {
        Post post(2);
        std::thread other([&] {
            MemoryPort port(post, 1);
            PointRunner runner(space, 1);
            if (unable) {
                report_unable(port, "no such file", false);
            } else {
                serve(port, space.fingerprint + 1, runner, 1);
            }
        });
        MemoryPort port(post, 0);
        try {
            const ProcessWorkers team(port, space.fingerprint);
            ADD_FAILURE() << "accepted";
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("process 1"),
                                                       ::testing::HasSubstr(unable ? "no such file"
                                                                                   : "another")));
        }
        other.join();
    }
}

}  // namespace
}  // namespace npunet::study
