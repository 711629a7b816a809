#include "study/sweep/process_workers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <sstream>
#include <thread>

#include "base/errors.h"

namespace npunet::study {

namespace {

constexpr std::chrono::milliseconds moment{1};
constexpr std::size_t points_in_hand = 16;

std::string rest_after(const std::string& text, const std::string& word) {
    return text.substr(std::min(text.size(), word.size() + 1));
}

bool begins(const std::string& text, const std::string& word) {
    return text.rfind(word, 0) == 0;
}

/// A process that cannot go on; both kinds end the sweep.
[[noreturn]] void fail_with(const MessagePort::Message& message) {
    if (begins(message.text, "failed")) {
        throw MachineError(
            fmt::format("process {}: {}", message.from, rest_after(message.text, "failed")));
    }
    throw InputError({fmt::format("process {}: {}", message.from, rest_after(message.text, "bad")),
                      "", "", "", "Every process must see the same files under the same names"});
}

void wait_for_end(MessagePort& port) {
    while (true) {
        const auto message = port.receive();
        if (message && message->text == "end") {
            return;
        }
        if (!message) {
            std::this_thread::sleep_for(moment);
        }
    }
}

}  // namespace

void dismiss(MessagePort& port) {
    for (int other = 1; other < port.size(); ++other) {
        port.send(other, "end");
    }
    // Texts that are not taken would keep their senders from ending.
    for (int quiet = 0; quiet < 10; ++quiet) {
        while (port.receive()) {
            quiet = 0;
        }
        std::this_thread::sleep_for(moment);
    }
}

ProcessWorkers::ProcessWorkers(MessagePort& port, std::uint64_t fingerprint)
    : port_(port), slots_(static_cast<std::size_t>(port.size()), 0) {
    try {
        for (int waiting = port.size() - 1; waiting > 0;) {
            if (const auto message = port.receive()) {
                greet(*message, fingerprint);
                --waiting;
            } else {
                std::this_thread::sleep_for(moment);
            }
        }
    } catch (...) {
        dismiss(port);
        throw;
    }
}

ProcessWorkers::~ProcessWorkers() {
    dismiss(port_);
}

void ProcessWorkers::greet(const MessagePort::Message& message, std::uint64_t fingerprint) {
    if (!begins(message.text, "hello")) {
        fail_with(message);
    }
    std::istringstream words(message.text);
    std::string hello;
    std::uint64_t theirs = 0;
    words >> hello >> slots_[static_cast<std::size_t>(message.from)] >> theirs;
    if (theirs != fingerprint) {
        fail_with({message.from, "bad found another spec or other input files than process 0"});
    }
}

bool ProcessWorkers::finished_of(const MessagePort::Message& message, Finished& finished) {
    const std::string content = rest_after(message.text, "done");
    const char* const end = content.data() + content.size();
    const auto [after, error] = std::from_chars(content.data(), end, finished.number);
    if (error != std::errc{} || after == end) {
        return false;
    }
    const auto outcome = read_outcome({after + 1, static_cast<std::size_t>(end - after - 1)});
    if (outcome) {
        finished.outcome = *outcome;
    }
    return outcome.has_value();
}

void ProcessWorkers::run(const std::vector<Task>& tasks,
                         const std::function<void(const Finished&)>& done,
                         const std::function<bool()>& stop) {
    std::size_t next = 0;
    std::size_t in_flight = 0;
    bool stopped = false;
    while ((next < tasks.size() && !stopped) || in_flight > 0) {
        stopped = stopped || stop();
        while (next < tasks.size() && !stopped) {
            // While there is plenty, each process has one point waiting, so that none is idle until
            // the next one comes; towards the end every point goes to a free thread.
            const bool plenty = tasks.size() - next > points_in_hand * slots_.size();
            const auto freest = std::max_element(slots_.begin() + 1, slots_.end());
            if (*freest <= (plenty ? -1 : 0)) {
                break;
            }
            port_.send(static_cast<int>(freest - slots_.begin()),
                       fmt::format("run {} {}", tasks[next].number, tasks[next].base));
            --*freest;
            ++next;
            ++in_flight;
        }
        const auto message = port_.receive();
        if (!message) {
            std::this_thread::sleep_for(moment);
            continue;
        }
        Finished finished;
        if (!begins(message->text, "done") || !finished_of(*message, finished)) {
            fail_with(*message);
        }
        --in_flight;
        ++slots_[static_cast<std::size_t>(message->from)];
        done(finished);
    }
}

void report_unable(MessagePort& port, const std::string& message, bool machine_failed) {
    port.send(0, (machine_failed ? "failed " : "bad ") + message);
    wait_for_end(port);
}

void serve(MessagePort& port, std::uint64_t fingerprint, PointRunner& runner, std::size_t threads) {
    port.send(0, fmt::format("hello {} {}", threads, fingerprint));
    try {
        PointQueue queue(runner, threads);
        while (true) {
            while (const auto message = port.receive()) {
                if (message->text == "end") {
                    return;
                }
                std::istringstream words(message->text);
                std::string run;
                Task task;
                words >> run >> task.number >> task.base;
                queue.submit(task);
            }
            for (const Finished& finished : queue.wait(moment)) {
                port.send(
                    0, fmt::format("done {} {}", finished.number, outcome_line(finished.outcome)));
            }
        }
    } catch (const MachineError& error) {
        report_unable(port, error.what(), true);
    }
}

}  // namespace npunet::study
