// The recorded cases of STAGE and ASTRA-sim in the shared data, for tests that repeat them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "generators/stage/stage_arguments.h"

namespace npunet::test {

inline nlohmann::json read_json(const std::filesystem::path& path) {
    std::ifstream stream(path);
    return nlohmann::json::parse(stream);
}

/// What the case's folder says STAGE was asked for; empty when it was made otherwise.
inline std::optional<generators::StageArguments> stage_arguments(
    const std::filesystem::path& folder) {
    const std::filesystem::path meta = folder / "meta.json";
    if (!std::filesystem::exists(meta)) {
        return std::nullopt;
    }
    const nlohmann::json json = read_json(meta);
    if (!json.contains("stage_args")) {
        return std::nullopt;
    }
    const nlohmann::json& given = json["stage_args"];
    generators::StageArguments arguments;
    const auto number = [&given](const char* name) { return given.at(name).get<std::int64_t>(); };
    arguments.dp = number("dp");
    arguments.tp = number("tp");
    arguments.sp = number("sp");
    arguments.pp = number("pp");
    arguments.weight_sharded = number("weight_sharded") != 0;
    arguments.activation_recompute = number("activation_recompute") != 0;
    arguments.din = number("din");
    arguments.dout = number("dout");
    arguments.dmodel = number("dmodel");
    arguments.dff = number("dff");
    arguments.batch = number("batch");
    arguments.seq = number("seq");
    arguments.head = number("head");
    arguments.num_stacks = number("num_stacks");
    return arguments;
}

/// The folders of the cases, sorted.
inline std::vector<std::filesystem::path> stage_cases(const std::filesystem::path& shared) {
    const std::filesystem::path data = shared / "data/system";
    std::vector<std::filesystem::path> folders{data / "published_sanity"};
    for (const auto& entry : std::filesystem::directory_iterator(data / "transformer")) {
        folders.push_back(entry.path());
    }
    std::sort(folders.begin(), folders.end());
    return folders;
}

}  // namespace npunet::test
