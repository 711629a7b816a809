#include "topology/yaml/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "base/shipped_files.h"
#include "base/suggest.h"
#include "base/yaml_field.h"
#include "topology/graph/graph.h"
#include "topology/network/network_description.h"

namespace npunet::topology {

namespace {

std::filesystem::path machines_folder() {
    return shipped_path("configs/machines");
}

bool is_known(const std::string& name) {
    const std::vector<std::string> names = known_machines();
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The numbers between the x of "4x8x12"; nothing where that is not how the text is written.
std::vector<std::int64_t> sizes_of(const std::string& text) {
    std::vector<std::int64_t> sizes;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('x', begin), text.size());
        std::int64_t size = 0;
        const auto [last, error] = std::from_chars(text.data() + begin, text.data() + end, size);
        if (error != std::errc{} || last != text.data() + end) {
            return {};
        }
        sizes.push_back(size);
        begin = end + 1;
    }
    return sizes;
}

void replace_all(std::string& text, const std::string& mark, std::int64_t value) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
        text.replace(at, mark.size(), std::to_string(value));
    }
}

constexpr std::int64_t most_units = 1 << 21;

/// One template, and what was asked for.
class Template {
public:
    Template(const std::string& name, std::string count, std::string option)
        : name_(name),
          count_(std::move(count)),
          option_(std::move(option)),
          root_(YamlField::load((machines_folder() / (name + ".yml")).string(), "a machine",
                                "count: servers of 8 GPUs")) {
        check_keys(root_, {"count", "step", "multiple", "networks", "system"}, {});
    }

    [[nodiscard]] ReadyMachine machine() const {
        const auto multiple = root_.find("multiple");
        return multiple ? of_shape(multiple->whole(1, most_units, "chips of a side")) : of_number();
    }

private:
    [[nodiscard]] ReadyMachine of_number() const {
        const auto step_field = root_.find("step");
        const std::int64_t step =
            step_field ? step_field->whole(1, most_units, "GPUs of a unit") : 1;
        const std::int64_t most = largest() * step;
        const std::vector<std::int64_t> sizes = sizes_of(count_);
        if (sizes.size() != 1 || sizes[0] < 1 || sizes[0] > most || sizes[0] % step != 0) {
            refuse(step == 1 ? fmt::format("a number of {}, 1 to {}", unit(), most)
                             : fmt::format("a number of {}, a multiple of {} from {} to {}", unit(),
                                           step, step, most),
                   std::to_string(step == 1 ? 4 : step));
        }
        ReadyMachine machine = texts_for(sizes[0] / step);
        replace_all(machine.network, "$COUNT", sizes[0] / step);
        return machine;
    }

    [[nodiscard]] ReadyMachine of_shape(std::int64_t multiple) const {
        const std::int64_t most = largest();
        const std::vector<std::int64_t> sizes = sizes_of(count_);
        bool fits = sizes.size() == 3;
        std::int64_t chips = 1;
        for (const std::int64_t side : sizes) {
            fits = fits && side > 0 && side % multiple == 0 && side <= most / chips;
            chips *= fits ? side : 1;
        }
        if (!fits) {
            refuse(
                fmt::format("{}: multiples of {}, at most {} chips in all", unit(), multiple, most),
                fmt::format("{0}x{0}x{1}", multiple, 2 * multiple));
        }
        ReadyMachine machine = texts_for(chips);
        replace_all(machine.network, "$X", sizes[0]);
        replace_all(machine.network, "$Y", sizes[1]);
        replace_all(machine.network, "$Z", sizes[2]);
        return machine;
    }

    [[nodiscard]] std::int64_t up_to(const YamlField& entry) const {
        return entry.at("to").whole(1, most_units, "the most units of this network");
    }
    [[nodiscard]] std::int64_t largest() const {
        std::int64_t most = 0;
        for (const YamlField& entry : root_.at("networks").items()) {
            most = std::max(most, up_to(entry));
        }
        return most;
    }

    /// `units`: at most largest().
    [[nodiscard]] ReadyMachine texts_for(std::int64_t units) const {
        const std::vector<YamlField> entries = root_.at("networks").items();
        const auto entry = std::find_if(entries.begin(), entries.end(),
                                        [&](const YamlField& one) { return units <= up_to(one); });
        return {fmt::format("{}:{}", name_, count_), entry->at("network").text("a network"),
                root_.at("system").text("a system.json")};
    }

    [[nodiscard]] std::string unit() const { return root_.at("count").text("what is counted"); }

    [[noreturn]] void refuse(std::string expected, const std::string& example) const {
        std::string remedy = fmt::format("For example: {}:{}", name_, example);
        if (option_ == "--network" || option_ == "--system") {
            remedy +=
                fmt::format("; --machine {}:{} is its network and its system", name_, example);
        }
        throw InputError({option_, "",
                          count_.empty() ? fmt::format("{} without a count", name_)
                                         : fmt::format("'{}:{}'", name_, count_),
                          std::move(expected), std::move(remedy)});
    }

    std::string name_;
    std::string count_;
    std::string option_;
    YamlField root_;
};

}  // namespace

std::vector<std::string> known_machines() {
    return names_of_files(machines_folder(), {".yml"});
}

bool names_machine(const std::string& text) {
    std::error_code ignored;
    return text.find('/') == std::string::npos && is_known(text.substr(0, text.rfind(':'))) &&
           !std::filesystem::exists(text, ignored);
}

ReadyMachine read_machine(const std::string& text, const std::string& option) {
    const std::size_t colon = text.rfind(':');
    const std::string name = text.substr(0, colon);
    if (!is_known(name)) {
        const std::vector<std::string> names = known_machines();
        throw InputError({option, "", fmt::format("'{}'", text),
                          fmt::format("one of {}, each with a count", joined(names)),
                          did_you_mean(name, names)});
    }
    return Template(name, colon == std::string::npos ? "" : text.substr(colon + 1), option)
        .machine();
}

}  // namespace npunet::topology
