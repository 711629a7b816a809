#include "chakra/schemas/frame_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "chakra/schemas/older_schemas.h"
#include "chakra/schemas/wire_fields.h"

namespace npunet::chakra {

namespace {

/// A typed attribute has its value in the field that is this much above its type.
constexpr int typed_value_offset = 4;

/// The number of types that a typed attribute can have.
int types_of(NodeForm form) {
    return form == NodeForm::V0_0_2 ? 6 : form == NodeForm::V0_0_3a ? 8 : 10;
}

struct AttributeScan {
    std::string_view name;
    bool has_type = false;
    std::uint64_t type = 0;
    int value_field = 0;  ///< 0: none
    bool more_values = false;
    std::uint64_t value = 0;
};

AttributeScan scan_of(NodeForm form, std::string_view attribute) {
    AttributeScan scan;
    const int first_value = form == NodeForm::V0_0_4 ? 3 : typed_value_offset;
    for (WireFields fields(attribute); fields.next();) {
        const WireField& field = fields.field();
        if (field.number == 1) {
            scan.name = field.bytes;
        } else if (field.number == 2 && form != NodeForm::V0_0_4) {
            scan.has_type = true;
            scan.type = field.value;
        } else if (field.number >= first_value) {
            scan.more_values |= scan.value_field != 0 && scan.value_field != field.number;
            scan.value_field = field.number;
            scan.value = field.value;
        }
    }
    return scan;
}

/// The value stands in the field of the type, or nowhere.
void judge_type(NodeForm form, const AttributeScan& scan, Evidence& evidence) {
    if (!scan.has_type) {
        evidence.fault = fmt::format("attribute {:.40} has no type (field 2)", scan.name);
    } else if (scan.type >= static_cast<std::uint64_t>(types_of(form))) {
        evidence.fault = fmt::format("attribute {:.40} has type {}", scan.name, scan.type);
    } else if (scan.more_values ||
               (scan.value_field != 0 &&
                scan.value_field != static_cast<int>(scan.type) + typed_value_offset)) {
        evidence.fault = fmt::format("attribute {:.40} of type {} has its value in field {}",
                                     scan.name, scan.type, scan.value_field);
    }
}

/// The names that producers of 0.0.3 gave to signed numbers.
bool usually_signed(std::string_view name) {
    return name == "comm_type" || name == "comm_size" || name == "tensor_size" ||
           name == "runtime" || name == "num_ops";
}

/// What was a signed number in 0.0.3a would be an unsigned one in 0.0.3d.
void judge_unsigned(const AttributeScan& scan, Evidence& evidence) {
    constexpr std::uint64_t unsigned_type = 2;
    if (!scan.has_type || scan.type != unsigned_type) {
        return;
    }
    if (scan.value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        add_points(evidence, -improbable, fmt::format("{:.40} would be {}", scan.name, scan.value));
    } else if (usually_signed(scan.name)) {
        add_points(evidence, -odd, fmt::format("{} would be an unsigned number", scan.name));
    }
}

void note_signs(const AttributeScan& scan, AttributeSigns& signs) {
    const std::string_view name = scan.name;
    signs.named = !name.empty() && !has_control_characters(name);
    signs.communication |= name.substr(0, 5) == "comm_" || name == "pg_name";
    signs.collective |= name == "comm_type";
    signs.message |= name == "comm_src" || name == "comm_dst";
    signs.computation |= name == "num_ops" || name == "runtime" || name == "simulated_run_time";
    signs.size |= name == "tensor_size";
}

bool known_collective(NodeForm form, std::uint64_t number) {
    if (form == NodeForm::V0_0_4) {
        return number <= static_cast<std::uint64_t>(CollectiveType::Barrier);
    }
    return older_collective(form == NodeForm::V0_0_3d ? Schema::V0_0_3d : Schema::V0_0_3a, number)
        .has_value();
}

}  // namespace

bool has_control_characters(std::string_view text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

void judge_attribute(NodeForm form, std::string_view attribute, AttributeSigns& signs,
                     Evidence& evidence) {
    const AttributeScan scan = scan_of(form, attribute);
    note_signs(scan, signs);
    if (form != NodeForm::V0_0_4) {
        judge_type(form, scan, evidence);
        if (form == NodeForm::V0_0_3d) {
            judge_unsigned(scan, evidence);
        }
    }
    if (!signs.named) {
        add_points(evidence, -contradiction, "an attribute has no printable name");
    }
    if (scan.name == "comm_type" && scan.value_field != 0 && !known_collective(form, scan.value)) {
        add_points(evidence, -odd, fmt::format("comm_type would be {}", scan.value));
    }
}

}  // namespace npunet::chakra
