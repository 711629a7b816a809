// Flows in spreadsheets and on the console.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "report/results/flow_csv.h"
#include "report/results/flow_summary.h"
#include "tests/report/sample_results.h"

namespace npunet::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(FlowsCsv, HasOneRowAFlow) {
    std::ostringstream text;
    write_flows_csv(text, sample_flows());
    std::istringstream lines(text.str());
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line,
              "from,to,class,messages,bytes,first_start_ns,last_end_ns,total_ns,min_ns,mean_ns,"
              "p50_ns,p99_ns,max_ns,mean_slowdown,p50_slowdown,p99_slowdown,max_slowdown,packets,"
              "retransmissions,timeouts,marked,notifications");
    std::getline(lines, line);
    EXPECT_EQ(line, "npu0,npu1,0,1,1048576,0.5,200.5,200,200,200,200,200,200,1,1,1,1,257,1,2,3,4");
    for (int i = 1; i < 12; ++i) {
        std::getline(lines, line);
    }
    EXPECT_THAT(line, HasSubstr("\"npu,11\",npu0,1,1,"));
    EXPECT_FALSE(std::getline(lines, line));
}

TEST(FlowsCsv, HasOneRowAMessage) {
    engine::CompletedMessage message;
    message.flow = {NodeId(1), NodeId(0), 3};
    message.kind = Communication::AllToAll;
    message.bytes = Bytes(7);
    message.start = Time::ps(1500);
    message.first_byte_left = Time::ns(2);
    message.end = Time::ns(5);
    message.slowdown = 1.25;
    EXPECT_EQ(messages_csv_row(message, {"a", "\"b,c\""}),
              "\"b,c\",a,3,all_to_all,7,1.5,2,5,3.5,1.25\n");
    message.slowdown = engine::no_slowdown;
    EXPECT_THAT(messages_csv_row(message, {"a", "b"}), testing::EndsWith(",3.5,nan\n"));
}

// The slowest first; the class where there are several; a dash where no slowdown is known.
TEST(FlowTables, ShowTheSlowestFlows) {
    engine::FlowResults flows = sample_flows();
    const std::string text = flow_tables(flows, 3);
    EXPECT_THAT(text, HasSubstr("12 messages in 12 flows"));
    EXPECT_THAT(text, HasSubstr("slowdown                       2.50    2.25    3.75    3.75\n"));
    EXPECT_THAT(text, HasSubstr("npu,11 -> npu0, class 1         1  1 MiB"));
    EXPECT_THAT(text, HasSubstr("npu9 -> npu0, class 1 "));
    EXPECT_THAT(text, Not(HasSubstr("npu8 -> npu0")));
    EXPECT_THAT(text, Not(HasSubstr("by size")));
    flows.sizes = {{Bytes(1024), flows.all}};
    EXPECT_THAT(flow_tables(flows, 3), HasSubstr("messages by size\n"));
    EXPECT_THAT(flow_tables(flows, 3), HasSubstr("1 KiB              12"));
    engine::FlowResults some = sample_flows();
    some.flows[slowest_flows(some, 1).front()].slowdown = {};
    const std::vector<std::size_t> order = slowest_flows(some, some.flows.size());
    EXPECT_EQ(order.back(), slowest_flows(flows, 1).front()) << "one without a slowdown is last";
    EXPECT_EQ(order.front(), slowest_flows(flows, 2).back());
    flows.classes = 1;
    flows.all.slowdown = {};
    for (engine::FlowResult& flow : flows.flows) {
        flow.slowdown = {};
    }
    const std::string blind = flow_tables(flows, 2);
    EXPECT_THAT(blind, Not(HasSubstr("class")));
    EXPECT_THAT(blind, HasSubstr("npu2 -> npu0         1  1 MiB"));
    EXPECT_THAT(blind, HasSubstr("npu0 -> npu1"));
    EXPECT_THAT(blind, HasSubstr(" -\n"));
}

}  // namespace
}  // namespace npunet::report
