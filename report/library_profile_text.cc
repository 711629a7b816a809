#include "report/library_profile_text.h"

#include <fmt/format.h>

#include "base/json_writer.h"

namespace npunet::report {

std::string library_profile_text(const engine::LibraryProfile& profile) {
    using Layout = JsonWriter::Layout;
    JsonWriter json;
    json.begin_object(Layout::Lines)
        .member("library", fmt::format("{}-{}", profile.library, profile.version.text()));
    json.key("sources").begin_object(Layout::Lines);
    for (const auto& [key, source] : profile.sources) {
        json.key(key).begin_object().member("text", source.text).key("calibrated");
        json.boolean(source.calibrated).end_object();
    }
    json.end_object().key("calibrated-on").begin_array(Layout::Lines);
    for (const std::string& group : profile.calibrated_on) {
        json.value(group);
    }
    json.end_array().key("gpus").begin_object(Layout::Lines);
    for (const engine::LibraryGpu& gpu : profile.gpus) {
        json.key(gpu.name).begin_object(Layout::Lines).key("also").begin_array();
        for (const std::string& other : gpu.also) {
            json.value(other);
        }
        json.end_array().member("architecture", gpu.architecture->name);
        json.key("constants").begin_object(Layout::Lines);
        std::size_t number = 0;
        for (const engine::LibraryConstant& constant : engine::all_library_constants()) {
            json.key(constant.name)
                .begin_object()
                .member("value", constant.get(gpu.constants))
                .member("unit", constant.unit)
                .member("source", gpu.sources[number++])
                .end_object();
        }
        json.end_object().end_object();
    }
    json.end_object().end_object();
    return json.text() + "\n";
}

}  // namespace npunet::report
