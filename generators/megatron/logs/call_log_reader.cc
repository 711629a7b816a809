#include "generators/megatron/logs/call_log_reader.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/json_document.h"
#include "generators/megatron/logs/batch_order.h"
#include "generators/megatron/logs/event_values.h"
#include "generators/megatron/logs/log_input.h"
#include "generators/transformer/plan.h"

namespace npunet::generators::megatron {

namespace {

using Json = nlohmann::json;

constexpr const char* log_form =
    R"(a list of events such as {"op": "barrier", "call_id": 0, "ranks": [0, 1], "src_rank": 0})";
/// So deep may the value of a key that no operation has be nested.
constexpr std::size_t deepest = 64;

/// What the form asks for.
const char* wanted(KeyForm form) {
    switch (form) {
        case KeyForm::Text:
            return "text";
        case KeyForm::Flag:
            return "true or false";
        case KeyForm::Integer:
            return "a whole number";
        case KeyForm::Ranks:
            return "a list of ranks";
        case KeyForm::Shape:
            return "a list of sizes";
        case KeyForm::ShapeList:
            break;
    }
    return "a list of lists of sizes";
}

/// Puts events together while the text is parsed; holds one event.
class LogHandler {
public:
    LogHandler(LogInput& input, Rank rank, GroupTable& groups, const CallVisitor& visitor)
        : input_(input), rank_(rank), groups_(groups), visitor_(visitor) {}

    // What Json::sax_parse calls.
    bool null() {
        if (place_ == Place::Value && may_be_null(key_)) {
            return answered([&] { values_.set_null(key_); });
        }
        return refuse(nullptr);
    }
    bool boolean(bool value) {
        if (place_ == Place::Value && form_of(key_) == KeyForm::Flag) {
            return answered([&] { values_.set_flag(key_, value); });
        }
        return refuse(value);
    }
    bool number_integer(std::int64_t value) {
        if (place_ == Place::Value && form_of(key_) == KeyForm::Integer) {
            return answered([&] { values_.set_integer(key_, value); });
        }
        return refuse(value);
    }
    bool number_unsigned(std::uint64_t value) {
        constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
        if (value > largest) {
            return refuse(value);
        }
        const auto number = static_cast<std::int64_t>(value);
        if (place_ == Place::Ranks && number < most_ranks) {
            add_rank(Rank(static_cast<std::int32_t>(number)));
            return true;
        }
        if (place_ == Place::Shape || place_ == Place::ListedShape) {
            add_size(number);
            return true;
        }
        return number_integer(number);
    }
    bool number_float(double value, const std::string& written) {
        return refuse(written.size() <= 40 ? Json(value) : Json(written));
    }
    bool string(const std::string& value) {
        if (place_ == Place::Value && form_of(key_) == KeyForm::Text) {
            return answered([&] { values_.set_text(key_, value); });
        }
        return refuse(value);
    }
    bool binary(const Json::binary_t& /*value*/) { return false; }

    bool key(const std::string& name) {
        if (place_ == Place::Ignored) {
            return true;
        }
        const std::optional<EventKey> known = event_key_named(name);
        key_ = known.value_or(EventKey::Op);
        place_ = known ? Place::Value : Place::Ignored;
        return true;
    }
    bool start_object(std::size_t /*size*/) {
        if (place_ == Place::Ignored) {
            return deeper();
        }
        if (place_ != Place::List) {
            misplaced("an object");
        }
        values_.clear();
        event_begin_ = input_.consumed() - 1;
        place_ = Place::Event;
        return true;
    }
    bool end_object() {
        if (place_ == Place::Ignored) {
            return shallower();
        }
        answered([&] { complete_event(values_, event_); });
        check_event();
        find_group();
        visitor_(event_);
        ++events_;
        place_ = Place::List;
        return true;
    }
    bool start_array(std::size_t /*size*/) {
        switch (place_) {
            case Place::Ignored:
                return deeper();
            case Place::Document:
                place_ = Place::List;
                return true;
            case Place::Value:
                return start_list();
            case Place::Shapes:
                shape_ = {};
                place_ = Place::ListedShape;
                return true;
            default:
                misplaced("a list");
        }
    }
    bool end_array() {
        switch (place_) {
            case Place::Ignored:
                return shallower();
            case Place::Ranks:
                return answered([&] { values_.set_ranks(key_, ranks_); });
            case Place::Shape:
                return answered([&] { values_.set_shape(key_, shape_); });
            case Place::Shapes:
                return answered([&] { values_.set_shapes(key_, shapes_); });
            case Place::List:
                if (batches_.open()) {
                    fail("the end of the list within a batch", batches_.rest());
                }
                return true;
            case Place::ListedShape:
                if (!shapes_.add(shape_)) {
                    fail(fmt::format("{} of more than 2^60 elements", name_of(key_)),
                         "tensors that fit a machine");
                }
                place_ = Place::Shapes;
                return true;
            default:
                return true;
        }
    }
    bool parse_error(std::size_t /*byte*/, const std::string& /*token*/,
                     const Json::exception& error) {
        if (dynamic_cast<const Json::out_of_range*>(&error) != nullptr) {
            fail("a number beyond all bounds", "numbers of 64 bits");
        }
        // Behind a whole list, the last byte is one too many.
        const bool ended =
            input_.at_end() && std::string_view(error.what()).find("; expected end of input") ==
                                   std::string_view::npos;
        std::string found = "text that is not JSON";
        if (ended) {
            found = input_.consumed() == 0 ? "an empty file" : "the end of the file";
        }
        throw InputError({input_.path().string(), place(), found, log_form,
                          ended ? "The log is truncated. Copy, record or make it again"
                                : "Correct the log, or record or make it again"});
    }

private:
    enum class Place : std::uint8_t {
        Document,     ///< before the list
        List,         ///< between events
        Event,        ///< between keys
        Value,        ///< behind a key
        Ranks,        ///< in a list
        Shape,        ///< in a list of sizes
        Shapes,       ///< in a list of lists of sizes
        ListedShape,  ///< in one of those
        Ignored       ///< in the value of a key that no operation has
    };

    [[nodiscard]] std::string place() const { return place_at(input_.consumed()); }
    [[nodiscard]] std::string place_at(std::uint64_t byte) const {
        return fmt::format("event {}, byte {}{}", events_, byte,
                           input_.compressed() ? " of the decompressed data" : "");
    }
    [[noreturn]] void fail(std::string found, std::string expected) const {
        throw InputError(
            {input_.path().string(), place(), std::move(found), std::move(expected), record_again});
    }

    /// Runs what may throw an EventError about the event, which is not within a value then.
    template <class Step>
    bool answered(Step&& step) {
        try {
            step();
        } catch (EventError& error) {
            throw InputError({input_.path().string(), place(), std::move(error.found),
                              std::move(error.expected), std::move(error.remedy)});
        }
        place_ = Place::Event;
        return true;
    }

    bool refuse(const Json& value) {
        if (place_ != Place::Ignored) {
            misplaced(json_excerpt(value));
        }
        place_ = depth_ == 0 ? Place::Event : Place::Ignored;
        return true;
    }
    [[noreturn]] void misplaced(std::string found) const {
        switch (place_) {
            case Place::Document:
                fail(std::move(found), log_form);
            case Place::List:
                fail(std::move(found), "an event: an object with op, call_id, ...");
            case Place::Ranks:
                fail(fmt::format("{} in {}", found, name_of(key_)),
                     fmt::format("ranks: whole numbers from 0 to {}", most_ranks - 1));
            case Place::Shape:
            case Place::ListedShape:
                fail(fmt::format("{} in {}", found, name_of(key_)), "sizes: whole numbers from 0");
            case Place::Shapes:
                fail(fmt::format("{} in {}", found, name_of(key_)), "lists of sizes");
            default:
                fail(fmt::format("{} for {}", found, name_of(key_)), wanted(form_of(key_)));
        }
    }

    bool deeper() {
        if (++depth_ > deepest) {
            fail("values nested too deeply", fmt::format("at most {} levels", deepest));
        }
        return true;
    }
    bool shallower() {
        place_ = --depth_ == 0 ? Place::Event : Place::Ignored;
        return true;
    }

    bool start_list() {
        switch (form_of(key_)) {
            case KeyForm::Ranks:
                ranks_.clear();
                place_ = Place::Ranks;
                return true;
            case KeyForm::Shape:
                shape_ = {};
                place_ = Place::Shape;
                return true;
            case KeyForm::ShapeList:
                shapes_ = {};
                place_ = Place::Shapes;
                return true;
            default:
                misplaced("a list");
        }
    }
    void add_rank(Rank rank) {
        if (ranks_.size() == static_cast<std::size_t>(most_ranks)) {
            fail("a rank twice in ranks", "every rank once");
        }
        ranks_.push_back(rank);
    }
    void add_size(std::int64_t size) {
        if (shape_.dimensions() == Shape::most_dimensions) {
            fail(fmt::format("a tensor of more than {} dimensions", Shape::most_dimensions),
                 "the sizes of a tensor");
        }
        shape_.append(size);
    }

    void check_event() {
        if (event_.call_id != events_) {
            throw InputError(
                {input_.path().string(), place_at(event_begin_),
                 fmt::format("call_id {}", event_.call_id), fmt::format("call_id {}", events_),
                 "Events are numbered from 0 without gaps: some are missing or out of order. "
                 "Record or make the log again"});
        }
        if (rank_.valid() && event_.owner.valid() && event_.owner != rank_) {
            throw InputError(
                {input_.path().string(), place_at(event_begin_),
                 fmt::format("an event of rank {}", event_.owner.value()),
                 fmt::format("events of rank {} (src_rank is whose log it is)", rank_.value()),
                 "Give each rank its own log"});
        }
        check_batch();
    }

    void check_batch() {
        if (const auto expected = batches_.expected_instead(event_.call)) {
            throw InputError({input_.path().string(), place_at(event_begin_),
                              BatchOrder::described(event_.call), *expected, record_again});
        }
    }

    void find_group() {
        Call& call = event_.call;
        if (values_.has(EventKey::Ranks)) {
            call.group = groups_.add(values_.ranks());
            if (call.operation == Operation::NewGroup && !event_.group_name.empty()) {
                named_groups_[event_.group_name] = call.group;
            }
        } else if (!event_.group_name.empty() && call.operation != Operation::InitProcessGroup) {
            call.group = named_group();
        }
        if (call.operation == Operation::InitProcessGroup) {
            world_size_ = event_.world_size;
        }
    }
    /// The group of an event that has its name only.
    std::int32_t named_group() {
        const auto found = named_groups_.find(event_.group_name);
        if (found != named_groups_.end()) {
            return found->second;
        }
        if (event_.group_name != "world" || world_size_ == 0) {
            throw InputError(
                {input_.path().string(), place_at(event_begin_),
                 fmt::format("{} on group {} without ranks", name_of(event_.call.operation),
                             json_excerpt(Json(event_.group_name))),
                 "an earlier new_group of that name, or for world an init_process_group",
                 record_again});
        }
        std::vector<Rank> all;
        all.reserve(static_cast<std::size_t>(world_size_));
        for (std::int64_t rank = 0; rank < world_size_; ++rank) {
            all.emplace_back(static_cast<std::int32_t>(rank));
        }
        const std::int32_t number = groups_.add(all);
        named_groups_["world"] = number;
        return number;
    }

    LogInput& input_;
    Rank rank_;
    GroupTable& groups_;
    const CallVisitor& visitor_;
    Place place_ = Place::Document;
    EventKey key_ = EventKey::Op;
    std::size_t depth_ = 0;  ///< within an ignored value
    std::int64_t events_ = 0;
    std::uint64_t event_begin_ = 0;
    EventValues values_;
    std::vector<Rank> ranks_;
    Shape shape_;
    ShapeList shapes_;
    LoggedCall event_;
    BatchOrder batches_;
    std::int64_t world_size_ = 0;
    std::unordered_map<std::string, std::int32_t> named_groups_;
};

}  // namespace

void read_call_log(const std::filesystem::path& path, Rank rank, GroupTable& groups,
                   const CallVisitor& visitor) {
    LogInput input(path);
    LogHandler handler(input, rank, groups, visitor);
    Json::sax_parse(input.begin(), input.end(), &handler);
}

}  // namespace npunet::generators::megatron
