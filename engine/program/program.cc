#include "engine/program/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "base/errors.h"
#include "engine/program/operation_decoder.h"

namespace npunet::engine {

namespace {

/// Builds one program; a class only because every step needs the context and the nodes.
class Builder {
public:
    Builder(const std::vector<chakra::Node>& nodes, const ProgramContext& context)
        : nodes_(nodes), context_(context) {}

    BuiltProgram build(std::size_t& dangling_controls) {
        sort_by_id();
        if (context_.issue_order != IssueOrder::HashWalk && !order_.empty()) {
            binding_.first_id = nodes_[order_.front()].id;
        }
        const OperationDecoder decoder(context_);
        program_.operations.reserve(nodes_.size());
        program_.names.reserve(nodes_.size());
        for (const std::uint32_t at : order_) {
            add(decoder.decode(nodes_[at]));
            program_.operations.back().id = nodes_[at].id - binding_.first_id;
            program_.names.push_back(nodes_[at].name);
        }
        collect_dependencies(dangling_controls);
        lay_out();
        list_collectives();
        collect_tensors();
        program_.signature = signature();
        if (context_.issue_order == IssueOrder::HashWalk) {
            lay_out_for_hash_walk(
                nodes_,
                [this](std::uint64_t id) {
                    const auto found = number_of_.find(id);
                    return found == number_of_.end() ? std::int64_t{-1}
                                                     : static_cast<std::int64_t>(found->second);
                },
                program_);
        }
        return {std::move(program_), std::move(binding_), std::move(roots_)};
    }

private:
    void add(DecodedOperation decoded) {
        ProgramOperation& operation = decoded.operation;
        if (!operation.nothing && operation.kind == OperationKind::Collective) {
            operation.group = slot_of(binding_.groups, group_slots_, decoded.group);
        } else if (!operation.nothing && decoded.peer.valid()) {
            operation.peer = slot_of(binding_.peers, peer_slots_, decoded.peer.value());
        }
        if (decoded.root.valid()) {
            roots_.resize(program_.operations.size() + 1);
            roots_.back() = decoded.root;
        }
        program_.operations.push_back(std::move(operation));
    }

    /// The slot of a value, a new one when it has none.
    template <class Value>
    static std::int32_t slot_of(std::vector<Value>& slots,
                                std::unordered_map<std::int32_t, std::int32_t>& known,
                                std::int32_t value) {
        const auto [entry, first] = known.emplace(value, static_cast<std::int32_t>(slots.size()));
        if (first) {
            slots.push_back(Value(value));
        }
        return entry->second;
    }

    void sort_by_id() {
        order_.resize(nodes_.size());
        std::iota(order_.begin(), order_.end(), 0U);
        std::sort(order_.begin(), order_.end(),
                  [this](std::uint32_t a, std::uint32_t b) { return nodes_[a].id < nodes_[b].id; });
        number_of_.reserve(nodes_.size());
        for (std::uint32_t number = 0; number < order_.size(); ++number) {
            number_of_.emplace(nodes_[order_[number]].id, number);
        }
    }

    void collect_dependencies(std::size_t& dangling_controls) {
        parents_.resize(order_.size());
        for (std::uint32_t number = 0; number < order_.size(); ++number) {
            const chakra::Node& node = nodes_[order_[number]];
            for (const std::uint64_t id : node.data_deps) {
                parents_[number].push_back(number_of_.at(id));
            }
            for (const std::uint64_t id : node.ctrl_deps) {
                const auto found = number_of_.find(id);
                if (found == number_of_.end()) {
                    ++dangling_controls;
                } else {
                    parents_[number].push_back(found->second);
                }
            }
            std::sort(parents_[number].begin(), parents_[number].end());
            parents_[number].erase(std::unique(parents_[number].begin(), parents_[number].end()),
                                   parents_[number].end());
        }
    }

    void lay_out() {
        const auto count = static_cast<std::uint32_t>(order_.size());
        program_.child_begin.assign(count + 1, 0);
        for (std::uint32_t number = 0; number < count; ++number) {
            program_.operations[number].dependencies =
                static_cast<std::uint32_t>(parents_[number].size());
            for (const std::uint32_t parent : parents_[number]) {
                ++program_.child_begin[parent + 1];
            }
        }
        std::partial_sum(program_.child_begin.begin(), program_.child_begin.end(),
                         program_.child_begin.begin());
        program_.children.resize(program_.child_begin.back());
        std::vector<std::uint32_t> next(program_.child_begin.begin(),
                                        program_.child_begin.end() - 1);
        for (std::uint32_t number = 0; number < count; ++number) {
            for (const std::uint32_t parent : parents_[number]) {
                program_.children[next[parent]++] = number;
            }
        }
    }

    void list_collectives() {
        program_.collectives_of.resize(binding_.groups.size());
        for (const std::uint32_t number : trace_order(program_)) {
            const ProgramOperation& operation = program_.operations[number];
            if (exchanges_messages(operation)) {
                program_.collectives.push_back(number);
                program_.collectives_of[static_cast<std::size_t>(operation.group)].push_back(
                    number);
            }
        }
    }

    void collect_tensors() {
        if (context_.tensor_names == nullptr) {
            return;
        }
        std::unordered_map<std::string, std::uint32_t> known;
        program_.tensor_begin.push_back(0);
        for (const std::uint32_t at : order_) {
            for (const char* attribute : {"inputs", "outputs"}) {
                const chakra::Attribute* found = nodes_[at].find(attribute);
                if (found == nullptr) {
                    continue;
                }
                if (const auto* list = std::get_if<std::vector<std::string>>(&found->value)) {
                    collect_tensors(nodes_[at], *list, attribute[0] == 'o', known);
                }
            }
            program_.tensor_begin.push_back(
                static_cast<std::uint32_t>(program_.tensor_uses.size()));
        }
    }

    void collect_tensors(const chakra::Node& node, const std::vector<std::string>& list, bool write,
                         std::unordered_map<std::string, std::uint32_t>& known) {
        if (list.size() % 2 != 0) {
            refuse_node(context_, node, "an odd number of texts in 'inputs' or 'outputs'",
                        "pairs of tensor name and size");
        }
        for (std::size_t i = 0; i < list.size(); i += 2) {
            double bytes = 0;
            const std::string& text = list[i + 1];
            const auto [end, error] =
                std::from_chars(text.data(), text.data() + text.size(), bytes);
            if (error != std::errc{} || end != text.data() + text.size() || !(bytes >= 0) ||
                bytes > 0x1p56) {
                refuse_node(context_, node, fmt::format("tensor size '{}'", text),
                            "a number of bytes, 0 to 2^56");
            }
            const auto [entry, first] =
                known.emplace(list[i], static_cast<std::uint32_t>(program_.tensor_bytes.size()));
            if (first) {
                program_.tensor_bytes.push_back(bytes);
                program_.tensor_names.push_back(context_.tensor_names->number_of(list[i]));
            }
            program_.tensor_uses.push_back({entry->second, write});
        }
    }

    [[nodiscard]] std::uint64_t signature() const {
        std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
        const auto mix = [&hash](std::uint64_t value) {
            hash = (hash ^ value) * 0xff51afd7ed558ccdULL;
            hash ^= hash >> 32;
        };
        for (const ProgramOperation& operation : program_.operations) {
            mix(static_cast<std::uint64_t>(operation.kind));
            mix(static_cast<std::uint64_t>(operation.operations));
            mix(static_cast<std::uint64_t>(operation.bytes.value()));
            mix(static_cast<std::uint64_t>(operation.recorded.ps()));
            mix(static_cast<std::uint64_t>(operation.collective));
            mix(static_cast<std::uint64_t>(operation.priority));
            mix((operation.nothing ? 1U : 0U) + (operation.on_cpu ? 2U : 0U) +
                (operation.replayed ? 4U : 0U) + (static_cast<std::uint64_t>(operation.type) << 3));
            for (const std::int64_t size : operation.sizes) {
                mix(static_cast<std::uint64_t>(size));
            }
            mix(operation.dependencies);
            if (operation.kernel) {
                mix(static_cast<std::uint64_t>(operation.kernel->kernel));
                for (const std::int64_t size : operation.kernel->shape) {
                    mix(static_cast<std::uint64_t>(size));
                }
            }
        }
        for (const auto* numbers : {&program_.child_begin, &program_.children}) {
            for (const std::uint32_t number : *numbers) {
                mix(number);
            }
        }
        return hash;
    }

    const std::vector<chakra::Node>& nodes_;
    const ProgramContext& context_;
    RankProgram program_;
    RankBinding binding_;
    std::vector<Rank> roots_;
    std::unordered_map<std::int32_t, std::int32_t> group_slots_;
    std::unordered_map<std::int32_t, std::int32_t> peer_slots_;
    std::vector<std::uint32_t> order_;
    std::unordered_map<std::uint64_t, std::uint32_t> number_of_;
    std::vector<std::vector<std::uint32_t>> parents_;
};

}  // namespace

std::vector<std::uint32_t> trace_order(const RankProgram& program) {
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    std::vector<std::uint32_t> waiting(program.operations.size());
    for (std::uint32_t number = 0; number < waiting.size(); ++number) {
        waiting[number] = program.operations[number].dependencies;
        if (waiting[number] == 0) {
            ready.push(number);
        }
    }
    std::vector<std::uint32_t> result;
    result.reserve(waiting.size());
    while (!ready.empty()) {
        const std::uint32_t number = ready.top();
        ready.pop();
        result.push_back(number);
        for (std::uint32_t c = program.child_begin[number]; c < program.child_begin[number + 1];
             ++c) {
            if (--waiting[program.children[c]] == 0) {
                ready.push(program.children[c]);
            }
        }
    }
    return result;
}

BuiltProgram build_program(const std::vector<chakra::Node>& nodes, const ProgramContext& context,
                           std::size_t& dangling_controls) {
    return Builder(nodes, context).build(dangling_controls);
}

bool operator==(const RankProgram& a, const RankProgram& b) {
    const auto equal_operations = [](const ProgramOperation& x, const ProgramOperation& y) {
        return same_work(x, y) && x.id == y.id && x.tag == y.tag && x.peer == y.peer &&
               x.group == y.group && x.root == y.root;
    };
    return a.signature == b.signature && a.child_begin == b.child_begin &&
           a.children == b.children && a.tensor_begin == b.tensor_begin &&
           a.tensor_uses == b.tensor_uses && a.tensor_bytes == b.tensor_bytes &&
           a.tensor_names == b.tensor_names && a.first_ready == b.first_ready &&
           a.collectives == b.collectives && a.names == b.names &&
           std::equal(a.operations.begin(), a.operations.end(), b.operations.begin(),
                      b.operations.end(), equal_operations);
}

bool same_work(const ProgramOperation& x, const ProgramOperation& y) {
    const auto plain = [](const ProgramOperation& o) {
        return std::make_tuple(o.operations, o.bytes.value(), o.recorded.ps(), o.dependencies,
                               o.priority, o.kind, o.collective, o.nothing, o.on_cpu, o.replayed,
                               o.type);
    };
    const bool same_kernel =
        x.kernel == y.kernel || (x.kernel && y.kernel && *x.kernel == *y.kernel);
    return plain(x) == plain(y) && x.sizes == y.sizes && same_kernel;
}

}  // namespace npunet::engine
