#include "generators/profiler/communication_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace npunet::generators::profiler {
namespace {

using chakra::CollectiveType;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = CommunicationCall::Kind;

TEST(CommunicationCalls, AreNamedAsEveryVersionNamesThem) {
    const std::vector<std::pair<const char*, CollectiveType>> names = {
        {"allreduce", CollectiveType::AllReduce},
        {"allreduce_coalesced", CollectiveType::AllReduce},
        {"nccl:all_reduce", CollectiveType::AllReduce},
        {"_allgather_base", CollectiveType::AllGather},
        {"allgather_into_tensor_coalesced", CollectiveType::AllGather},
        {"_reduce_scatter_base", CollectiveType::ReduceScatter},
        {"reduce_scatter_tensor_coalesced", CollectiveType::ReduceScatter},
        {"all_to_allv", CollectiveType::AllToAll},
        {"c10d::alltoall_base_", CollectiveType::AllToAll},
        {"broadcast", CollectiveType::Broadcast},
        {"reduce", CollectiveType::Reduce},
        {"gather", CollectiveType::Gather},
        {"scatter", CollectiveType::Scatter},
        {"barrier", CollectiveType::Barrier},
        {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
         CollectiveType::ReduceScatter}};
    for (const auto& [name, type] : names) {
        CommunicationCall call;
        EXPECT_TRUE(name_call(name, call)) << name;
        EXPECT_EQ(call.kind, Kind::Collective) << name;
        EXPECT_EQ(call.collective, type) << name;
    }
    CommunicationCall send;
    EXPECT_TRUE(name_call("nccl:send 0->3", send));
    EXPECT_EQ(send.kind, Kind::Send);
    EXPECT_EQ(send.peer, 3);
    CommunicationCall receive;
    EXPECT_TRUE(name_call("nccl:recv 3<-1", receive));
    EXPECT_EQ(receive.kind, Kind::Receive);
    EXPECT_EQ(receive.peer, 1);
    for (const char* name : {"wait", "coalesced", "init", "ncclDevKernel_SendRecv",
                             "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)"}) {
        CommunicationCall call;
        EXPECT_FALSE(name_call(name, call)) << name;
        EXPECT_EQ(call.kind, Kind::Unknown) << name;
    }
}

// comm_size of 6 bytes in and 24 out in a group of 4, and where only the output is known.
TEST(CommunicationCalls, HaveTheSizeOfTheirKind) {
    const auto size = [](CollectiveType type, std::int64_t in, std::int64_t out) {
        CommunicationCall call;
        call.kind = Kind::Collective;
        call.collective = type;
        call.in_bytes = in;
        call.out_bytes = out;
        return comm_size(call, 4);
    };
    EXPECT_EQ(size(CollectiveType::AllReduce, 6, 6), 6);
    EXPECT_EQ(size(CollectiveType::AllReduce, unknown, 6), 6);
    EXPECT_EQ(size(CollectiveType::AllGather, 6, 24), 6);
    EXPECT_EQ(size(CollectiveType::AllGather, unknown, 24), 6);
    EXPECT_EQ(size(CollectiveType::ReduceScatter, 24, 6), 24);
    EXPECT_EQ(size(CollectiveType::ReduceScatter, unknown, 6), 24);
    EXPECT_EQ(size(CollectiveType::Scatter, 0, 6), 24);
    EXPECT_EQ(size(CollectiveType::Barrier, unknown, unknown), 0);
    EXPECT_EQ(size(CollectiveType::Broadcast, unknown, unknown), unknown);
}

TEST(CommunicationCalls, ElementsHaveTheSizeOfTheirType) {
    for (const char* name : {"Float", "float", "Int", "int", "Tensor(float)"}) {
        EXPECT_EQ(bytes_of_type(name), 4) << name;
    }
    for (const char* name : {"BFloat16", "c10::BFloat16", "Half", "c10::Half", "short int"}) {
        EXPECT_EQ(bytes_of_type(name), 2) << name;
    }
    for (const char* name : {"Long", "long int", "Double"}) {
        EXPECT_EQ(bytes_of_type(name), 8) << name;
    }
    for (const char* name : {"Byte", "Bool", "unsigned char", "Float8_e4m3fn"}) {
        EXPECT_EQ(bytes_of_type(name), 1) << name;
    }
    EXPECT_EQ(bytes_of_type("TensorList"), unknown);
}

TEST(CommunicationCalls, ListsAreReadAsProfilersWriteThem) {
    EXPECT_THAT(numbers_of("[5, 3]"), ElementsAre(5, 3));
    EXPECT_THAT(numbers_of("[]"), IsEmpty());
    EXPECT_THAT(numbers_of("[5, 3, ...]"), IsEmpty());
    EXPECT_THAT(numbers_of("5"), IsEmpty());
    EXPECT_THAT(elements_of("[[6144], [2, 3], []]"), ElementsAre(6144, 6, 1));
    EXPECT_THAT(elements_of("[[[2, 3], [4]]]"), ElementsAre(10));
    EXPECT_THAT(texts_of(R"(["float", "Scalar"])"), ElementsAre("float", "Scalar"));
}

TEST(CommunicationCalls, KernelsAreKnownByTheirLibrary) {
    EXPECT_TRUE(is_communication_kernel("ncclDevKernel_SendRecv"));
    EXPECT_TRUE(is_communication_kernel("ncclKernel_AllReduce_RING_LL_Sum_float"));
    EXPECT_TRUE(is_communication_kernel("mscclKernel_Sum_float"));
    EXPECT_FALSE(is_communication_kernel("volta_sgemm_128x32_tn"));
}

}  // namespace
}  // namespace npunet::generators::profiler
