#include "generators/recorded/recorded_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/errors.h"
#include "base/json_document.h"
#include "chakra/trace/kernel.h"

namespace npunet::generators::recorded {

namespace {

using Json = nlohmann::json;
using Kind = RecordedEvent::Kind;

constexpr const char* format_name = "npunet-record";
constexpr std::int64_t format_version = 1;

/// By the names of the log.
constexpr std::array<std::pair<std::string_view, chakra::CollectiveType>, 9> collectives{{
    {"all_reduce", chakra::CollectiveType::AllReduce},
    {"reduce", chakra::CollectiveType::Reduce},
    {"all_gather", chakra::CollectiveType::AllGather},
    {"gather", chakra::CollectiveType::Gather},
    {"scatter", chakra::CollectiveType::Scatter},
    {"broadcast", chakra::CollectiveType::Broadcast},
    {"all_to_all", chakra::CollectiveType::AllToAll},
    {"reduce_scatter", chakra::CollectiveType::ReduceScatter},
    {"barrier", chakra::CollectiveType::Barrier},
}};

/// One line of a log as an object with typed fields.
class Record {
public:
    Record(const std::string& file, std::size_t line, const std::string& text)
        : file_(&file), line_(line) {
        try {
            json_ = Json::parse(text);
        } catch (const Json::exception& error) {
            refuse("text that is not JSON", json_complaint(error.what()));
        }
        if (!json_.is_object()) {
            refuse(json_excerpt(json_), "an object");
        }
    }

    [[nodiscard]] bool has(const char* key) const { return json_.contains(key); }

    [[nodiscard]] std::int64_t number(const char* key, std::int64_t least = 0) const {
        const Json& value = at(key);
        if (!value.is_number_integer() || value.get<std::int64_t>() < least) {
            refuse(fmt::format("{} {}", key, json_excerpt(value)),
                   fmt::format("a whole number from {}", least));
        }
        return value.get<std::int64_t>();
    }
    [[nodiscard]] std::int32_t small(const char* key) const {
        const std::int64_t value = number(key);
        if (value > std::numeric_limits<std::int32_t>::max()) {
            refuse(fmt::format("{} {}", key, value), "a number of 31 bits");
        }
        return static_cast<std::int32_t>(value);
    }
    [[nodiscard]] std::string text(const char* key) const {
        const Json& value = at(key);
        if (!value.is_string()) {
            refuse(fmt::format("{} {}", key, json_excerpt(value)), "a text");
        }
        return value.get<std::string>();
    }
    [[nodiscard]] std::string text_or_empty(const char* key) const {
        return has(key) ? text(key) : "";
    }
    [[nodiscard]] std::vector<std::int64_t> numbers(const char* key) const {
        return has(key) ? numbers(key, json_[key]) : std::vector<std::int64_t>();
    }
    [[nodiscard]] RecordedEvent::Shapes shapes(const char* key) const {
        RecordedEvent::Shapes result;
        if (!has(key)) {
            return result;
        }
        if (!json_[key].is_array()) {
            refuse(fmt::format("{} {}", key, json_excerpt(json_[key])), "a list of shapes");
        }
        for (const Json& shape : json_[key]) {
            result.push_back(numbers(key, shape));
        }
        return result;
    }

    [[noreturn]] void refuse(std::string found, std::string expected) const {
        throw InputError({*file_, fmt::format("line {}", line_), std::move(found),
                          std::move(expected), "Record the program again"});
    }

private:
    [[nodiscard]] std::vector<std::int64_t> numbers(const char* key, const Json& list) const {
        std::vector<std::int64_t> result;
        if (!list.is_array()) {
            refuse(fmt::format("{} {}", key, json_excerpt(list)), "a list of whole numbers");
        }
        for (const Json& one : list) {
            if (!one.is_number_integer() || one.get<std::int64_t>() < 0) {
                refuse(fmt::format("{} in {}", json_excerpt(one), key), "a whole number from 0");
            }
            result.push_back(one.get<std::int64_t>());
        }
        return result;
    }

    [[nodiscard]] const Json& at(const char* key) const {
        if (!has(key)) {
            refuse(json_excerpt(json_), fmt::format("a record with {}", key));
        }
        return json_[key];
    }

    const std::string* file_;  ///< its name
    std::size_t line_;
    Json json_;
};

/// The lines of a log, the header among them.
class LogLines {
public:
    explicit LogLines(const std::filesystem::path& file) : file_(file.string()), stream_(file) {
        if (!stream_) {
            throw InputError({file_, "", "no file that can be read", "the log of a rank",
                              "Record the program again"});
        }
        const std::optional<Record> first = next();
        if (!first || first->text_or_empty("format") != format_name) {
            refuse_end("another text", "the log of a rank");
        }
        if (first->number("version") != format_version) {
            first->refuse(fmt::format("version {}", first->number("version")),
                          fmt::format("version {}", format_version));
        }
        header_.rank = Rank(first->small("rank"));
        header_.ranks = first->small("ranks");
        if (header_.rank.value() >= header_.ranks) {
            first->refuse(fmt::format("rank {}", header_.rank.value()),
                          fmt::format("a rank below {}", header_.ranks));
        }
    }

    [[nodiscard]] std::optional<Record> next() {
        if (!std::getline(stream_, text_)) {
            return std::nullopt;
        }
        ++line_;
        return Record(file_, line_, text_);
    }

    /// The records of groups come first; returns the one behind them.
    [[nodiscard]] std::optional<Record> read_groups() {
        std::optional<Record> record = next();
        for (; record && record->has("group") && !record->has("call"); record = next()) {
            if (record->number("group") != static_cast<std::int64_t>(header_.groups.size())) {
                record->refuse(fmt::format("group {}", record->number("group")),
                               fmt::format("group {}", header_.groups.size()));
            }
            header_.groups.push_back(ranks_of(*record));
            header_.backends.push_back(record->text_or_empty("backend"));
        }
        return record;
    }

    [[nodiscard]] const LogHeader& header() const { return header_; }
    [[nodiscard]] std::size_t line() const { return line_; }

    [[noreturn]] void refuse_end(std::string found, std::string expected) const {
        throw InputError({file_, fmt::format("line {}", line_), std::move(found),
                          std::move(expected), "Record the program again"});
    }

private:
    [[nodiscard]] std::vector<Rank> ranks_of(const Record& record) const {
        std::vector<Rank> ranks;
        for (const std::int64_t rank : record.numbers("ranks")) {
            if (rank >= header_.ranks) {
                record.refuse(fmt::format("rank {} of a group", rank),
                              fmt::format("a rank below {}", header_.ranks));
            }
            ranks.emplace_back(static_cast<std::int32_t>(rank));
        }
        if (ranks.empty()) {
            record.refuse("a group without ranks", "at least one rank");
        }
        return ranks;
    }

    std::string file_;
    std::ifstream stream_;
    std::string text_;
    std::size_t line_ = 0;
    LogHeader header_;
};

void read_operation(const Record& record, RecordedEvent& event) {
    event.kind = Kind::Operation;
    event.name = record.text("phase");
    if (const std::string module = record.text_or_empty("module"); !module.empty()) {
        event.name += "." + module;
    }
    const std::string operation = record.text("op");
    event.name += "." + operation;
    event.operation = "aten::" + operation;
    event.inputs = record.text_or_empty("inputs");
    event.kernel = record.text_or_empty("kernel");
    event.dtype = record.text_or_empty("dtype");
    event.shape = record.numbers("shape");
    event.flops = record.number("flops");
    event.bytes = record.number("bytes");
}

void read_call(const Record& record, const LogHeader& header, RecordedEvent& event) {
    event.number = record.number("call");
    event.group = record.small("group");
    event.bytes = record.number("bytes");
    event.sizes = record.numbers("sizes");
    event.place = record.text_or_empty("at");
    event.name = record.text("function");
    event.torch_type = record.text_or_empty("dtype");
    event.dtype = name_of(chakra::data_type_of_torch(event.torch_type));
    event.reduce_op = record.text_or_empty("reduce_op");
    event.input_shapes = record.shapes("in");
    event.output_shapes = record.shapes("out");
    if (static_cast<std::size_t>(event.group) >= header.groups.size()) {
        record.refuse(fmt::format("group {}", event.group), "a group that the log lists");
    }
    if (event.bytes > chakra::largest_comm_size) {
        record.refuse(fmt::format("{} bytes", event.bytes),
                      fmt::format("at most {}", chakra::largest_comm_size));
    }
    for (const char* key : {"root", "peer"}) {
        if (record.has(key)) {
            event.peer = Rank(record.small(key));
        }
    }
    const std::vector<Rank>& members = header.groups[static_cast<std::size_t>(event.group)];
    if (event.peer.valid() &&
        std::find(members.begin(), members.end(), event.peer) == members.end()) {
        record.refuse(fmt::format("rank {}", event.peer.value()), "a rank of the group");
    }
    event.tag = record.has("tag") ? record.small("tag") : 0;
    const std::string type = record.text("type");
    if (type == "send" || type == "recv") {
        event.kind = type == "send" ? Kind::Send : Kind::Receive;
        if (!event.peer.valid()) {
            record.refuse("a message without peer", "the other rank");
        }
        return;
    }
    event.kind = Kind::Collective;
    for (const auto& [name, collective] : collectives) {
        if (name == type) {
            event.collective = collective;
            return;
        }
    }
    record.refuse("type " + type, "all_reduce, broadcast, send, ...");
}

RecordedEvent event_of(const Record& record, const LogHeader& header, std::size_t line) {
    RecordedEvent event;
    event.line = line;
    event.after = record.numbers("after");
    event.stream = record.has("stream") ? record.small("stream") : 0;
    if (record.has("op")) {
        read_operation(record, event);
    } else if (record.has("call")) {
        read_call(record, header, event);
    } else if (record.has("wait")) {
        event.kind = Kind::Wait;
        event.number = record.number("wait");
    } else if (record.has("record_event")) {
        event.kind = Kind::Mark;
        event.number = record.number("record_event");
    } else if (record.has("wait_event")) {
        event.kind = Kind::MarkWait;
        event.number = record.number("wait_event");
    } else {
        record.refuse("a record of no known kind", "an operation, a call or a wait");
    }
    return event;
}

}  // namespace

LogHeader read_log_header(const std::filesystem::path& file) {
    LogLines lines(file);
    static_cast<void>(lines.read_groups());
    return lines.header();
}

std::vector<LogWarning> read_recorded_log(
    const std::filesystem::path& file, const std::function<void(const RecordedEvent&)>& visitor) {
    LogLines lines(file);
    std::vector<LogWarning> warnings;
    for (std::optional<Record> record = lines.read_groups(); record; record = lines.next()) {
        if (record->has("end")) {
            return warnings;
        }
        if (record->has("warning")) {
            warnings.push_back({record->text("at"), record->text("warning")});
        } else {
            visitor(event_of(*record, lines.header(), lines.line()));
        }
    }
    lines.refuse_end("the end of the file", "the record that ends a log");
}

}  // namespace npunet::generators::recorded
