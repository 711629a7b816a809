#include "generators/profiler/recorded_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "base/errors.h"

namespace npunet::generators::profiler {

namespace {

/// How many slices before a time are looked at for those around it: they nest three deep, and a
/// batch stands before its launch.
constexpr std::size_t most_before = 64;

bool is_record(std::string_view name) {
    return name == "record_param_comms";
}

bool is_call(std::string_view name) {
    return is_record(name) || name.starts_with("nccl:") || name.starts_with("c10d::");
}

bool is_message(const CommunicationCall& call) {
    return call.kind == CallKind::Send || call.kind == CallKind::Receive;
}

bool has_root(const CommunicationCall& call) {
    return call.kind == CallKind::Collective &&
           (call.collective == chakra::CollectiveType::Broadcast ||
            call.collective == chakra::CollectiveType::Reduce ||
            call.collective == chakra::CollectiveType::Gather ||
            call.collective == chakra::CollectiveType::Scatter);
}

std::int64_t times(std::int64_t count, std::int64_t bytes) {
    std::int64_t product = 0;
    const bool known = count >= 0 && bytes > 0 && !__builtin_mul_overflow(count, bytes, &product);
    return known ? product : unknown;
}

void set_known(std::int64_t& target, std::int64_t value) {
    target = value >= 0 ? value : target;
}

void set_known(chakra::DataType& target, std::string_view torch_name) {
    const chakra::DataType type = chakra::data_type_of_torch(torch_name);
    target = type != chakra::DataType::None ? type : target;
}

}  // namespace

RecordedCalls::RecordedCalls(const profiles::EventTable& table,
                             const profiles::ExecutionTrace* trace)
    : table_(table) {
    collect();
    if (trace != nullptr) {
        join(*trace);
    }
}

void RecordedCalls::collect() {
    for (profiles::EventId event = 0; event < table_.size(); ++event) {
        const profiles::EventCategory category = table_.category[event];
        const bool cpu = category == profiles::EventCategory::CpuOp ||
                         category == profiles::EventCategory::UserAnnotation;
        if (cpu && is_call(table_.name_of(event))) {
            slices_[table_.track[event]].push_back(
                {event, table_.start_ns[event], table_.end_ns(event),
                 is_record(table_.name_of(event)), false, false, nullptr});
        }
    }
    for (auto& [track, slices] : slices_) {
        std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
            return std::pair(a.begin_ns, -a.end_ns) < std::pair(b.begin_ns, -b.end_ns);
        });
    }
}

void RecordedCalls::join(const profiles::ExecutionTrace& trace) {
    std::vector<Slice*> records;
    for (auto& [track, slices] : slices_) {
        for (Slice& slice : slices) {
            if (slice.record) {
                records.push_back(&slice);
            }
        }
    }
    std::stable_sort(records.begin(), records.end(),
                     [](const Slice* a, const Slice* b) { return a->begin_ns < b->begin_ns; });
    std::unordered_map<std::int64_t, const profiles::RecordedCommunication*> by_id;
    for (const profiles::RecordedCommunication& one : trace.communications) {
        by_id.emplace(static_cast<std::int64_t>(one.record_function_id), &one);
    }
    const auto id_of = [&](const Slice& slice) {
        const auto* row = profiles::EventTable::row_of(table_.cpu_ops, slice.event);
        return row == nullptr ? 0 : std::max<std::int64_t>(row->record_function_id, 0);
    };
    const bool by_number = std::any_of(records.begin(), records.end(),
                                       [&](const Slice* slice) { return id_of(*slice) > 0; });
    if (!by_number && records.size() != trace.communications.size()) {
        refusal_ = fmt::format("it has {} communication calls, the profile {}",
                               trace.communications.size(), records.size());
        return;
    }
    for (std::size_t i = 0; i < records.size(); ++i) {
        const auto found = by_id.find(id_of(*records[i]));
        records[i]->recorded = !by_number             ? &trace.communications[i]
                               : found != by_id.end() ? found->second
                                                      : nullptr;
        joined_ += records[i]->recorded != nullptr ? 1 : 0;
    }
    for (Slice* slice : records) {
        CommunicationCall seen;
        const auto* recorded = std::exchange(slice->recorded, nullptr);
        add_slice(*slice, seen);
        slice->recorded = recorded;
        const std::int64_t told =
            recorded == nullptr ? unknown : times(recorded->in_elements, recorded->element_bytes);
        if (seen.in_bytes >= 0 && told >= 0 && seen.in_bytes != told) {
            refusal_ = fmt::format("a call of {} bytes in the profile has {} bytes there",
                                   seen.in_bytes, told);
        }
    }
    if (!refusal_.empty()) {
        joined_ = 0;
        for (Slice* slice : records) {
            slice->recorded = nullptr;
        }
    }
}

std::vector<std::size_t> RecordedCalls::around(const Slices& slices, std::int64_t ns) const {
    const auto after = std::upper_bound(
        slices.begin(), slices.end(), ns,
        [](std::int64_t time, const Slice& slice) { return time < slice.begin_ns; });
    const auto end = static_cast<std::size_t>(after - slices.begin());
    std::vector<std::size_t> found;
    for (std::size_t i = end - std::min(end, most_before); i < end; ++i) {
        if (slices[i].end_ns >= ns) {
            found.push_back(i);
        }
    }
    return found;
}

void RecordedCalls::mark_launch(std::uint32_t track, std::int64_t ns) {
    const auto slices = slices_.find(track);
    if (slices != slices_.end()) {
        for (const std::size_t index : around(slices->second, ns)) {
            slices->second[index].launches = true;
        }
    }
}

bool RecordedCalls::launches(std::uint32_t track, std::int64_t ns) const {
    const auto slices = slices_.find(track);
    if (slices == slices_.end()) {
        return false;
    }
    const std::vector<std::size_t> found = around(slices->second, ns);
    return std::any_of(found.begin(), found.end(),
                       [&](std::size_t index) { return slices->second[index].launches; });
}

void RecordedCalls::add_slice(const Slice& slice, CommunicationCall& call) const {
    const std::string_view name = table_.name_of(slice.event);
    if (!slice.record) {
        name_call(name, call);
    }
    if (const profiles::CollectiveArgs* row = table_.collective_of(slice.event)) {
        const std::vector<std::int64_t> elements = elements_of(table_.strings[row->input_dims]);
        const std::vector<std::string_view> types = texts_of(table_.strings[row->input_types]);
        const auto bytes = [&](std::size_t operand) {
            return operand < elements.size() && operand < types.size()
                       ? times(elements[operand], bytes_of_type(types[operand]))
                       : unknown;
        };
        const bool both =
            name.starts_with("c10d::") && name.find("_base") != std::string_view::npos;
        set_known(call.in_bytes, bytes(both ? 1 : 0));
        if (both) {
            set_known(call.out_bytes, bytes(0));
        }
        if (!types.empty()) {
            set_known(call.element_bytes, bytes_of_type(types.front()));
            set_known(call.element, types.front());
        }
        add_arguments(*row, call);
    }
    if (slice.recorded != nullptr) {
        add_recorded(*slice.recorded, call);
    }
}

void RecordedCalls::add_recorded(const profiles::RecordedCommunication& recorded,
                                 CommunicationCall& call) const {
    name_call(recorded.collective, call);
    set_known(call.element_bytes, recorded.element_bytes);
    set_known(call.in_bytes, times(recorded.in_elements, recorded.element_bytes));
    set_known(call.out_bytes, times(recorded.out_elements, recorded.element_bytes));
    set_known(call.group_size, recorded.group_size);
    if (is_message(call) || has_root(call)) {
        set_known(call.peer, recorded.peer);
    }
    if (!recorded.in_split.empty() || !recorded.out_split.empty()) {
        call.in_split = recorded.in_split;
        call.out_split = recorded.out_split;
    }
    if (!recorded.group_name.empty()) {
        call.group_name = recorded.group_name;
        call.group_description = recorded.group_description;
    }
    if (recorded.first_rank >= 0 && recorded.rank_stride > 0 && recorded.group_size > 0) {
        call.ranks = strided(recorded.first_rank, recorded.rank_stride, recorded.group_size);
    }
}

RankList RecordedCalls::listed(const std::vector<std::int32_t>& numbers) const {
    if (numbers.empty()) {
        return nullptr;
    }
    RankList& list = lists_[numbers];
    if (list == nullptr) {
        std::vector<Rank> ranks;
        for (const std::int32_t number : numbers) {
            if (number < 0 || number >= most_ranks) {
                throw InputError({table_.file, "", fmt::format("a group with rank {}", number),
                                  fmt::format("ranks from 0 to {}", most_ranks - 1),
                                  "Is the file what the profiler has written?"});
            }
            ranks.emplace_back(number);
        }
        list = std::make_shared<const std::vector<Rank>>(std::move(ranks));
    }
    return list;
}

RankList RecordedCalls::strided(std::int64_t first, std::int64_t stride, std::int64_t size) const {
    if (first >= most_ranks || stride >= most_ranks || size > most_ranks) {
        return nullptr;
    }
    std::vector<std::int32_t> numbers;
    for (std::int64_t rank = first; rank < most_ranks && std::ssize(numbers) < size;
         rank += stride) {
        numbers.push_back(static_cast<std::int32_t>(rank));
    }
    return listed(numbers);
}

void RecordedCalls::add_arguments(const profiles::CollectiveArgs& arguments,
                                  CommunicationCall& call) const {
    const auto text = [&](profiles::StringId id) { return table_.strings[id]; };
    name_call(text(arguments.collective), call);
    const std::int64_t bytes = bytes_of_type(text(arguments.dtype));
    set_known(call.element_bytes, bytes);
    set_known(call.element, text(arguments.dtype));
    set_known(call.in_bytes, times(arguments.in_elements, bytes));
    set_known(call.out_bytes, times(arguments.out_elements, bytes));
    set_known(call.group_size, arguments.group_size);
    set_known(call.sequence, arguments.sequence);
    if (is_message(call)) {
        set_known(call.peer,
                  call.kind == CallKind::Send ? arguments.destination : arguments.source);
    }
    const std::vector<std::int64_t> in_split = numbers_of(text(arguments.in_split));
    const std::vector<std::int64_t> out_split = numbers_of(text(arguments.out_split));
    if (!in_split.empty() || !out_split.empty()) {
        call.in_split = in_split;
        call.out_split = out_split;
    }
    if (!text(arguments.group_name).empty()) {
        call.group_name = text(arguments.group_name);
        call.group_description = text(arguments.group_description);
    }
    if (arguments.group_ranks != 0) {
        const auto [list, is_new] = lists_of_text_.try_emplace(arguments.group_ranks);
        if (is_new) {
            list->second = listed(profiles::ranks_of(text(arguments.group_ranks))
                                      .value_or(std::vector<std::int32_t>()));
        }
        call.ranks = list->second != nullptr ? list->second : call.ranks;
    }
}

void RecordedCalls::complete(CommunicationCall& call) const {
    for (const profiles::ProcessGroup& group : table_.groups) {
        if (call.ranks == nullptr && !call.group_name.empty() && group.name == call.group_name) {
            call.ranks = listed(group.ranks);
            if (call.group_description.empty()) {
                call.group_description = group.description;
            }
        }
    }
    if (call.ranks != nullptr && std::ssize(*call.ranks) < call.group_size) {
        call.ranks = nullptr;  // the list was cut off
    }
}

std::vector<CommunicationCall> RecordedCalls::batch(Slices& slices, std::int64_t ns) {
    const auto after = std::upper_bound(
        slices.begin(), slices.end(), ns,
        [](std::int64_t time, const Slice& slice) { return time < slice.begin_ns; });
    const auto end = static_cast<std::size_t>(after - slices.begin());
    std::size_t begin = end;
    while (begin > 0 && !(slices[begin - 1].record && slices[begin - 1].used)) {
        --begin;
    }
    std::vector<CommunicationCall> calls;
    for (std::size_t i = begin; i < end; ++i) {
        Slice& slice = slices[i];
        if (!slice.record) {
            continue;
        }
        CommunicationCall call;
        for (std::size_t inner = i; inner < slices.size() && slices[inner].begin_ns <= slice.end_ns;
             ++inner) {
            if (slices[inner].end_ns <= slice.end_ns) {
                add_slice(slices[inner], call);
            }
        }
        if (is_message(call)) {
            slice.used = true;
            complete(call);
            calls.push_back(std::move(call));
        }
    }
    return calls;
}

std::vector<CommunicationCall> RecordedCalls::calls_of(profiles::EventId kernel, std::int64_t track,
                                                       std::int64_t ns) {
    CommunicationCall call;
    const auto slices = track < 0 ? slices_.end() : slices_.find(static_cast<std::uint32_t>(track));
    std::vector<std::size_t> around_launch;
    if (slices != slices_.end()) {
        around_launch = around(slices->second, ns);
        for (const std::size_t index : around_launch) {
            add_slice(slices->second[index], call);
        }
    }
    if (const profiles::CollectiveArgs* own = table_.collective_of(kernel)) {
        add_arguments(*own, call);
    }
    if (call.kind == CallKind::Unknown) {
        if (!around_launch.empty()) {
            std::vector<CommunicationCall> calls = batch(slices->second, ns);
            if (!calls.empty()) {
                return calls;
            }
        }
        name_call(table_.name_of(kernel), call);
    }
    for (const std::size_t index : around_launch) {
        slices->second[index].used = true;
    }
    complete(call);
    return {std::move(call)};
}

}  // namespace npunet::generators::profiler
