#include "profiles/execution_trace.h"

#include <fmt/format.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "base/errors.h"
#include "profiles/byte_source.h"
#include "profiles/json_text.h"

namespace npunet::profiles {

namespace {

/// The characters of a file for RapidJSON.
class FileStream {
public:
    using Ch = char;

    explicit FileStream(const std::filesystem::path& path) : source_(path) {}

    // NOLINTBEGIN(readability-identifier-naming): RapidJSON's names.
    [[nodiscard]] char Peek() {
        if (at_ == end_) {
            before_ += end_;
            at_ = 0;
            end_ = source_.read(buffer_.data(), buffer_.size());
            if (end_ == 0) {
                return '\0';
            }
        }
        return buffer_[at_];
    }
    char Take() {
        const char c = Peek();
        at_ += at_ < end_ ? 1 : 0;
        return c;
    }
    [[nodiscard]] std::size_t Tell() const { return before_ + at_; }

    // For streams that are written, which the concept has too.
    char* PutBegin() { return nullptr; }
    void Put(char /*c*/) {}
    void Flush() {}
    std::size_t PutEnd(char* /*begin*/) { return 0; }
    // NOLINTEND(readability-identifier-naming)

private:
    ByteSource source_;
    std::array<char, std::size_t{1} << 16> buffer_{};
    std::size_t at_ = 0;
    std::size_t end_ = 0;
    std::size_t before_ = 0;
};

/// A number that is not valid as a count, a size or an id; the parser adds its place.
struct UnusableNumber {
    double found = 0;
};

/// `otherwise` for a value that is not a number; throws UnusableNumber.
std::int64_t number_of(const JsonValue* value, std::int64_t otherwise) {
    if (value == nullptr || !value->IsNumber()) {
        return otherwise;
    }
    if (value->IsInt64()) {
        return value->GetInt64();
    }
    const double real = value->GetDouble();
    if (!(std::abs(real) <= 0x1p53) || real != std::floor(real)) {
        throw UnusableNumber{real};
    }
    return static_cast<std::int64_t>(real);
}

std::string_view view_of(const JsonValue* value) {
    return value != nullptr && value->IsString()
               ? std::string_view(value->GetString(), value->GetStringLength())
               : std::string_view();
}

/// A node of either form of the schema.
class NodeView {
public:
    explicit NodeView(const JsonValue& node) : node_(node) {}

    [[nodiscard]] std::string_view name() const { return view_of(member(node_, "name")); }
    /// A plain field of the older form, an attribute of the newer.
    [[nodiscard]] const JsonValue* field(std::string_view name) const {
        if (const JsonValue* flat = member(node_, std::string(name).c_str())) {
            return flat;
        }
        const JsonValue* attributes = member(node_, "attrs");
        if (attributes == nullptr || !attributes->IsArray()) {
            return nullptr;
        }
        for (const JsonValue& attribute : attributes->GetArray()) {
            if (view_of(member(attribute, "name")) == name) {
                return member(attribute, "value");
            }
        }
        return nullptr;
    }
    /// The values of "inputs" or "outputs".
    [[nodiscard]] const JsonValue* values(const char* side) const {
        const JsonValue* values = member(node_, side);
        return values != nullptr && values->IsObject() ? member(*values, "values") : values;
    }

private:
    const JsonValue& node_;
};

std::vector<std::int64_t> numbers_of(const JsonValue* list) {
    std::vector<std::int64_t> numbers;
    if (list != nullptr && list->IsArray()) {
        for (const JsonValue& number : list->GetArray()) {
            numbers.push_back(number_of(&number, 0));
        }
    }
    return numbers;
}

/// How deep operands are lists: of lists of tensors.
constexpr int deepest_operand = 3;

/// Adds up a tensor [id, storage, offset, elements, bytes of an element, device] or a list of such.
void count_tensors(const JsonValue& value, std::int64_t& elements, std::int64_t& element_bytes,
                   int depth = 0) {
    if (!value.IsArray() || depth > deepest_operand) {
        return;
    }
    const auto items = value.GetArray();
    if (items.Size() == 6 && items[5].IsString()) {
        if (__builtin_add_overflow(std::max<std::int64_t>(elements, 0), number_of(&items[3], 0),
                                   &elements)) {
            elements = -1;
        }
        element_bytes = number_of(&items[4], -1);
        return;
    }
    for (const JsonValue& item : items) {
        count_tensors(item, elements, element_bytes, depth + 1);
    }
}

void count_first_operand(const JsonValue* values, std::int64_t& elements,
                         std::int64_t& element_bytes) {
    if (values != nullptr && values->IsArray() && !values->Empty()) {
        count_tensors((*values)[0], elements, element_bytes);
    }
}

/// The operands of record_param_comms: [tensors], number, group, rank, name, splits to, splits
/// from, and in newer schemas first rank, stride and size of the group.
void read_operands(const JsonValue* inputs, RecordedCommunication& one) {
    if (inputs == nullptr || !inputs->IsArray()) {
        return;
    }
    const auto values = inputs->GetArray();
    rapidjson::SizeType name = 0;
    while (name < values.Size() && !values[name].IsString()) {
        ++name;
    }
    if (name == values.Size() || name < 3) {
        return;
    }
    const auto at = [&](rapidjson::SizeType index) {
        return index < values.Size() ? &values[index] : nullptr;
    };
    one.collective = view_of(at(name));
    one.peer = number_of(at(name - 1), -1);
    const JsonValue& group = values[name - 2];
    if (group.IsArray() && group.Size() == 2) {
        one.group_name = view_of(&group[0]);
        one.group_description = view_of(&group[1]);
    }
    one.sequence = number_of(at(name - 3), -1);
    one.in_split = numbers_of(at(name + 1));
    one.out_split = numbers_of(at(name + 2));
    one.first_rank = number_of(at(name + 3), -1);
    one.rank_stride = number_of(at(name + 4), -1);
    one.group_size = number_of(at(name + 5), -1);
}

RecordedCommunication communication_of(const NodeView& node) {
    RecordedCommunication one;
    one.record_function_id = static_cast<std::uint64_t>(number_of(node.field("rf_id"), 0));
    one.thread = static_cast<std::uint64_t>(number_of(node.field("tid"), 0));
    read_operands(node.values("inputs"), one);
    count_first_operand(node.values("inputs"), one.in_elements, one.element_bytes);
    count_first_operand(node.values("outputs"), one.out_elements, one.element_bytes);
    if (one.collective.empty()) {
        one.collective = view_of(node.field("collective_name"));
    }
    one.in_elements = number_of(node.field("in_msg_nelems"), one.in_elements);
    one.out_elements = number_of(node.field("out_msg_nelems"), one.out_elements);
    return one;
}

class TraceParser {
public:
    explicit TraceParser(const std::filesystem::path& path) : stream_(path) {
        trace_.file = path.string();
    }

    ExecutionTrace parse() {
        try {
            return whole();
        } catch (const UnusableNumber& number) {
            refuse(fmt::format("{} in the value that ends here", number.found),
                   "whole numbers below 2^63 for ids, sizes and counts");
        }
    }

private:
    ExecutionTrace whole() {
        expect('{', "an object");
        bool nodes = false;
        while (true) {
            const std::string key(view_of(&value("a key")));
            expect(':', "a colon");
            if (key == "nodes") {
                read_nodes();
                nodes = true;
            } else if (const JsonValue& read = value("a value"); key == "schema") {
                trace_.schema = view_of(&read);
            } else if (key == "pid") {
                trace_.pid = number_of(&read, 0);
            }
            if (next() != ',') {
                break;
            }
            stream_.Take();
        }
        expect('}', "',' or '}'");
        if (!nodes) {
            refuse("an object without \"nodes\"", "an execution trace of PyTorch");
        }
        trace_.threads = threads_.size();
        std::stable_sort(trace_.communications.begin(), trace_.communications.end(),
                         [](const RecordedCommunication& a, const RecordedCommunication& b) {
                             return a.record_function_id < b.record_function_id;
                         });
        return std::move(trace_);
    }

    void read_nodes() {
        expect('[', "a list of nodes");
        if (next() != ']') {
            while (true) {
                add(NodeView(value("a node")));
                if (next() != ',') {
                    break;
                }
                stream_.Take();
            }
        }
        expect(']', "',' or ']'");
    }

    void add(const NodeView& node) {
        ++trace_.nodes;
        if (const std::int64_t thread = number_of(node.field("tid"), 0); thread > 0) {
            threads_.insert(thread);
        }
        if (node.name() == "record_param_comms") {
            trace_.communications.push_back(communication_of(node));
        }
    }

    char next() {
        while (true) {
            const char c = stream_.Peek();
            if (!is_blank(c)) {
                return c;
            }
            stream_.Take();
        }
    }
    void expect(char wanted, const char* what) {
        if (next() != wanted) {
            refuse(stream_.Peek() == '\0' ? std::string("the end of the file")
                                          : fmt::format("'{}'", stream_.Peek()),
                   what);
        }
        stream_.Take();
    }
    /// The next value; the one before is gone.
    const JsonValue& value(const char* what) {
        document_ = rapidjson::Document(&allocator_);
        allocator_.Clear();
        document_.ParseStream<rapidjson::kParseStopWhenDoneFlag | rapidjson::kParseNanAndInfFlag |
                              rapidjson::kParseIterativeFlag>(stream_);
        if (document_.HasParseError()) {
            refuse(rapidjson::GetParseError_En(document_.GetParseError()), what);
        }
        return document_;
    }
    [[noreturn]] void refuse(const std::string& found, const std::string& expected) {
        throw InputError({trace_.file, fmt::format("byte {}", stream_.Tell()), found, expected,
                          "Is it a whole execution trace of PyTorch (ExecutionTraceObserver)?"});
    }

    FileStream stream_;
    rapidjson::MemoryPoolAllocator<> allocator_;
    rapidjson::Document document_{&allocator_};
    ExecutionTrace trace_;
    std::set<std::int64_t> threads_;
};

}  // namespace

bool is_execution_trace(const std::filesystem::path& path) {
    ByteSource source(path);
    std::array<char, 4096> buffer{};
    const std::size_t size = source.read(buffer.data(), buffer.size());
    const std::string_view begin(buffer.data(), size);
    return begin.substr(0, begin.find("\"nodes\"")).find("\"schema\"") != std::string_view::npos;
}

ExecutionTrace read_execution_trace(const std::filesystem::path& path) {
    return TraceParser(path).parse();
}

}  // namespace npunet::profiles
