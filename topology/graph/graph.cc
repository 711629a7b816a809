#include "topology/graph/graph.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace npunet::topology {

void Graph::reserve(std::size_t nodes, std::size_t links) {
    kinds_.reserve(nodes);
    names_.reserve(nodes);
    outgoing_.reserve(nodes);
    incoming_.reserve(nodes);
    links_.reserve(links);
}

NodeId Graph::add_node(NodeKind kind, std::string name) {
    assert((kind == NodeKind::Switch || npus_ == kinds_.size()) && "NPUs come before switches");
    const NodeId id(kinds_.size());
    npus_ += kind == NodeKind::Npu ? 1 : 0;
    kinds_.push_back(kind);
    names_.push_back(std::move(name));
    outgoing_.emplace_back();
    incoming_.emplace_back();
    return id;
}

LinkId Graph::add_link(const Link& link) {
    assert(link.from.index() < nodes() && link.to.index() < nodes());
    const LinkId id(links_.size());
    links_.push_back(link);
    outgoing_[link.from.index()].push_back(id);
    incoming_[link.to.index()].push_back(id);
    return id;
}

void Graph::hide(LinkId link) {
    for (std::vector<LinkId>* list : {&outgoing_[links_[link.index()].from.index()],
                                      &incoming_[links_[link.index()].to.index()]}) {
        list->erase(std::remove(list->begin(), list->end(), link), list->end());
    }
}

std::vector<LinkId> Graph::shown_links() const {
    std::vector<LinkId> shown;
    shown.reserve(links_.size());
    for (const std::vector<LinkId>& links : outgoing_) {
        shown.insert(shown.end(), links.begin(), links.end());
    }
    std::sort(shown.begin(), shown.end());
    return shown;
}

LinkId Graph::find_link(NodeId from, NodeId to) const {
    for (const LinkId id : links_from(from)) {
        if (link(id).to == to) {
            return id;
        }
    }
    return LinkId();
}

}  // namespace npunet::topology
