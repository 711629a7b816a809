#include "generators/megatron/conversion/segment_times.h"

#include <fmt/format.h>

#include <utility>

#include "base/errors.h"
#include "base/units.h"
#include "base/yaml_document.h"
#include "base/yaml_field.h"
#include "generators/transformer/model_section.h"

namespace npunet::generators::megatron {

const std::vector<std::string>& segment_names() {
    static const std::vector<std::string> names{
        "embedding_forward", "attention_forward", "mlp_forward",     "experts_forward",
        "head_forward",      "loss_forward",      "loss_backward",   "head_dgrad",
        "head_wgrad",        "mlp_dgrad",         "mlp_wgrad",       "experts_dgrad",
        "experts_wgrad",     "attention_dgrad",   "attention_wgrad", "embedding_backward",
        "optimizer"};
    return names;
}

std::int64_t SegmentTimes::ns(std::string_view segment) const {
    const auto found = ns_.find(segment);
    if (found == ns_.end()) {
        throw InputError({file_, "", fmt::format("no time of {}", segment),
                          "a time for every segment that the run has",
                          fmt::format("Add \"{}: TIME\"", segment)});
    }
    return found->second;
}

SegmentTimes read_segment_times(const std::string& file) {
    const ModelSection table(
        YamlField(file,
                  read_yaml(file, "a table of times",
                            "Check the path; roofline and none are the words that need no file")),
        segment_names());
    std::map<std::string, std::int64_t, std::less<>> times;
    for (const std::string& name : segment_names()) {
        if (!table.has(name.c_str())) {
            continue;
        }
        const std::string text = table.scalar(name.c_str());
        try {
            times[name] = (parse_time(text, name).ps() + 999) / 1000;
        } catch (const InputError&) {
            table.refuse(name.c_str(), fmt::format("'{}'", text),
                         "a time with its unit: ps, ns, us, ms or s", "Write for example 812.5us");
        }
    }
    return {file, std::move(times)};
}

}  // namespace npunet::generators::megatron
