// docs/transport.md against the tables of the parameters.

#include <gtest/gtest.h>

#include <map>

#include "base/units.h"
#include "page.h"
#include "topology/parameters/congestion_control.h"

namespace npunet::docs_test {
namespace {

using topology::CongestionAlgorithm;
using topology::CongestionParameter;
using topology::ParameterScale;
using topology::ParameterUnit;

const std::map<CongestionAlgorithm, std::string> titles{
    {CongestionAlgorithm::Dcqcn, "DCQCN"},
    {CongestionAlgorithm::Hpcc, "HPCC"},
    {CongestionAlgorithm::Timely, "TIMELY"},
    {CongestionAlgorithm::Swift, "Swift"},
    {CongestionAlgorithm::Dctcp, "DCTCP"},
    {CongestionAlgorithm::ReceiverCredit, "Receiver credits"}};

std::string unit_of(const CongestionParameter& parameter) {
    switch (parameter.scale) {
        case ParameterScale::None:
            break;
        case ParameterScale::Per25Gbps:
            return "rate per 25 Gb/s";
        case ParameterScale::PerBandwidthDelay:
            return "bandwidth-delay products";
        case ParameterScale::PerRoundTrip:
            return "round trips";
    }
    const char* names[] = {"time", "rate", "size", "number", "whole number", "flag"};
    return names[static_cast<std::size_t>(parameter.unit)];
}

double number_of(const std::string& cell, ParameterUnit unit) {
    switch (unit) {
        case ParameterUnit::Time:
            return static_cast<double>(parse_time(cell, "the page").ps());
        case ParameterUnit::Rate:
            return static_cast<double>(parse_rate(cell, "the page").bytes_per_second());
        case ParameterUnit::Size:
            return static_cast<double>(parse_bytes(cell, "the page").value());
        case ParameterUnit::Flag:
            EXPECT_TRUE(cell == "true" || cell == "false") << cell;
            return cell == "true" ? 1 : 0;
        case ParameterUnit::Ratio:
        case ParameterUnit::Count:
            break;
    }
    return std::stod(cell);
}

void check_row(const std::vector<std::string>& cells, const CongestionParameter& parameter) {
    SCOPED_TRACE(parameter.key);
    ASSERT_EQ(cells.size(), 6U);
    EXPECT_EQ(cells[0], "`" + std::string(parameter.key) + "`");
    EXPECT_EQ(cells[1], unit_of(parameter));
    if (parameter.unit != ParameterUnit::Flag) {
        const std::size_t to = cells[2].find(" to ");
        ASSERT_NE(to, std::string::npos) << cells[2];
        EXPECT_EQ(number_of(cells[2].substr(0, to), parameter.unit), parameter.least);
        EXPECT_EQ(number_of(cells[2].substr(to + 4), parameter.unit), parameter.most);
    }
    EXPECT_EQ(number_of(cells[3], parameter.unit), parameter.standard);
    EXPECT_EQ(number_of(cells[4], parameter.unit), parameter.paper);
    EXPECT_EQ(cells[5], parameter.help);
}

TEST(CongestionControlPage, HasTheTablesOfTheParameters) {
    const Page page = read_page("docs/transport.md");
    for (const std::string& name : topology::congestion_algorithm_names()) {
        const CongestionAlgorithm algorithm = *topology::congestion_algorithm_named(name);
        if (algorithm == CongestionAlgorithm::None) {
            continue;
        }
        SCOPED_TRACE(name);
        const auto rows = table_rows(section_of(page, titles.at(algorithm)));
        const std::vector<CongestionParameter>& parameters = topology::parameters_of(algorithm);
        ASSERT_EQ(rows.size(), parameters.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            check_row(rows[i], parameters[i]);
        }
    }
}

}  // namespace
}  // namespace npunet::docs_test
