// Congestion control of a network.yml: the tables of parameters, and how values, presets and
// mistakes are read.

#include "topology/parameters/congestion_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/refusals.h"
#include "topology/parameters/congestion_parameters.h"
#include "topology/yaml/network_reader.h"
#include "topology/yaml/network_sections.h"

namespace npunet::topology::congestion_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

CongestionControlChoice read(const std::string& packet) {
    return read_congestion_control(YamlField::parse("net.yml", packet, ""), UnknownKeys{});
}

std::string refusal(const std::string& packet) {
    return test::message_of<InputError>([&] { return read(packet); });
}

std::vector<CongestionAlgorithm> algorithms() {
    std::vector<CongestionAlgorithm> all;
    for (const std::string& name : congestion_algorithm_names()) {
        all.push_back(*congestion_algorithm_named(name));
    }
    return all;
}

TEST(CongestionTables, AreSound) {
    EXPECT_TRUE(parameters_of(CongestionAlgorithm::None).empty());
    for (const CongestionAlgorithm algorithm : algorithms()) {
        std::set<std::string> keys;
        for (const CongestionParameter& row : parameters_of(algorithm)) {
            SCOPED_TRACE(name_of(algorithm) + ", " + row.key);
            EXPECT_TRUE(keys.insert(row.key).second) << "twice";
            EXPECT_LE(row.least, row.standard);
            EXPECT_LE(row.standard, row.most);
            EXPECT_LE(row.least, row.paper);
            EXPECT_LE(row.paper, row.most);
            EXPECT_STRNE(row.help, "");
            // Multiples are plain numbers, and only rates grow with the link.
            if (row.scale == ParameterScale::Per25Gbps) {
                EXPECT_EQ(row.unit, ParameterUnit::Rate);
            } else if (row.scale != ParameterScale::None) {
                EXPECT_EQ(row.unit, ParameterUnit::Ratio);
            }
        }
        EXPECT_EQ(congestion_algorithm_named(name_of(algorithm)), algorithm);
    }
    EXPECT_FALSE(congestion_algorithm_named("cubic"));
}

#define EXPECT_PLACE(Algorithm, key_of_row)                                                  \
    ASSERT_LT(Algorithm##Parameter::key_of_row,                                              \
              parameters_of(CongestionAlgorithm::Algorithm).size());                         \
    EXPECT_STREQ(                                                                            \
        parameters_of(CongestionAlgorithm::Algorithm)[Algorithm##Parameter::key_of_row].key, \
        #key_of_row)

// The algorithms find their values by the places that are named in congestion_parameters.h.
TEST(CongestionTables, HaveTheOrderOfTheNamedPlaces) {
    EXPECT_EQ(parameters_of(CongestionAlgorithm::Dcqcn).size(), DcqcnParameter::count);
    EXPECT_PLACE(Dcqcn, gain);
    EXPECT_PLACE(Dcqcn, alpha_timer);
    EXPECT_PLACE(Dcqcn, cnp_interval);
    EXPECT_PLACE(Dcqcn, increase_timer);
    EXPECT_PLACE(Dcqcn, byte_counter);
    EXPECT_PLACE(Dcqcn, fast_recovery);
    EXPECT_PLACE(Dcqcn, rate_ai);
    EXPECT_PLACE(Dcqcn, rate_hai);
    EXPECT_PLACE(Dcqcn, min_rate);
    EXPECT_EQ(parameters_of(CongestionAlgorithm::Hpcc).size(), HpccParameter::count);
    EXPECT_PLACE(Hpcc, eta);
    EXPECT_PLACE(Hpcc, max_stage);
    EXPECT_PLACE(Hpcc, window_ai);
    EXPECT_EQ(parameters_of(CongestionAlgorithm::Timely).size(), TimelyParameter::count);
    EXPECT_PLACE(Timely, ewma_weight);
    EXPECT_PLACE(Timely, beta);
    EXPECT_PLACE(Timely, rate_ai);
    EXPECT_PLACE(Timely, t_low);
    EXPECT_PLACE(Timely, t_low_round_trips);
    EXPECT_PLACE(Timely, t_high);
    EXPECT_PLACE(Timely, t_high_round_trips);
    EXPECT_PLACE(Timely, hai_threshold);
    EXPECT_PLACE(Timely, hai_factor);
    EXPECT_PLACE(Timely, segment);
    EXPECT_PLACE(Timely, every_round_trip);
    EXPECT_PLACE(Timely, min_rate);
}

TEST(CongestionTables, HaveTheOrderOfTheNamedPlacesForWindowsAndCredits) {
    EXPECT_EQ(parameters_of(CongestionAlgorithm::Swift).size(), SwiftParameter::count);
    EXPECT_PLACE(Swift, window_ai);
    EXPECT_PLACE(Swift, beta);
    EXPECT_PLACE(Swift, max_mdf);
    EXPECT_PLACE(Swift, base_target);
    EXPECT_PLACE(Swift, base_target_round_trips);
    EXPECT_PLACE(Swift, hop_scaling);
    EXPECT_PLACE(Swift, fs_range);
    EXPECT_PLACE(Swift, fs_range_round_trips);
    EXPECT_PLACE(Swift, fs_min_window);
    EXPECT_PLACE(Swift, fs_max_window);
    EXPECT_PLACE(Swift, initial_window);
    EXPECT_PLACE(Swift, min_window);
    EXPECT_PLACE(Swift, max_window);
    EXPECT_PLACE(Swift, reset_timeouts);
    EXPECT_EQ(parameters_of(CongestionAlgorithm::Dctcp).size(), DctcpParameter::count);
    EXPECT_PLACE(Dctcp, gain);
    EXPECT_PLACE(Dctcp, initial_alpha);
    EXPECT_PLACE(Dctcp, initial_window);
    EXPECT_PLACE(Dctcp, slow_start);
    EXPECT_PLACE(Dctcp, window_ai);
    EXPECT_PLACE(Dctcp, min_window);
    EXPECT_PLACE(Dctcp, max_window);
    EXPECT_EQ(parameters_of(CongestionAlgorithm::ReceiverCredit).size(),
              ReceiverCreditParameter::count);
    EXPECT_PLACE(ReceiverCredit, initial_window);
    EXPECT_PLACE(ReceiverCredit, credit_rate);
    EXPECT_PLACE(ReceiverCredit, trimming);
}

TEST(CongestionSection, IsNoneByDefault) {
    for (const char* packet : {"mtu: 4096", "congestion_control: none"}) {
        const CongestionControlChoice none = read(packet);
        EXPECT_EQ(none.algorithm, CongestionAlgorithm::None);
        EXPECT_TRUE(none.values.empty());
    }
}

TEST(CongestionSection, ReadsEveryAlgorithmWithItsDefaults) {
    for (const CongestionAlgorithm algorithm : algorithms()) {
        const CongestionControlChoice choice = read("congestion_control: " + name_of(algorithm));
        EXPECT_EQ(choice.algorithm, algorithm);
        EXPECT_EQ(choice.values, standard_choice(algorithm).values);
        EXPECT_TRUE(choice.scaled);
    }
}

// 5 Mb/s are 625000 bytes/s; 1.5 us are 1 500 000 ps.
TEST(CongestionSection, ReadsValuesWithTheirUnits) {
    const CongestionControlChoice dcqcn = read(
        "congestion_control: dcqcn\n"
        "dcqcn: {rate_ai: 5Mbps, alpha_timer: 1.5us, byte_counter: 1MiB, gain: 0.25, "
        "fast_recovery: 3}");
    EXPECT_EQ(value_of(dcqcn, "rate_ai"), 625'000);
    EXPECT_EQ(value_of(dcqcn, "alpha_timer"), 1'500'000);
    EXPECT_EQ(value_of(dcqcn, "byte_counter"), 1'048'576);
    EXPECT_EQ(value_of(dcqcn, "gain"), 0.25);
    EXPECT_EQ(value_of(dcqcn, "fast_recovery"), 3);
    EXPECT_EQ(value_of(dcqcn, "cnp_interval"), 50'000'000) << "a default";
    const CongestionControlChoice credit =
        read("{congestion_control: receiver-credit, receiver-credit: {trimming: true}}");
    EXPECT_EQ(value_of(credit, "trimming"), 1);
    EXPECT_EQ(value_of(read("{congestion_control: timely, timely: {t_low: 0}}"), "t_low"), 0);
}

TEST(CongestionSection, TakesTheNumbersOfThePaper) {
    const CongestionControlChoice paper =
        read("congestion_control: timely\ntimely: {preset: paper, t_high: 200us}");
    EXPECT_FALSE(paper.scaled);
    EXPECT_EQ(value_of(paper, "t_low"), 50'000'000);
    EXPECT_EQ(value_of(paper, "t_low_round_trips"), 0);
    EXPECT_EQ(value_of(paper, "rate_ai"), 1'250'000) << "10 Mb/s";
    EXPECT_EQ(value_of(paper, "t_high"), 200'000'000) << "given";
    const CongestionControlChoice standard =
        read("congestion_control: timely\ntimely: {preset: standard}");
    EXPECT_TRUE(standard.scaled);
    EXPECT_EQ(standard.values, standard_choice(CongestionAlgorithm::Timely).values);
}

TEST(CongestionSection, RefusesValuesThatCannotWork) {
    const auto dcqcn = [](const std::string& entry) {
        return refusal("congestion_control: dcqcn\ndcqcn: {" + entry + "}");
    };
    EXPECT_THAT(dcqcn("rate_ai: 5"), HasSubstr("dcqcn.rate_ai"));
    EXPECT_THAT(dcqcn("alpha_timer: 55"), HasSubstr("dcqcn.alpha_timer"));
    EXPECT_THAT(dcqcn("byte_counter: 10000000"),
                AllOf(HasSubstr("line 2, dcqcn.byte_counter: found '10000000'"),
                      HasSubstr("a size with its unit")));
    EXPECT_THAT(dcqcn("gain: 2"), HasSubstr("found '2'; expected a plain number from "));
    EXPECT_THAT(dcqcn("gain: 1us"), HasSubstr("found '1us'; expected a plain number"));
    EXPECT_THAT(dcqcn("gain: nan"), HasSubstr("found 'nan'"));
    EXPECT_THAT(dcqcn("fast_recovery: 2.5"), HasSubstr("a whole number from 1 to 1000"));
    EXPECT_THAT(dcqcn("fast_recovery: 0"), HasSubstr("found '0'"));
    EXPECT_THAT(dcqcn("alpha_timer: 0"), HasSubstr("expected a time with its unit from 100 ns"));
    EXPECT_THAT(dcqcn("alpha_timer: [1us]"), HasSubstr("a list of 1"));
    EXPECT_THAT(dcqcn("rate_ei: 5Mbps"), HasSubstr("Did you mean rate_ai?"));
    EXPECT_THAT(dcqcn("preset: book"), HasSubstr("dcqcn.preset"));
    EXPECT_THAT(refusal("{congestion_control: dctcp, dctcp: {slow_start: 1}}"),
                HasSubstr("dctcp.slow_start: found '1'"));
    EXPECT_THAT(refusal("congestion_control: dcqcm"), HasSubstr("Did you mean dcqcn?"));
    EXPECT_THAT(refusal("{congestion_control: dcqcn, dcqcn: 5us}"), HasSubstr("found '5us'"));
}

// They would have no effect, and that would go unnoticed.
TEST(CongestionSection, RefusesParametersOfAnotherAlgorithm) {
    EXPECT_THAT(refusal("{congestion_control: dcqcn, hpcc: {eta: 0.9}}"),
                AllOf(HasSubstr("found parameters of hpcc with congestion_control: dcqcn"),
                      HasSubstr("or use congestion_control: hpcc")));
    EXPECT_THAT(refusal("swift: {}"),
                HasSubstr("parameters of swift with congestion_control: none"));
}

TEST(CongestionSection, NeedsATransport) {
    const auto network = [](const std::string& entries) {
        return parse_network(
            "topology: [Ring]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [500]\n"
            "packet: {" +
                entries + "}\n",
            "net.yml");
    };
    EXPECT_EQ(network("congestion_control: none").packet.congestion_control.algorithm,
              CongestionAlgorithm::None);
    EXPECT_THAT(test::message_of<InputError>(
                    [&] { return network("congestion_control: swift, swift: {preset: paper}"); }),
                HasSubstr("congestion_control: swift with flow_control: credit"));
    EXPECT_THAT(test::message_of<InputError>(
                    [&] { return network("flow_control: pfc, congestion_control: swift"); }),
                HasSubstr("congestion_control: swift without a transport"));
    EXPECT_EQ(network("flow_control: pfc, transport: go-back-n, congestion_control: swift")
                  .packet.congestion_control.algorithm,
              CongestionAlgorithm::Swift);
    EXPECT_THAT(test::message_of<InputError>([&] { return network("swift: {preset: paper}"); }),
                HasSubstr("packet.swift: found parameters of swift"));
}

}  // namespace
}  // namespace npunet::topology::congestion_test
