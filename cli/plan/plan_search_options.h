// Options of npunet plan: the files of a search, the model, how plans are searched for and what
// becomes of them; and Metis's own names of some of them.
//
//     PlanSearchOptions options;
//     options.add_to(command);
//     options.finish();                // after parsing
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace npunet::cli {

class PlanSearchOptions {
public:
    /// This object must outlive `command`.
    void add_to(CLI::App& command);
    /// After the subcommands of `command`, which have helps of their own.
    static void add_short_help_to(CLI::App& command);

    /// Takes over what stands under Metis's names, one of which selects the dialect metis unless
    /// --dialect was given. Throws InputError for what is missing, given twice, or needs another
    /// option.
    void finish();

    [[nodiscard]] bool any_given() const;

    std::string hostfile;
    std::string cluster_file;
    std::string profiles;

    std::optional<std::int64_t> layers;
    std::optional<std::int64_t> gbs;
    std::int64_t hidden = 4096;
    std::int64_t sequence = 1024;
    std::int64_t vocabulary = 51200;
    std::optional<std::int64_t> max_tp;
    std::optional<std::int64_t> max_batch;

    bool skip_missing_profiles = false;
    std::string machine;       ///< --machine
    std::string network_file;  ///< empty: as the cluster file has it
    std::int64_t activation_bytes = 2;
    double memory_factor = 1;
    std::string schedule = "all";
    std::int64_t verify = 0;  ///< so many of the best plans are simulated
    std::string verify_fidelity = "analytical";
    std::string traces;  ///< a folder for those plans' traces; empty: none
    std::string figure;  ///< a file for the best plan's stages; empty: none

    std::string dialect = "npunet";
    std::string strategy = "metis";
    std::int64_t min_group_scale_variance = 1;
    std::int64_t max_permute_len = 4;
    std::vector<std::string> device_order;
    std::string first_profile;
    std::string homogeneous;  ///< a type; empty: the cluster as it is
    std::int64_t jobs = 0;    ///< 0: as many as the machine has cores

    std::int64_t top = 0;  ///< finish() fills in the default
    std::int64_t trials = 1;
    std::string log_folder;
    std::string model_name;
    std::string model_size;
    std::string csv_file;
    std::string search_times;  ///< a file for the figure; empty: none
    std::vector<std::int64_t> layers_list;
    bool json = false;
    bool quiet = false;

private:
    void add_files(CLI::App& command);
    void add_model(CLI::App& command);
    void add_search(CLI::App& command);
    void add_output(CLI::App& command);
    void add_metis_names(CLI::App& command);
    void take_metis_names();
    void choose_dialect();
    void check_machine() const;
    void check_output() const;

    const CLI::App* command_ = nullptr;
    std::vector<std::string> given_order_;
    std::vector<std::string> given_layers_;

    struct OtherName {
        std::string ours;
        std::string name;
        std::string value;
    };
    OtherName other_hostfile_{"--hostfile", "--hostfile-path", ""};
    OtherName other_cluster_file_{"--clusterfile", "--clusterfile-path", ""};
    OtherName other_profiles_{"--profiles", "--profile-data-path", ""};
    bool use_strat_ = false;
    std::string ignored_;
};

}  // namespace npunet::cli
