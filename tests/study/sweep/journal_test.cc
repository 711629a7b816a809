// The journal: what a kill can do to it, and what it must not lose.

#include "study/sweep/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/errors.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::study {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::uint64_t fingerprint = 0x1234;

class JournalTest : public ::testing::Test {
protected:
    [[nodiscard]] std::string content() const { return test::bytes_of(folder_ / "sweep.journal"); }
    void set_content(const std::string& text) const { around_.write("sweep/sweep.journal", text); }
    [[nodiscard]] std::string error_of(std::uint64_t other) const {
        return test::message_of<InputError>(
            [&] { const Journal journal(folder_, other, Journal::Existing::Continue); });
    }

    test::TemporaryFolder around_;
    fs::path folder_ = around_ / "sweep";
};

Outcome sample(std::int64_t seed) {
    Outcome outcome;
    outcome.first = {Time::ps(seed), Time::ps(seed + 1), Time::ps(seed + 2), Time::ps(seed + 3),
                     Bytes(seed + 4)};
    outcome.largest = {Time::ps(INT64_MAX), Time::ps(1), Time::ps(2), Time::ps(3), Bytes(4)};
    outcome.slowest = {7, Time::ps(1), Time::ps(2), Time::ps(3), Time::ps(4), Time::ps(5)};
    outcome.link_bound = Time::max();
    outcome.beats_link_bound = true;
    return outcome;
}

TEST(Outcomes, LinesReadBackExactly) {
    const std::string line = outcome_line(sample(5));
    EXPECT_EQ(outcome_line(read_outcome(line).value()), line);
    EXPECT_FALSE(read_outcome(line)->rates.has_value());
    Outcome step = sample(5);
    step.rates = {0.1, 1e-300, 2.0 / 3, 1e300, 7, 989.4, "bf16 of \"it\""};
    const engine::StepRates rates = read_outcome(outcome_line(step))->rates.value();
    EXPECT_EQ(rates.tokens_per_s, 0.1);
    EXPECT_EQ(rates.samples_per_s, 1e-300);
    EXPECT_EQ(rates.model_tflops_per_npu, 2.0 / 3);
    EXPECT_EQ(rates.mfu_percent, 1e300);
    EXPECT_EQ(rates.mfu_palm_percent, 7);
    EXPECT_EQ(rates.peak_tflops_per_npu, 989.4);
    EXPECT_EQ(rates.peak_source, step.rates->peak_source);
    const Outcome failure = failed("bad input", "a \"quote\",\na line and \xC3\xA9");
    const Outcome back = read_outcome(outcome_line(failure)).value();
    EXPECT_EQ(back.failure, failure.failure);
    EXPECT_EQ(back.message, failure.message);
    EXPECT_EQ(outcome_line(failure).find('\n'), std::string::npos);
    EXPECT_FALSE(read_outcome("[1, 2, 3]").has_value());
    EXPECT_FALSE(read_outcome("").has_value());
    // Beyond 64 bits, and a fraction.
    for (const char* const number : {"1e300", "1.5"}) {
        const std::string figures = std::string("[") + number + ",0,0,0,0]";
        EXPECT_FALSE(
            read_outcome("[" + figures + ",[0,0,0,0,0],[0,0,0,0,0,0],[0,0,null]]").has_value());
    }
    const std::string zeros = "[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0,0";
    EXPECT_TRUE(read_outcome(zeros + ",0,0,0,0,0,0],[0,0,null]]").has_value());
    // Entries from before link bounds, dimensions, or spare memory were recorded: such points run
    // again.
    EXPECT_FALSE(read_outcome(zeros + ",0,0,0,0,0,0]]").has_value());
    EXPECT_FALSE(read_outcome(zeros + "],[0,0,null]]").has_value());
    EXPECT_FALSE(read_outcome(zeros + ",0,0,0,0,0,0],[0,0]]").has_value());
}

// Cut at every byte, and with every byte damaged: a record is either read as it was written, or
// not at all, and the journal goes on from there.
TEST_F(JournalTest, TornAtEveryByte) {
    {
        Journal journal(folder_, fingerprint, Journal::Existing::Continue);
        journal.append(0, sample(10));
        journal.append(5, failed("stalled", "why"));
        journal.append(2, sample(30));
    }
    const std::string whole = content();
    const std::size_t records = whole.find('\n') + 1;
    for (std::size_t size = 0; size < whole.size(); ++size) {
        set_content(whole.substr(0, size));
        std::size_t known = 0;
        {
            Journal journal(folder_, fingerprint, Journal::Existing::Continue);
            known = journal.done().size();
            std::size_t lines = 0;
            for (std::size_t at = records; at < size; ++at) {
                lines += whole[at] == '\n' ? 1 : 0;
            }
            ASSERT_EQ(known, lines) << "cut at byte " << size;
            for (const auto& [number, outcome] : journal.done()) {
                ASSERT_NE(whole.find(journal_record(number, outcome)), std::string::npos);
            }
            journal.append(9, sample(90));
        }
        const Journal again(folder_, fingerprint, Journal::Existing::Continue);
        ASSERT_EQ(again.done().size(), known + 1) << "cut at byte " << size;
        ASSERT_EQ(again.done().count(9), 1U);
    }
}

TEST_F(JournalTest, DamagedAtEveryByte) {
    {
        Journal journal(folder_, fingerprint, Journal::Existing::Continue);
        journal.append(0, sample(10));
        journal.append(1, sample(20));
    }
    const std::string whole = content();
    for (std::size_t at = whole.find('\n') + 1; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = damaged[at] == 'x' ? 'y' : 'x';
        set_content(damaged);
        const Journal journal(folder_, fingerprint, Journal::Existing::Continue);
        ASSERT_LT(journal.done().size(), 2U) << "byte " << at;
        for (const auto& [number, outcome] : journal.done()) {
            ASSERT_NE(whole.find(journal_record(number, outcome)), std::string::npos);
        }
    }
}

TEST_F(JournalTest, OfAnotherSweepIsRefusedOrDiscarded) {
    {
        Journal journal(folder_, fingerprint, Journal::Existing::Continue);
        journal.append(0, sample(1));
    }
    EXPECT_THAT(error_of(fingerprint + 1),
                ::testing::AllOf(HasSubstr("another sweep"), HasSubstr("--output-dir"),
                                 HasSubstr("--restart")));
    EXPECT_EQ(error_of(fingerprint), "no error");
    {
        const Journal journal(folder_, fingerprint + 1, Journal::Existing::Discard);
        EXPECT_TRUE(journal.done().empty());
    }
    EXPECT_THAT(error_of(fingerprint), HasSubstr("another sweep"));
}

TEST_F(JournalTest, TwoAtOnceAreRefused) {
    auto first = std::make_unique<Journal>(folder_, fingerprint, Journal::Existing::Continue);
    EXPECT_THAT(error_of(fingerprint), HasSubstr("another sweep at work there"));
    first.reset();
    EXPECT_EQ(error_of(fingerprint), "no error");
}

// The lock of a process that was killed goes with it.
TEST_F(JournalTest, AKilledProcessLeavesNoLock) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        Journal journal(folder_, fingerprint, Journal::Existing::Continue);
        journal.append(3, sample(3));
        static_cast<void>(!::write(ready[1], "x", 1));
        ::pause();
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    EXPECT_THAT(error_of(fingerprint), HasSubstr("another sweep at work there"));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const Journal journal(folder_, fingerprint, Journal::Existing::Continue);
    EXPECT_EQ(journal.done().count(3), 1U);
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST_F(JournalTest, FolderThatCannotBeMade) {
    set_content("");
    EXPECT_THROW(Journal(folder_ / "sweep.journal" / "below", 1, Journal::Existing::Continue),
                 MachineError);
}

}  // namespace
}  // namespace npunet::study
