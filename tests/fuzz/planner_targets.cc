// What a search for plans reads: the hostfile with the cluster file, and the profiles of layers.
#include "memory_folder.h"
#include "memory_watch.h"
#include "planner/cluster.h"
#include "planner/metis/cluster.h"
#include "planner/metis/profile_table.h"
#include "planner/profile_file.h"
#include "seeds.h"
#include "targets.h"

namespace npunet::fuzz {

namespace {

using namespace planner;

constexpr std::size_t planner_bytes_for_each = 60;

metis::Arguments arguments_of(std::int64_t layers) {
    metis::Arguments arguments;
    arguments.num_layers = layers;
    arguments.gbs = 8;
    return arguments;
}

std::string profile_text(const std::string& numbers) {
    return R"({"model": {"model_name": "m", "num_layers": 3,
               "parameters": {"parameters_per_layer_bytes": )" +
           numbers + R"(}}, "execution_time": {"total_time_ms": 3,
               "forward_backward_time_ms": 3.5, "batch_generator_time_ms": 0.5,
               "layernorm_grads_all_reduce_time_ms": 0.1,
               "embedding_grads_all_reduce_time_ms": 0.2, "optimizer_time_ms": 9.5,
               "layer_compute_total_ms": )" +
           numbers + R"(}, "execution_memory": {"total_memory": 60,
               "layer_memory_total_mb": )" +
           numbers + R"(, "layer_activation_mb": )" + numbers + "}}";
}

}  // namespace

// The first byte: by whose rules. The hostfile, then the cluster file.
void run_cluster(std::string_view input) {
    const bool metis_rules = (take_byte(input) & 1U) != 0;
    const std::vector<std::string_view> files = files_of(input, 2);
    const MemoryFolder folder;
    folder.write("hostfile", files[0]);
    folder.write("cluster.json", files.size() > 1 ? files[1] : "{}");
    metis::Inputs inputs;
    inputs.hostfile = folder / "hostfile";
    inputs.cluster_file = folder / "cluster.json";
    accepts_written([&] {
        const MemoryWatch watch(
            memory_limit(planner_bytes_for_each * input.size(), reader_buffers));
        inputs.hosts = read_hostfile(inputs.hostfile,
                                     metis_rules ? HostfileRules::Metis : HostfileRules::Npunet);
        watch.check();
        expect(!inputs.hosts.empty(), "a cluster without hosts");
    });
    const bool read = accepts_written([&] {
        const MemoryWatch watch(
            memory_limit(planner_bytes_for_each * input.size(), reader_buffers));
        inputs.cluster = read_cluster_file(
            inputs.cluster_file, metis_rules ? ClusterFileRules::Metis : ClusterFileRules::Npunet);
        watch.check();
    });
    if (!read || inputs.hosts.empty()) {
        return;
    }
    accepts_written([&] {
        const Cluster cluster =
            make_cluster(inputs.hosts, inputs.hostfile, inputs.cluster, inputs.cluster_file);
        expect(cluster.nodes.size() == inputs.hosts.size() && cluster.devices() > 0,
               "a cluster of other hosts");
        for (const NodeClass& one : classes_of(cluster)) {
            expect(!one.members.empty() && one.node.intra_rate > 0 && one.node.inter_rate > 0,
                   "a node without a rate");
        }
    });
    accepts_written([&] {
        const metis::Cluster cluster(inputs, arguments_of(4));
        expect(!cluster.types().empty() && cluster.slots() > 0, "a cluster without devices");
    });
}

std::vector<std::string> cluster_seeds() {
    using namespace std::string_view_literals;
    const std::string mark(file_mark);
    const std::string cluster =
        mark + R"({"0.0.0.1": {"instance_type": "V100", "inter_bandwidth": 10,
                                "intra_bandwidth": 50, "memory": 16},
                   "0.0.0.4": {"instance_type": "a100", "inter_bandwidth": 1.5,
                                "intra_bandwidth": 46, "memory": 80}})";
    std::vector<std::string> seeds =
        with_prefix("\0"sv, {"0.0.0.1 slots=4\n0.0.0.4 slots=8\n0.0.0.1 slots=4\n" + cluster,
                             "# a cluster\n\n0.0.0.1   slots=4096\r\n" + cluster});
    seeds.push_back(
        "\1"
        "0.0.0.1 slots=4\n" +
        cluster);
    seeds.push_back(
        "\1"
        "0.0.0.1 slots=4\n" +
        mark + R"({"0.0.0.1": {"instance_type": "V100",
        "inter_bandwidth": 10, "intra_bandwidth": 50, "memory": 16, "memory": 17}})");
    return seeds;
}

// One to three profiles of one type with tp 1, 2, 4.
void run_layer_profile(std::string_view input) {
    const std::vector<std::string_view> files = files_of(input, 3);
    const MemoryFolder folder;
    for (std::size_t i = 0; i < files.size(); ++i) {
        folder.write("DeviceType.A100_tp" + std::to_string(1U << i) + "_bs1.json", files[i]);
    }
    metis::Inputs inputs;
    inputs.profile_folder = folder.path();
    const bool read = accepts_written([&] {
        const MemoryWatch watch(
            memory_limit(planner_bytes_for_each * input.size(), reader_buffers));
        inputs.profiles = read_profiles(folder.path());
        watch.check();
    });
    if (!read) {
        return;
    }
    expect(inputs.profiles.all().size() == files.size(), "profiles that were lost");
    accepts_written([&] {
        for (const ProfileFile& file : read_profile_files(folder.path())) {
            const std::string text = text_of(file);
            const MemoryFolder second;
            second.write(name_of(file), text);
            accepts_written([&] {
                expect(text_of(read_profile_files(second.path()).front()) == text,
                       "a profile that reads as another");
            });
        }
    });
    inputs.hosts = {{"a", 4, 1}};
    inputs.cluster = {{"a", "A100", 10, 50, 80}};
    accepts_written([&] {
        const metis::Arguments arguments =
            arguments_of(static_cast<std::int64_t>(inputs.profiles.all().front().layer_ms.size()));
        const metis::Cluster cluster(inputs, arguments);
        const metis::ProfileTable table(inputs, cluster, arguments);
        static_cast<void>(table.timed(0, 0, 1));
    });
}

std::vector<std::string> layer_profile_seeds() {
    const std::string mark(file_mark);
    return {profile_text("[10, 20, 30.5]"), profile_text("[1, 2, 3]") + mark +
                                                profile_text("[0.5, 1e-9, 1e300]") + mark +
                                                profile_text("[0, 0, 0, 4]")};
}

}  // namespace npunet::fuzz
