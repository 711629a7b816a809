#include "study/sweep/design_space.h"

namespace npunet::study {

const Value* DesignSpace::find(const Point& point, std::string_view name) const {
    if (point.replay_of && name == "fidelity") {
        return &replay->fidelity;
    }
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        for (std::size_t i = 0; i < axes[axis].names.size(); ++i) {
            if (axes[axis].names[i] == name) {
                return &axes[axis].rows[point.rows[axis]][i];
            }
        }
    }
    return nullptr;
}

std::string DesignSpace::text_of(const Point& point, std::string_view name,
                                 const std::string& otherwise) const {
    const Value* value = find(point, name);
    return value == nullptr ? otherwise : value->text;
}

std::vector<std::string> DesignSpace::columns() const {
    std::vector<std::string> names;
    for (const Axis& axis : axes) {
        for (const std::string& name : axis.names) {
            // The groups belong to the traces, which have a column.
            if (axis.listed && name != "comm_group") {
                names.push_back(name);
            }
        }
    }
    return names;
}

std::string DesignSpace::describe(const Point& point) const {
    std::string words;
    for (const std::string& name : columns()) {
        words += (words.empty() ? "" : " ") + name + "=" + find(point, name)->text;
    }
    return words;
}

}  // namespace npunet::study
