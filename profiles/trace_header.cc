#include "profiles/trace_header.h"

#include <cstdint>
#include <iterator>
#include <string>

#include "profiles/json_text.h"

namespace npunet::profiles {

namespace {

/// A non-negative rank, world size or device number; `otherwise` if it is missing or invalid, in
/// which case `good` becomes false.
std::int64_t number_in(const JsonValue& object, const char* key, std::int64_t otherwise,
                       bool& good) {
    const JsonValue* value = member(object, key);
    if (value == nullptr || value->IsNull()) {
        return otherwise;
    }
    // A rank of -1 means none.
    const bool fits = value->IsInt() && value->GetInt() >= -1;
    good = good && fits;
    return fits && value->GetInt() >= 0 ? value->GetInt() : otherwise;
}

std::string text_in(const JsonValue& object, const char* key) {
    const JsonValue* value = member(object, key);
    if (value == nullptr) {
        return {};
    }
    if (value->IsString()) {
        return {value->GetString(), value->GetStringLength()};
    }
    return value->IsInt64() ? std::to_string(value->GetInt64()) : std::string();
}

/// A list, or a list as text.
std::vector<std::int32_t> ranks_in(const JsonValue& object) {
    const JsonValue* value = member(object, "ranks");
    std::vector<std::int32_t> ranks;
    if (value != nullptr && value->IsString()) {
        ranks = ranks_of({value->GetString(), value->GetStringLength()}).value_or(ranks);
    } else if (value != nullptr && value->IsArray()) {
        for (const JsonValue& rank : value->GetArray()) {
            if (!rank.IsInt()) {
                return {};
            }
            ranks.push_back(rank.GetInt());
        }
    }
    return ranks;
}

bool read_groups(const JsonValue& list, EventTable& table) {
    bool good = true;
    table.groups.clear();
    for (const JsonValue& one : list.GetArray()) {
        if (!one.IsObject()) {
            continue;
        }
        ProcessGroup group;
        group.name = text_in(one, "pg_name");
        group.description = text_in(one, "pg_desc");
        group.ranks = ranks_in(one);
        group.size = number_in(one, "pg_size", std::ssize(group.ranks), good);
        table.groups.push_back(std::move(group));
    }
    return good;
}

bool read_distributed_info(const JsonValue& info, EventTable& table) {
    if (!info.IsObject()) {
        return info.IsNull();
    }
    bool good = true;
    const std::int64_t rank = number_in(info, "rank", -1, good);
    if (rank >= 0) {
        table.rank = static_cast<std::int32_t>(rank);
    }
    table.world_size = static_cast<std::int32_t>(number_in(info, "world_size", 0, good));
    table.backend = text_in(info, "backend");
    const JsonValue* groups = member(info, "pg_config");
    if (groups != nullptr && groups->IsArray()) {
        good = read_groups(*groups, table) && good;
    }
    return good;
}

bool read_devices(const JsonValue& list, EventTable& table) {
    if (!list.IsArray()) {
        return list.IsNull();
    }
    bool good = true;
    table.devices.clear();
    for (const JsonValue& one : list.GetArray()) {
        if (one.IsObject()) {
            table.devices.push_back({number_in(one, "id", 0, good), text_in(one, "name"),
                                     number_in(one, "numSms", 0, good)});
        }
    }
    return good;
}

}  // namespace

bool is_header_key(std::string_view key) {
    return key == "distributedInfo" || key == "deviceProperties" || key == "baseTimeNanoseconds" ||
           key == "schemaVersion";
}

bool read_header(std::string_view key, std::string_view json, EventTable& table) {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
    if (document.HasParseError()) {
        return false;
    }
    if (key == "distributedInfo") {
        return read_distributed_info(document, table);
    }
    if (key == "deviceProperties") {
        return read_devices(document, table);
    }
    if (!document.IsInt64() || document.GetInt64() > latest_start_ns ||
        document.GetInt64() < -latest_start_ns) {
        return document.IsNull();
    }
    (key == "schemaVersion" ? table.schema_version : table.base_time_ns) = document.GetInt64();
    return true;
}

}  // namespace npunet::profiles
