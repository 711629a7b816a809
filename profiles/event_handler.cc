#include "profiles/event_handler.h"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "profiles/decimal_time.h"

namespace npunet::profiles {

namespace {

/// The reader calls itself for every level.
constexpr int most_depth = 100;

bool holds(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// Most bytes or elements of a tensor: 2^50, so that elements x bytes per element fit in 64 bits.
constexpr std::int64_t most_bytes = std::int64_t{1} << 50;
/// Largest device and rank number.
constexpr std::int64_t largest_place = std::numeric_limits<std::int32_t>::max();

/// A value, shortened for a note: a string can be as long as the file.
std::string shown(std::string_view value) {
    constexpr std::size_t most = 40;
    return value.size() <= most ? std::string(value) : fmt::format("{}...", value.substr(0, most));
}

}  // namespace

void EventHandler::begin_event() {
    draft_ = EventDraft();
    depth_ = 0;
    field_ = Field::None;
    in_args_ = false;
    target_ = Target();
    capturing_ = 0;
}

bool EventHandler::Null() {
    if (capturing_ > 0) {
        capture("null", false);
        return true;
    }
    if (depth_ == 1 && (field_ == Field::Start || field_ == Field::Duration)) {
        take_field("null");
    }
    field_ = Field::None;
    target_ = Target();
    return true;
}

bool EventHandler::Bool(bool what) {
    value(what ? "true" : "false", false);
    return true;
}

bool EventHandler::RawNumber(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    value({text, length}, false);
    return true;
}

bool EventHandler::String(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    value({text, length}, true);
    return true;
}

bool EventHandler::Key(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    if (depth_ == 1) {
        field_ = field_of({text, length});
    } else if (depth_ == 2 && in_args_) {
        target_ = target_of({text, length});
        if (target_.take == Take::Number) {
            argument_.assign(text, length);
        }
    }
    return true;
}

bool EventHandler::StartObject() {
    ++depth_;
    in_args_ = in_args_ || (depth_ == 2 && field_ == Field::Args);
    if (depth_ > 2) {
        target_ = Target();
        capturing_ = 0;  // no known argument is a list of objects
    }
    return depth_ <= most_depth;
}

bool EventHandler::EndObject(rapidjson::SizeType /*members*/) {
    --depth_;
    if (depth_ == 1) {
        in_args_ = false;
        field_ = Field::None;
    }
    return true;
}

bool EventHandler::StartArray() {
    ++depth_;
    if (capturing_ > 0) {
        capture("[", false);
    } else if (depth_ == 3 && target_.take == Take::Text) {
        capturing_ = depth_;
        captured_.assign(1, '[');
    }
    return depth_ <= most_depth;
}

bool EventHandler::EndArray(rapidjson::SizeType /*elements*/) {
    if (capturing_ > 0) {
        captured_ += ']';
        if (capturing_ == depth_) {
            capturing_ = 0;
            --depth_;
            take_argument(captured_, true);
            return true;
        }
    }
    --depth_;
    if (depth_ <= 2) {
        target_ = Target();
    }
    return true;
}

void EventHandler::value(std::string_view value, bool quoted) {
    if (capturing_ > 0) {
        capture(value, quoted);
    } else if (depth_ == 1) {
        take_field(value);
    } else if (depth_ == 2 && target_.take != Take::Nothing) {
        take_argument(value, quoted);
    }
}

void EventHandler::capture(std::string_view value, bool quoted) {
    if (captured_.back() != '[') {
        captured_ += ", ";
    }
    if (quoted) {
        captured_ += '"';
    }
    captured_ += value;
    if (quoted) {
        captured_ += '"';
    }
}

void EventHandler::take_field(std::string_view value) {
    switch (field_) {
        case Field::Phase:
            draft_.phase = value.empty() ? '\0' : value.front();
            break;
        case Field::EventCategory:
            draft_.category = strings_.intern(value);
            draft_.has_category = true;
            break;
        case Field::Name:
            draft_.name = strings_.intern(value);
            break;
        case Field::Pid:
            draft_.pid = strings_.intern(value);
            break;
        case Field::Tid:
            draft_.tid = strings_.intern(value);
            break;
        case Field::Start:
            draft_.start_ns = time("ts", value, latest_start_ns);
            break;
        case Field::Duration:
            draft_.duration_ns = time("dur", value, longest_event_ns);
            break;
        case Field::Id:
            draft_.id = whole_number_of(value).value_or(-1 - std::int64_t{strings_.intern(value)});
            break;
        case Field::None:
        case Field::Args:
            break;
    }
    field_ = Field::None;
}

std::int64_t EventHandler::time(const char* field, std::string_view value, std::int64_t most) {
    const std::optional<std::int64_t> ns = nanoseconds_of(value);
    if (ns && *ns >= 0 && *ns <= most) {
        return *ns;
    }
    if (draft_.unusable_time.empty()) {
        draft_.unusable_time = fmt::format("'{}' is {}, not a number of microseconds from 0 to {}",
                                           field, shown(value), most / 1000);
    }
    return absent;
}

void EventHandler::take_argument(std::string_view value, bool quoted) {
    if (target_.take == Take::Number) {
        const std::optional<std::int64_t> number = whole_number_of(value);
        const bool good = number && *number >= -target_.most && *number <= target_.most;
        *target_.number = good ? *number : absent;
        // Some profilers write a string for a missing value: "stream": "0x0".
        if (!good && !quoted && draft_.unusable_argument.empty()) {
            draft_.unusable_argument = fmt::format("'{}' is {}, not a whole number up to {}",
                                                   argument_, shown(value), target_.most);
        }
    } else {
        *target_.text = strings_.intern(value);
    }
    if (target_.present != nullptr) {
        *target_.present = true;
    }
    target_ = Target();
}

EventHandler::Field EventHandler::field_of(std::string_view key) {
    switch (key.size()) {
        case 2:
            return key == "ph"   ? Field::Phase
                   : key == "ts" ? Field::Start
                   : key == "id" ? Field::Id
                                 : Field::None;
        case 3:
            return key == "pid"   ? Field::Pid
                   : key == "tid" ? Field::Tid
                   : key == "dur" ? Field::Duration
                   : key == "cat" ? Field::EventCategory
                                  : Field::None;
        case 4:
            return key == "name" ? Field::Name : key == "args" ? Field::Args : Field::None;
        default:
            return Field::None;
    }
}

EventHandler::Target EventHandler::number(std::int64_t& value, bool* present, std::int64_t most) {
    Target target;
    target.take = Take::Number;
    target.number = &value;
    target.most = most;
    target.present = present;
    return target;
}

EventHandler::Target EventHandler::text(StringId& value, bool* present) {
    Target target;
    target.take = Take::Text;
    target.text = &value;
    target.present = present;
    return target;
}

EventHandler::Target EventHandler::target_of(std::string_view key) {
    switch (key.size()) {
        case 4:
            return key == "name" ? text(draft_.label) : collective_target(key);
        case 5:
            return key == "bytes" ? number(draft_.bytes, nullptr, most_bytes)
                                  : collective_target(key);
        case 6:
            return key == "stream"   ? number(draft_.stream)
                   : key == "device" ? number(draft_.device, nullptr, largest_place)
                                     : Target();
        case 11:
            return key == "correlation"                           ? number(draft_.correlation)
                   : key == "External id" || key == "external id" ? number(draft_.external_id)
                                                                  : collective_target(key);
        case 13:
            return key == "Fwd thread id" ? number(draft_.cpu_op.forward_thread, &draft_.has_cpu_op)
                                          : collective_target(key);
        case 14:
            return key == "wait_on_stream" ? number(draft_.sync.wait_on_stream, &draft_.has_sync)
                                           : collective_target(key);
        case 15:
            return key == "Sequence number" ? number(draft_.cpu_op.sequence, &draft_.has_cpu_op)
                                            : collective_target(key);
        case 18:
            return key == "Record function id"
                       ? number(draft_.cpu_op.record_function_id, &draft_.has_cpu_op)
                       : collective_target(key);
        case 21:
            return key == "wait_on_cuda_event_id"
                       ? number(draft_.sync.wait_on_event, &draft_.has_sync)
                       : Target();
        case 33:
            return key == "wait_on_cuda_event_record_corr_id"
                       ? number(draft_.sync.wait_on_record_correlation, &draft_.has_sync)
                       : Target();
        default:
            return collective_target(key);
    }
}

EventHandler::Target EventHandler::collective_target(std::string_view key) {
    CollectiveArgs& args = draft_.collective;
    bool* present = &draft_.has_collective;
    switch (key.size()) {
        case 3:
            return key == "Seq" ? number(args.sequence, present) : Target();
        case 5:
            return key == "dtype" ? text(args.dtype, present) : Target();
        case 8:
            return key == "Src Rank"   ? number(args.source, present, largest_place)
                   : key == "Dst Rank" ? number(args.destination, present, largest_place)
                                       : Target();
        case 10:
            return key == "Group size" ? number(args.group_size, present, largest_place)
                   : key == "Input Dims" && is_communication() ? text(args.input_dims, present)
                   : key == "Input type" && is_communication() ? text(args.input_types, present)
                                                               : operator_target(key);
        case 13:
            return key == "In msg nelems"   ? number(args.in_elements, present, most_bytes)
                   : key == "In split size" ? text(args.in_split, present)
                                            : Target();
        case 14:
            return key == "Out msg nelems"   ? number(args.out_elements, present, most_bytes)
                   : key == "Out split size" ? text(args.out_split, present)
                                             : Target();
        case 15:
            return key == "Collective name" ? text(args.collective, present) : operator_target(key);
        case 16:
            return key == "Process Group ID" ? text(args.group_name, present) : Target();
        case 18:
            return key == "Process Group Name" ? text(args.group_name, present) : Target();
        case 19:
            return key == "Process Group Ranks" ? text(args.group_ranks, present) : Target();
        case 25:
            return key == "Process Group Description" ? text(args.group_description, present)
                                                      : Target();
        default:
            return {};
    }
}

EventHandler::Target EventHandler::operator_target(std::string_view key) {
    const std::string_view name = strings_[draft_.name];
    if (!name.starts_with("aten::") && !name.starts_with("flash_attn::")) {
        return {};
    }
    OperatorArgs& inputs = draft_.inputs;
    return key == "Input Dims"   ? text(inputs.input_dims, &draft_.has_inputs)
           : key == "Input type" ? text(inputs.input_types, &draft_.has_inputs)
           : key == "Concrete Inputs" && (holds(name, "attention") || holds(name, "attn"))
               ? text(inputs.concrete_inputs, &draft_.has_inputs)
               : Target();
}

bool EventHandler::is_communication() {
    const std::string_view name = strings_[draft_.name];
    return name == "record_param_comms" || name.starts_with("c10d::") || holds(name, "nccl:");
}

}  // namespace npunet::profiles
