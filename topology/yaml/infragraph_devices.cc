#include "topology/yaml/infragraph_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/suggest.h"

namespace npunet::topology {

namespace {

constexpr auto most_components = static_cast<std::int64_t>(most_infra_nodes);
constexpr std::size_t deepest_device = 64;

template <class Value>
std::vector<std::string> names_of(const std::map<std::string, Value>& map) {
    std::vector<std::string> names;
    for (const auto& entry : map) {
        names.push_back(entry.first);
    }
    return names;
}

std::vector<std::string> names_of(const std::vector<InfraComponent>& components) {
    std::vector<std::string> names;
    for (const InfraComponent& component : components) {
        names.push_back(component.name);
    }
    return names;
}

/// A part of "[0:8:2]" between colons; nothing where it is empty.
std::optional<std::int64_t> bound_at(std::string_view text, const YamlField& field) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty()) {
        return std::nullopt;
    }
    if (error != std::errc{} || end != text.data() + text.size() || value < 0) {
        field.refuse(field.found(), "an index or a slice of whole numbers from 0 in brackets",
                     "For example: xpu[3], xpu[0:8] or xpu[0:8:2]");
    }
    return value;
}

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(at);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

std::string pair_of(const InfraEndpoint& from, const InfraEndpoint& to) {
    return fmt::format("{} and {} components", from.nodes.size(), to.nodes.size());
}

/// How many pairs one2one makes: a name without brackets gives as many as the other side has.
std::size_t pairs_of(const YamlField& edge, const InfraEndpoint& from, const InfraEndpoint& to) {
    const bool shorter_from = from.nodes.size() < to.nodes.size();
    if (from.nodes.size() != to.nodes.size() && !(shorter_from ? to : from).is_whole) {
        edge.refuse(fmt::format("one2one between {}", pair_of(from, to)),
                    "as many on both sides, or the longer one without brackets",
                    "Correct the slices, or write many2many");
    }
    return std::min(from.nodes.size(), to.nodes.size());
}

/// Without scheme where it would make no difference.
bool is_many_to_many(const YamlField& edge, const InfraEndpoint& from, const InfraEndpoint& to) {
    const auto scheme = edge.find("scheme");
    if (!scheme && (from.nodes.size() > 1 || to.nodes.size() > 1)) {
        edge.refuse(fmt::format("no scheme between {}", pair_of(from, to)), "the key 'scheme'",
                    "Add scheme: one2one or scheme: many2many");
    }
    const std::string word = scheme ? one_of(*scheme, {"one2one", "many2many", "ring"}) : "one2one";
    if (word == "ring") {
        scheme->refuse(
            "'ring', of which the schema does not say who is linked", "one2one or many2many",
            "Write the ring as edges one2one: xpu[0:7] with xpu[1:8], xpu[7] with xpu[0]");
    }
    return word == "many2many";
}

}  // namespace

void InfraEdges::add(std::size_t from, std::size_t to, const InfraLink& link,
                     const YamlField& field) {
    add({from, to, &link, field.place()}, field);
}

void InfraEdges::add(const InfraEdge& edge, std::size_t base, const YamlField& field) {
    add({base + edge.from, base + edge.to, edge.link, edge.place}, field);
}

void InfraEdges::add(const InfraEdge& edge, const YamlField& field) {
    if (++added_ > most_infra_edges) {
        field.refuse(fmt::format("more than {} edges", most_infra_edges),
                     fmt::format("at most {}", most_infra_edges), "Check the counts and slices");
    }
    if (edge.from == edge.to) {
        return;
    }
    const auto [known, is_new] = link_of_.try_emplace(std::minmax(edge.from, edge.to), edge.link);
    if (is_new) {
        edges_.push_back(edge);
    } else if (known->second != edge.link) {
        field.refuse(
            fmt::format("a second link between two components, '{}' and '{}'",
                        infra_name_at(known->second->field), infra_name_at(edge.link->field)),
            "at most one, as graphs of InfraGraph have",
            "Remove one of them, or add their bandwidths");
    }
}

void refuse_old_infra_key(const YamlField& map, const char* old, const std::string& now) {
    if (const auto field = map.is_map() ? map.find(old) : std::nullopt) {
        field->refuse(fmt::format("{}, of InfraGraph before version 0.6", old),
                      now + ", of versions 0.6 to 2.4", "Write the file in a later version");
    }
}

std::string infra_name_at(const YamlField& entry) {
    const YamlField field = entry.at("name");
    const std::string& name = field.text("a name");
    if (name.empty() || name.find_first_of(".[]# \t\r\n") != std::string::npos) {
        field.refuse(field.found(), "a name without dots, brackets and blanks",
                     "For example: name: xpu");
    }
    return name;
}

std::vector<YamlField> infra_entries(const YamlField& map, const std::string& key) {
    const auto list = map.find(key);
    if (list && !list->is_list()) {
        list->refuse(list->found(), "a list", fmt::format("Write {}: [...]", key));
    }
    return list ? list->items() : std::vector<YamlField>{};
}

std::map<std::string, InfraLink> infra_links_at(const YamlField& map, bool in_device,
                                                const UnknownKeys& unknown) {
    std::map<std::string, InfraLink> links;
    for (const YamlField& link : infra_entries(map, "links")) {
        refuse_old_infra_key(link, "bandwidth", "physical: {bandwidth: {...}}");
        check_keys(link, {"name", "description", "physical"}, unknown);
        const std::string name = infra_name_at(link);
        if (!links.try_emplace(name, InfraLink{link, in_device}).second) {
            link.refuse(fmt::format("the link '{}' a second time", name), "each link once");
        }
    }
    return links;
}

std::string infra_slice_name(const std::string& text) {
    return text.substr(0, text.find('['));
}

InfraSlice infra_slice(const std::string& text, std::int64_t count, const YamlField& field) {
    InfraSlice slice;
    slice.name = infra_slice_name(text);
    std::int64_t begin = 0;
    std::int64_t end = count;
    std::int64_t step = 1;
    if (slice.name.size() < text.size()) {
        slice.is_whole = false;
        const bool closed = text.back() == ']';
        const std::string inside =
            text.substr(slice.name.size() + 1, text.size() - slice.name.size() - (closed ? 2 : 1));
        const std::vector<std::string_view> parts = split(inside, ':');
        if (!closed || parts.size() > 3 || inside.empty()) {
            field.refuse(field.found(), "an index or a slice in brackets",
                         "For example: xpu[3], xpu[0:8] or xpu[0:8:2]");
        }
        begin = bound_at(parts[0], field).value_or(0);
        end = parts.size() == 1 ? begin + 1 : bound_at(parts[1], field).value_or(count);
        step = parts.size() < 3 ? 1 : bound_at(parts[2], field).value_or(1);
    }
    if (end > count) {
        field.refuse(fmt::format("index {} in {}", end - 1, field.found()),
                     count == 0 ? fmt::format("none: there is no '{}'", slice.name)
                                : fmt::format("0 to {}, of {} '{}'", count - 1, count, slice.name),
                     "Correct the index, or the count");
    }
    if (step < 1 || begin >= end) {
        field.refuse(fmt::format("no component in {}", field.found()), "at least one",
                     "Slices are [first:end], the end not included, or [first:end:step]");
    }
    for (std::int64_t i = begin; i < end; i += step) {
        slice.indices.push_back(i);
        if (step > end - i) {
            break;
        }
    }
    return slice;
}

void add_infra_edges(const YamlField& edge, const InfraEndpoint& from, const InfraEndpoint& to,
                     const std::map<std::string, InfraLink>& links, InfraEdges& edges) {
    const YamlField name = edge.at("link");
    const auto link = links.find(name.text("the name of a link"));
    if (link == links.end()) {
        name.refuse(fmt::format("the unknown link {}", name.found()),
                    "the name of a link of the same device, or of the infrastructure for an edge "
                    "of it",
                    did_you_mean(name.text(""), names_of(links)));
    }
    if (!is_many_to_many(edge, from, to)) {
        const std::size_t pairs = pairs_of(edge, from, to);
        for (std::size_t i = 0; i < pairs; ++i) {
            edges.add(from.nodes[i], to.nodes[i], link->second, edge);
        }
        return;
    }
    for (const std::size_t a : from.nodes) {
        for (const std::size_t b : to.nodes) {
            edges.add(a, b, link->second, edge);
        }
    }
}

InfraDevices::InfraDevices(const YamlField& infrastructure, const UnknownKeys& unknown) {
    for (const YamlField& field : infra_entries(infrastructure, "devices")) {
        refuse_old_infra_key(field, "connections", "edges");
        check_keys(field, {"name", "description", "components", "links", "edges"}, unknown);
        const std::string name = infra_name_at(field);
        if (const auto [known, is_new] = numbers_.try_emplace(name, devices_.size()); !is_new) {
            field.refuse(fmt::format("the device '{}' a second time, first in {}", name,
                                     devices_[known->second].field.line()),
                         "each device once", "Rename one of them");
        }
        devices_.push_back({field, name, {}, infra_links_at(field, true, unknown), 0, {}});
    }
    for (InfraDevice& device : devices_) {
        read_components(device, unknown);
    }
    std::vector<State> states(devices_.size(), State::New);
    for (std::size_t i = 0; i < devices_.size(); ++i) {
        lay_out(i, 1, states);
    }
    std::vector<bool> done(devices_.size(), false);
    for (std::size_t i = 0; i < devices_.size(); ++i) {
        read_edges(i, unknown, done);
    }
}

std::size_t InfraDevices::named(const YamlField& name) const {
    const auto found = numbers_.find(name.text("the name of a device"));
    if (found == numbers_.end()) {
        name.refuse(fmt::format("the unknown device {}", name.found()), "the name of a device",
                    did_you_mean(name.text(""), names_of(numbers_)));
    }
    return found->second;
}

void InfraDevices::read_components(InfraDevice& device, const UnknownKeys& unknown) const {
    for (const YamlField& field : infra_entries(device.field, "components")) {
        refuse_old_infra_key(field, "type", "choice");
        check_keys(field,
                   {"name", "description", "count", "choice", "custom", "device", "cpu", "xpu",
                    "nic", "memory", "port", "switch"},
                   unknown);
        InfraComponent component;
        component.name = infra_name_at(field);
        const std::vector<std::string> names = names_of(device.components);
        if (std::find(names.begin(), names.end(), component.name) != names.end()) {
            field.refuse(fmt::format("the component '{}' a second time", component.name),
                         "each component of a device once");
        }
        component.count = field.at("count").whole(0, most_components, "a number of components");
        const std::string choice =
            one_of(field.at("choice"),
                   {"xpu", "switch", "nic", "port", "cpu", "memory", "device", "custom"});
        component.is_npu = choice == "xpu";
        if (choice == "device") {
            component.device = named(field.at("name"));
        }
        device.components.push_back(component);
    }
}

/// Devices inside a device come first.
void InfraDevices::lay_out(std::size_t number, std::size_t depth, std::vector<State>& states) {
    InfraDevice& device = devices_[number];
    if (states[number] == State::Open) {
        device.field.refuse(fmt::format("the device '{}' inside itself", device.name),
                            "devices of other devices", "Remove it from its components");
    }
    if (states[number] == State::Done) {
        return;
    }
    if (depth > deepest_device) {
        device.field.refuse(fmt::format("a device inside {} others", depth - 1),
                            fmt::format("devices at most {} deep", deepest_device));
    }
    states[number] = State::Open;
    for (InfraComponent& component : device.components) {
        if (component.device) {
            lay_out(*component.device, depth + 1, states);
            component.unit = devices_[*component.device].nodes;
        }
        component.offset = device.nodes;
        // Both factors and the sum so far are at most 2^20.
        device.nodes += static_cast<std::size_t>(component.count) * component.unit;
        if (device.nodes > most_infra_nodes) {
            device.field.refuse(fmt::format("more than {} components", most_infra_nodes),
                                fmt::format("at most {}", most_infra_nodes), "Check the counts");
        }
    }
    states[number] = State::Done;
}

void InfraDevices::read_edges(std::size_t number, const UnknownKeys& unknown,
                              std::vector<bool>& done) {
    if (done[number]) {
        return;
    }
    done[number] = true;
    InfraDevice& device = devices_[number];
    for (const InfraComponent& component : device.components) {
        if (!component.device || component.unit == 0) {
            continue;
        }
        read_edges(*component.device, unknown, done);
        for (std::int64_t i = 0; i < component.count; ++i) {
            const std::size_t base =
                component.offset + static_cast<std::size_t>(i) * component.unit;
            for (const InfraEdge& edge : devices_[*component.device].edges.all()) {
                device.edges.add(edge, base, device.field);
            }
        }
    }
    for (const YamlField& edge : infra_entries(device.field, "edges")) {
        check_keys(edge, {"ep1", "ep2", "scheme", "link"}, unknown);
        std::vector<InfraEndpoint> ends;
        for (const char* key : {"ep1", "ep2"}) {
            const YamlField end = edge.at(key);
            check_keys(end, {"device", "component"}, unknown);
            const YamlField component = end.at("component");
            const auto outer = end.find("device");
            const std::string prefix = outer ? outer->text("a device and its indices") + "." : "";
            ends.push_back(endpoint(number, prefix + component.text("a component and its indices"),
                                    component));
        }
        add_infra_edges(edge, ends[0], ends[1], device.links, device.edges);
    }
}

InfraEndpoint InfraDevices::endpoint(std::size_t device, const std::string& path,
                                     const YamlField& field) const {
    InfraEndpoint end;
    end.nodes = {0};
    bool outer_is_open = true;
    std::optional<std::size_t> within = device;
    for (const std::string_view part : split(path, '.')) {
        const std::string text(part);
        const std::string name = infra_slice_name(text);
        const std::vector<InfraComponent>* components =
            within ? &devices_[*within].components : nullptr;
        const auto found =
            components == nullptr
                ? std::vector<InfraComponent>::const_iterator{}
                : std::find_if(components->begin(), components->end(),
                               [&](const InfraComponent& c) { return c.name == name; });
        if (components == nullptr || found == components->end()) {
            field.refuse(fmt::format("the unknown component '{}' in {}", name, field.found()),
                         components == nullptr
                             ? "nothing behind a component that is no device"
                             : "a component of the device " + devices_[*within].name,
                         components == nullptr ? "" : did_you_mean(name, names_of(*components)));
        }
        const InfraSlice slice = infra_slice(text, found->count, field);
        if (end.nodes.size() * slice.indices.size() > most_infra_nodes) {
            field.refuse(fmt::format("more than {} components", most_infra_nodes),
                         fmt::format("at most {}", most_infra_nodes));
        }
        std::vector<std::size_t> inner;
        for (const std::size_t base : end.nodes) {
            for (const std::int64_t index : slice.indices) {
                inner.push_back(base + found->offset +
                                static_cast<std::size_t>(index) * found->unit);
            }
        }
        end.nodes = std::move(inner);
        end.is_whole = slice.is_whole && outer_is_open;
        outer_is_open = outer_is_open && (slice.is_whole || slice.indices.size() == 1);
        within = found->device;
    }
    if (within) {
        field.refuse(fmt::format("the device '{}' as an endpoint in {}", devices_[*within].name,
                                 field.found()),
                     "a component of it",
                     fmt::format("For example: {}[0].port[0]", devices_[*within].name));
    }
    return end;
}

void InfraDevices::list_nodes(std::size_t device, const std::string& prefix,
                              std::vector<InfraNode>& nodes) const {
    for (const InfraComponent& component : devices_[device].components) {
        for (std::int64_t i = 0; component.unit > 0 && i < component.count; ++i) {
            const std::string name = fmt::format("{}{}.{}", prefix, component.name, i);
            if (component.device) {
                list_nodes(*component.device, name + ".", nodes);
            } else {
                nodes.push_back({name, component.is_npu});
            }
        }
    }
}

}  // namespace npunet::topology
