// The part of NodeValidation that looks at collectives and their communicators.
#include <fmt/format.h>

#include <limits>
#include <vector>

#include "chakra/validation/node_validation.h"

namespace npunet::chakra {

namespace {

bool has_root(CollectiveType type) {
    return type == CollectiveType::Broadcast || type == CollectiveType::Reduce ||
           type == CollectiveType::Gather || type == CollectiveType::Scatter;
}

}  // namespace

void NodeValidation::check_collective(bool cpu) {
    // Host-side calls in profiler traces carry the type of a collective but none of its attributes:
    // the kernel that they launch is the collective.
    if (cpu && values_.find(KnownAttribute::CommType) == nullptr) {
        return check_compute();
    }
    const auto type_number =
        required(KnownAttribute::CommType, 0, static_cast<std::int64_t>(CollectiveType::Barrier));
    const auto type = type_number
                          ? std::optional(plain_type(static_cast<CollectiveType>(*type_number)))
                          : std::nullopt;
    (void)number(KnownAttribute::CommPriority, std::numeric_limits<std::int32_t>::min(),
                 std::numeric_limits<std::int32_t>::max());
    std::optional<std::int64_t> bytes = 0;
    if (type != CollectiveType::Barrier) {
        bytes = required(KnownAttribute::CommSize, 0, largest_comm_size);
        if (bytes == 0) {
            report(Severity::Warning, FindingCode::ZeroSizeCollective, [&] {
                return fmt::format(
                    "a collective of 0 bytes ({}). Leave it out, or make it a "
                    "BARRIER if it only synchronises",
                    type ? name_of(*type) : "of no type");
            });
        }
    }
    const auto on = group();
    const std::int64_t most_root =
        context_.ranks >= 0 ? context_.ranks - 1 : std::numeric_limits<std::int32_t>::max();
    const std::int64_t root =
        type && has_root(*type) ? number(KnownAttribute::CommRoot, -1, most_root).value_or(-1) : -1;
    if (!type || !bytes) {
        return;
    }
    const bool unequal = check_sizes(*bytes, *type, on.value_or(ValidatedGroups::unknown));
    if (!on) {
        return;
    }
    check_gathered(*bytes, *type, *on);
    check_root(*type, root, *on);
    collective_ =
        CollectiveRecord{node_->id, *bytes, *on, static_cast<std::int32_t>(root), *type, unequal};
}

bool NodeValidation::check_sizes(std::int64_t bytes, CollectiveType type,
                                 ValidatedGroups::Number group) {
    const AttributeValue* value = values_.find(KnownAttribute::CommSizes);
    if (value == nullptr) {
        return false;
    }
    const auto* sizes = std::get_if<std::vector<std::int64_t>>(value);
    if (sizes == nullptr || type != CollectiveType::AllToAll) {
        report_kind(KnownAttribute::CommSizes, "on an ALL_TO_ALL, a list of integers");
        return false;
    }
    std::int64_t left = bytes;
    bool fits = true;
    for (const std::int64_t size : *sizes) {
        fits = fits && size >= 0 && size <= left;
        left -= fits ? size : 0;
    }
    if (!fits || left != 0) {
        report(Severity::Error, FindingCode::AttributeOutOfRange, [&] {
            return fmt::format("comm_sizes do not sum to comm_size {}. Correct one of them", bytes);
        });
    }
    std::size_t members = 0;
    if (group != ValidatedGroups::unknown) {
        const auto* listed = groups_.members(group);
        members = listed != nullptr ? listed->size()
                  : group == ValidatedGroups::world && context_.ranks > 0
                      ? static_cast<std::size_t>(context_.ranks)
                      : 0;
    }
    if (members != 0 && members != sizes->size()) {
        report(Severity::Error, FindingCode::AttributeOutOfRange, [&] {
            return fmt::format(
                "comm_sizes with {} entries for the {} ranks of {}. Give one for "
                "each",
                sizes->size(), members, groups_.describe(group));
        });
    }
    return true;
}

void NodeValidation::check_gathered(std::int64_t bytes, CollectiveType type,
                                    ValidatedGroups::Number group) {
    const bool gathers = type == CollectiveType::AllGather || type == CollectiveType::Gather;
    const auto* listed = groups_.members(group);
    const std::int64_t members =
        listed != nullptr ? static_cast<std::int64_t>(listed->size())
                          : (group == ValidatedGroups::world ? context_.ranks : std::int64_t{1});
    if (gathers && members > 0 && bytes > largest_comm_size / members) {
        report(Severity::Error, FindingCode::AttributeOutOfRange, [&] {
            return fmt::format(
                "{} of {} bytes from each of {} ranks; the result may have {}. "
                "comm_size is one rank's shard",
                name_of(type), bytes, members, largest_comm_size);
        });
    }
}

void NodeValidation::check_root(CollectiveType type, std::int64_t root,
                                ValidatedGroups::Number group) {
    if (has_root(type) && root >= 0 && !groups_.has(group, Rank(static_cast<std::int32_t>(root)))) {
        report(Severity::Error, FindingCode::NotAMember, [&] {
            return fmt::format(
                "comm_root {} is no member of {}. Do traces and communicator-group "
                "file belong together?",
                root, groups_.describe(group));
        });
    }
}

std::optional<ValidatedGroups::Number> NodeValidation::group() {
    if (const AttributeValue* involved = values_.find(KnownAttribute::InvolveDims)) {
        if (!std::holds_alternative<std::vector<bool>>(*involved)) {
            report_kind(KnownAttribute::InvolveDims, "a list of booleans");
        }
        return std::nullopt;  // which ranks these are, only a machine tells
    }
    const std::string name = group_name();
    const ValidatedGroups::Number number = groups_.number_of(name);
    if (number == ValidatedGroups::unknown) {
        report(Severity::Error, FindingCode::UnknownGroup, [&] {
            return fmt::format(
                "communicator '{}' is not in the communicator-group file. Give the "
                "file that belongs to these traces",
                name);
        });
        return std::nullopt;
    }
    if (number != ValidatedGroups::world && !groups_.from_file()) {
        named_groups_ = true;
    }
    if (context_.rank.valid() && !groups_.has(number, context_.rank)) {
        report(Severity::Error, FindingCode::NotAMember, [&] {
            return fmt::format(
                "a collective on {}, of which rank {} is no member. Do traces and "
                "communicator-group file belong together?",
                groups_.describe(number), context_.rank.value());
        });
        return std::nullopt;
    }
    return number;
}

std::string NodeValidation::group_name() {
    const AttributeValue* value = values_.find(KnownAttribute::PgName);
    std::string name;
    const bool text = value != nullptr && std::holds_alternative<std::string>(*value);
    if (text) {
        name = std::get<std::string>(*value);
    } else if (value != nullptr) {
        const AttributeValues::Integer number = values_.integer(KnownAttribute::PgName);
        if (number.kind == AttributeValues::Kind::Integer) {
            name = std::to_string(number.value);
        } else {
            report_kind(KnownAttribute::PgName, "a string or an integer");
        }
    }
    compare_groups(name, value != nullptr);
    return name;
}

void NodeValidation::compare_groups(const std::string& name, bool named) {
    const auto older = number(KnownAttribute::CommGroup);
    if (!older) {
        return;
    }
    const std::string older_name = std::to_string(*older);
    if (named && older_name != (name.empty() ? "0" : name)) {
        report(Severity::Error, FindingCode::ContradictoryGroup, [&] {
            return fmt::format("pg_name '{}' but comm_group {}; pg_name counts. Keep the right one",
                               name, older_name);
        });
    } else if (!named && *older != 0) {
        report(Severity::Warning, FindingCode::IgnoredGroup, [&] {
            return fmt::format(
                "comm_group {} without pg_name: the collective runs on all ranks. "
                "Name the communicator in pg_name",
                older_name);
        });
    }
}

}  // namespace npunet::chakra
