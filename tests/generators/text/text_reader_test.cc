// Reading text workloads: what is accepted, and one clear message for everything that is not.

#include <gmock/gmock.h>

#include <random>

#include "generators/workload_files.h"
#include "tests/generators/text/texts.h"

namespace npunet::generators {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(TextTest, ReadsAllColumns) {
    const TextWorkload workload = read(
        "HYBRID_DLRM\t1 \t\n 3 \n"
        "a\t-1\t1\tALLTOALL\t2\t3\tALLREDUCE\t4\t5\tNONE\t6\t7\t\t\n"
        "b 0 8 ALLGATHER 72057594037927936 9223372036854775 REDUCESCATTER 0 0 ALLREDUCE 1 2\n"
        "c 5 0 NONE 0 0 ALLREDUCEALLTOALL 0 0 NONE 0 0");
    EXPECT_EQ(workload.parallelism, TextParallelism::HybridDlrm);
    EXPECT_EQ(workload.last_bottom_layer, 1);
    ASSERT_EQ(workload.layers.size(), 3U);
    const TextLayer& a = workload.layers[0];
    EXPECT_EQ(a.name, "a");
    EXPECT_EQ(a.forward.time, 1);
    EXPECT_EQ(a.forward.collective, TextCollective::AllToAll);
    EXPECT_EQ(a.forward.bytes, 2);
    EXPECT_EQ(a.input_gradient.time, 3);
    EXPECT_EQ(a.input_gradient.collective, TextCollective::AllReduce);
    EXPECT_EQ(a.input_gradient.bytes, 4);
    EXPECT_EQ(a.weight_gradient.time, 5);
    EXPECT_EQ(a.weight_gradient.collective, TextCollective::None);
    EXPECT_EQ(a.weight_gradient.bytes, 6);
    EXPECT_EQ(a.update_time, 7);
    EXPECT_EQ(workload.layers[1].forward.bytes, std::int64_t{1} << 56);
    EXPECT_EQ(workload.layers[1].input_gradient.time, TextPhase::largest_time);
    EXPECT_EQ(workload.layers[2].input_gradient.collective, TextCollective::AllReduceAllToAll);
}

// Traces hold the text with the line ends of Unix, whichever it had.
TEST_F(TextTest, LineEndsBecomeThoseOfUnix) {
    const std::string unix_text = text_of("DATA", 2);
    for (const std::string end : {"\r\n", "\r"}) {
        std::string text;
        for (const char c : unix_text) {
            text += c == '\n' ? end : std::string(1, c);
        }
        EXPECT_EQ(read(text).text, unix_text);
    }
    const GeneratedWorkload workload = converted(unix_text, 1, 1);
    const chakra::TraceMetadata& metadata = workload.style().metadata;
    EXPECT_EQ(metadata.version, "");
    ASSERT_EQ(metadata.attributes.size(), 2U);
    EXPECT_EQ(std::get<std::string>(metadata.attributes[1].value), unix_text);
}

TEST_F(TextTest, NamesMayBeUtf8) {
    const std::string name = "couche_\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
    EXPECT_EQ(read("MICRO\n1\n" + name + " -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 8 5\n").layers[0].name,
              name);
}

struct Refused {
    std::string text;
    std::string place;     ///< what it begins with
    std::string found;     ///< a part of it
    std::string expected;  ///< a part of it
};

/// A DATA workload whose only layer has this in a column, counted from 1.
std::string with_column(std::size_t column, const std::string& word) {
    std::vector<std::string> words{"conv", "-1", "5", "NONE",      "0", "5",
                                   "NONE", "0",  "5", "ALLREDUCE", "8", "5"};
    words[column - 1] = word;
    std::string text = "DATA\n1\n";
    for (const std::string& each : words) {
        text += each + " ";
    }
    return text + "\n";
}

TEST_F(TextTest, RefusesOneThingAtATime) {
    const std::string layer = "conv -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 8 5\n";
    const std::string embed = "e -1 5 ALLTOALL 8 5 ALLTOALL 8 5 NONE 0 5\n";
    const std::vector<Refused> cases{
        {"", "line 1", "nothing", "DATA"},
        {"\n1\n" + layer, "line 1", "nothing", "DATA"},
        {"DATAA\n1\n" + layer, "line 1", "'DATAA'", "MODEL"},
        {"data\n1\n" + layer, "line 1", "'data'", "MODEL"},
        {"HYBRID_CUSTOMIZED\n1\n" + layer, "line 1", "not supported", "HYBRID_TRANSFORMER"},
        {"DISTRIBUTED_INFERENCE\n1\n" + layer, "line 1", "not supported", "HYBRID_TRANSFORMER"},
        {"DATA 4\n1\n" + layer, "line 1, after DATA", "'4'", "no arguments"},
        {"HYBRID_DLRM\n1\n" + embed, "line 1, after HYBRID_DLRM", "nothing", "last bottom layer"},
        {"HYBRID_DLRM 1 2\n1\n" + embed, "line 1", "'1 2'", "last bottom layer"},
        {"HYBRID_DLRM x\n1\n" + embed, "line 1", "'x'", "whole number"},
        {"HYBRID_DLRM -1\n1\n" + embed, "line 1", "'-1'", "whole number"},
        {"HYBRID_DLRM 0\n3\n" + embed + layer + layer, "line 1", "0 of 3", "1 to 1"},
        {"HYBRID_DLRM_ENHANCED 2\n3\n" + embed + layer + layer, "line 1", "2 of 3", "1 to 1"},
        {"HYBRID_DLRM 1\n2\n" + embed + layer, "line 1", "1 of 2", "three layers"},
        {"HYBRID_DLRM 1\n3\n" + layer + layer + layer, "line 3, column 4", "NONE", "ALLTOALL"},
        {"HYBRID_TRANSFORMER\n1\n" + layer, "line 1", "nothing", "model_parallel_NPU_group:"},
        {"HYBRID_TRANSFORMER group: 4\n1\n" + layer, "line 1", "'group: 4'", "parallel_NPU_group:"},
        {"HYBRID_TRANSFORMER model_parallel_NPU_group: 0\n1\n" + layer, "line 1", "'0'", "from 1"},
        {"DATA", "line 2", "nothing", "number of layers"},
        {"DATA\n\n" + layer, "line 2", "nothing", "number of layers"},
        {"DATA\n1 1\n" + layer, "line 2", "'1 1'", "number of layers"},
        {"DATA\none\n" + layer, "line 2", "'one'", "whole number"},
        {"DATA\n0\n", "line 2", "'0'", "from 1"},
        {"DATA\n-1\n" + layer, "line 2", "'-1'", "from 1"},
        {"DATA\n1.0\n" + layer, "line 2", "'1.0'", "whole number"},
        {"DATA\n99999999999999999999\n" + layer, "line 2", "'99999999999999999999'", "whole"},
        {"DATA\n2000000000\n" + layer, "line 2", "2000000000 layers", "1, as many"},
        {"DATA\n1\n", "line 2", "1 layers", "0, as many"},
        {"DATA\n1\n" + layer + layer, "line 2", "1 layers", "2, as many"},
        {"DATA\n2\n" + layer + "\n" + layer, "line 4", "a blank line", "a layer"},
        {"DATA\n1\n" + layer + " \t\n", "line 4", "a blank line", "a layer"},
        {"DATA\n1\nconv -1 5\n", "line 3", "3 columns", "12"},
        {"DATA\n1\nconv -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 8 5 DATA\n", "line 3", "13 columns", "12"},
        {with_column(2, "x"), "line 3, column 2", "'x'", "whole number"},
        {with_column(3, "-5"), "line 3, column 3, forward time", "'-5'", "from 0"},
        {with_column(3, "5e3"), "line 3, column 3", "'5e3'", "whole number"},
        {with_column(3, "+5"), "line 3, column 3", "'+5'", "whole number"},
        {with_column(6, "9223372036854776"), "line 3, column 6", "'9223372036854776'",
         "9223372036854775"},
        {with_column(4, "ALLREDUC"), "line 3, column 4, forward collective", "'ALLREDUC'",
         "REDUCESCATTER"},
        {with_column(7, "0"), "line 3, column 7, input gradient collective", "'0'", "NONE"},
        {with_column(10, "none"), "line 3, column 10", "'none'", "NONE"},
        {with_column(8, "72057594037927937"), "line 3, column 8", "'72057594037927937'",
         "72057594037927936"},
        {with_column(11, "99999999999999999999"), "line 3, column 11, weight gradient bytes",
         "'99999999999999999999'", "whole number"},
        {with_column(12, "late"), "line 3, column 12, update time", "'late'", "whole number"},
        {with_column(1, std::string("a\0b", 3)), "line 3, byte 2", "0x00", "UTF-8"},
        {with_column(1, "a\x1B"), "line 3, byte 2", "0x1b", "UTF-8"},
        {with_column(1, "\xFF"), "line 3, byte 1", "0xff", "UTF-8"},
        {with_column(1, "\xC0\xAF"), "line 3, byte 1", "0xc0", "UTF-8"},
        {with_column(1, "\xED\xA0\x80"), "line 3, byte 1", "0xed", "UTF-8"},
        {with_column(1, "\xE2\x82"), "line 3, byte 1", "0xe2", "UTF-8"},
    };
    for (const Refused& each : cases) {
        const InputProblem problem = test::problem_of([&] { static_cast<void>(read(each.text)); });
        SCOPED_TRACE(each.text);
        EXPECT_EQ(problem.file, (folder_ / "workload.txt").string());
        EXPECT_THAT(problem.place, StartsWith(each.place));
        EXPECT_THAT(problem.found, HasSubstr(each.found));
        EXPECT_THAT(problem.expected, HasSubstr(each.expected));
    }
}

TEST_F(TextTest, ProposesTheNearestName) {
    const auto remedy = [this](const std::string& text) {
        return test::problem_of([&] { static_cast<void>(read(text)); }).remedy;
    };
    EXPECT_EQ(remedy("HYBRID_DATA_MODLE\n"), "Did you mean HYBRID_DATA_MODEL?");
    EXPECT_EQ(remedy(with_column(4, "AllReduce")), "Did you mean ALLREDUCE?");
}

TEST_F(TextTest, FilesThatAreNone) {
    const auto found = [](const std::string& path) {
        return test::problem_of([&] { static_cast<void>(read_text_workload(path)); }).found;
    };
    EXPECT_THAT(found((folder_ / "absent.txt").string()), HasSubstr("no such file"));
    EXPECT_EQ(found(folder_.path().string()), "a folder");
    EXPECT_THAT(found("/dev/zero"), HasSubstr("more than"));
}

/// One random change to a text.
std::string damaged(std::string text, std::mt19937_64& random) {
    const auto place = [&] { return text.empty() ? 0 : random() % text.size(); };
    const std::vector<std::string> words{"\n",
                                         "\t",
                                         " ",
                                         "-",
                                         "NONE",
                                         "ALLTOALL",
                                         "0",
                                         "99999999999999999999",
                                         "\r",
                                         "\xC3",
                                         "1",
                                         "3",
                                         std::string(1, '\0'),
                                         "MODEL"};
    switch (random() % 5) {
        case 0:
            return text.substr(0, place());
        case 1:
            return text.erase(place(), 1 + random() % 8);
        case 2:
            return text.insert(place(), words[random() % words.size()]);
        case 3: {
            const std::size_t from = place();
            const std::string part = text.substr(from, random() % 64);
            return text.insert(place(), part);
        }
        default:
            if (!text.empty()) {
                text[place()] = static_cast<char>(random() % 256);
            }
            return text;
    }
}

// Whatever happens to a text, it is converted or refused as bad input; a trace that is written can
// be read again.
TEST_F(TextTest, DamagedTextsAreConvertedOrRefused) {
    std::mt19937_64 random(20240521);
    std::size_t accepted = 0;
    std::size_t refused = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string text = text_of(headings()[random() % headings().size()], 4);
        for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) {
            text = damaged(std::move(text), random);
        }
        try {
            const GeneratedWorkload workload = converted(text, 4, 2);
            ++accepted;
            if (accepted % 16 == 0) {
                write_workload(workload, {folder_.path()});
                EXPECT_EQ(chakra::read_trace(folder_ / "workload.3.et"), workload.nodes(Rank(3)));
            }
        } catch (const InputError& error) {
            EXPECT_NE(error.problem().expected, "");
            ++refused;
        }
    }
    EXPECT_GT(accepted, 100U);
    EXPECT_GT(refused, 1000U);
}

}  // namespace
}  // namespace npunet::generators
