#include "engine/program/issue_order.h"

#include "engine/program/hash_walk.h"
#include "engine/program/program.h"

namespace npunet::engine {

void lay_out_for_hash_walk(const std::vector<chakra::Node>& nodes,
                           const std::function<std::int64_t(std::uint64_t)>& number_of,
                           RankProgram& program) {
    const std::size_t count = program.operations.size();
    HashWalk known;
    std::vector<std::vector<std::uint32_t>> children(count);
    for (const chakra::Node& node : nodes) {
        const auto number = static_cast<std::uint32_t>(number_of(node.id));
        known.insert(node.id, number);
        HashWalk parents;
        for (const auto* dependencies : {&node.data_deps, &node.ctrl_deps}) {
            for (const std::uint64_t id : *dependencies) {
                if (const std::int64_t parent = number_of(id); parent >= 0) {
                    parents.insert(id, static_cast<std::uint32_t>(parent));
                }
            }
        }
        for (auto at = parents.first(); at != HashWalk::end; at = parents.next(at)) {
            known.insert(parents.key(at), parents.value(at));
            children[parents.value(at)].push_back(number);
        }
    }
    for (std::size_t parent = 0; parent < count; ++parent) {
        HashWalk walk;
        for (const std::uint32_t child : children[parent]) {
            walk.insert(program.operations[child].id, child);
        }
        std::uint32_t place = program.child_begin[parent];
        for (auto at = walk.first(); at != HashWalk::end; at = walk.next(at)) {
            program.children[place++] = walk.value(at);
        }
    }
    for (auto at = known.first(); at != HashWalk::end; at = known.next(at)) {
        if (program.operations[known.value(at)].dependencies == 0) {
            program.first_ready.push_back(known.value(at));
        }
    }
}

}  // namespace npunet::engine
