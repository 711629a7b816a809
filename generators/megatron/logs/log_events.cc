#include "generators/megatron/logs/log_events.h"

#include <string>
#include <vector>

namespace npunet::generators::megatron {

namespace {

// Where the keys of an event stand, and so the brackets of its lists.
constexpr std::size_t indent_of_keys = 4;

}  // namespace

LogEvents::LogEvents(LogTemplate& text, const TrainingRun& run, std::int64_t call_id)
    : text_(text), run_(run), layout_(layout(run.dialect)), call_id_(call_id) {}

LogLayout LogEvents::layout(Dialect dialect) {
    return dialect == Dialect::Genstack ? LogLayout::Indented : LogLayout::Lines;
}

void LogEvents::init_process_group() {
    begin_event(Operation::InitProcessGroup);
    word("backend", genstack() ? "gloo" : "nccl");
    number("world_size", run_.world());
    end_event();
}

void LogEvents::new_group(const std::vector<Rank>& ranks, bool gloo) {
    begin_event(Operation::NewGroup);
    key("ranks");
    std::string& text = text_.text();
    append_list(text, layout_, indent_of_keys, ranks,
                [&text](Rank rank) { append_number(text, rank.value()); });
    if (gloo) {
        word("backend", "gloo");
    } else {
        key("backend");
        text_.append("null");
    }
    end_event();
}

void LogEvents::new_group(GroupRole role) {
    begin_event(Operation::NewGroup);
    word("group", name_of(role));
    key("ranks");
    text_.append(role);
    word("backend", "nccl");
    end_event();
}

void LogEvents::call(const ProgramItem& item, std::int64_t members) {
    begin_event(item.call.operation);
    group_of(item, members);
    operation(item);
    if (!genstack()) {
        place_in_step(item);
    }
    end_event();
}

void LogEvents::end() {
    text_.append(layout_ == LogLayout::Indented ? "\n]" : "\n]\n");
}

void LogEvents::group_of(const ProgramItem& item, std::int64_t members) {
    if (!item.has_group) {
        return;
    }
    if (!genstack()) {
        word("group", name_of(item.group));
    }
    if (genstack() || members <= longest_list) {
        key("ranks");
        text_.append(item.group);
    }
}

void LogEvents::operation(const ProgramItem& item) {
    const Call& call = item.call;
    const Operation operation = call.operation;
    if (operation == Operation::Barrier) {
        return;
    }
    if (operation == Operation::BatchSend || operation == Operation::BatchReceive) {
        number("batch_idx", call.batch_index);
        number("batch_size", call.batch_size);
    }
    tensors(call);
    word("dtype", name_of(call.dtype));
    if (reduces(operation)) {
        word("reduce_op",
             std::string(genstack() ? "RedOpType." : "").append(name_of(call.reduce_op)));
    }
    if (operation == Operation::BatchSend || operation == Operation::BatchReceive) {
        peer("peer", item.peer);
    } else if (is_send(operation) || operation == Operation::Gather) {
        peer("dst", item.peer);
    } else if (is_receive(operation) || operation == Operation::Broadcast ||
               operation == Operation::Scatter) {
        peer("src", item.peer);
    }
    if (call.batch_size == 0 && (is_send(operation) || is_receive(operation))) {
        number("tag", call.tag);
    }
}

void LogEvents::tensors(const Call& call) {
    if (call.has_shape) {
        shape("shape", call.shape);
        return;
    }
    switch (call.operation) {
        case Operation::AllGather:
            shape("tensor_shape", call.input);
            shapes("output_shapes", call.output, call.outputs);
            break;
        case Operation::Gather:
            shape("tensor_shape", call.input);
            shapes("gather_list_shapes", call.output, call.outputs);
            break;
        case Operation::Scatter:
            shape("tensor_shape", call.output);
            shapes("scatter_list_shapes", call.input, call.inputs);
            break;
        case Operation::ReduceScatter:
            shape("output_shape", call.output);
            shapes("input_shapes", call.input, call.inputs);
            break;
        case Operation::AllToAll:
            shapes("output_shapes", call.output, call.outputs);
            shapes("input_shapes", call.input, call.inputs);
            break;
        case Operation::AllGatherBase:
            shape("output_shape", call.output);
            shape("input_shape", call.input);
            break;
        default:
            shape("input_shape", call.input);
            shape("output_shape", call.output);
    }
}

void LogEvents::place_in_step(const ProgramItem& item) {
    if (item.call.asynchronous) {
        key("async");
        text_.append("true");
    }
    word("phase", name_of(item.phase));
    if (item.micro_batch >= 0) {
        number("micro_batch", item.micro_batch);
    }
    if (item.chunk >= 0 && run_.vpp > 1) {
        number("chunk", item.chunk);
    }
    if (item.layer >= 0) {
        number("layer", item.layer);
    }
}

void LogEvents::begin_event(Operation operation) {
    if (call_id_ == 0) {
        text_.append("[");
    } else {
        text_.append(",");
    }
    text_.append(layout_ == LogLayout::Indented ? "\n  {\n    \"op\": \"" : "\n{\"op\": \"");
    text_.append(name_of(operation));
    text_.append("\"");
    number("call_id", call_id_++);
}

void LogEvents::end_event() {
    key("src_rank");
    text_.append_owner();
    text_.append(layout_ == LogLayout::Indented ? "\n  }" : "}");
}

void LogEvents::key(std::string_view name) {
    text_.append(layout_ == LogLayout::Indented ? ",\n    \"" : ", \"");
    text_.append(name);
    text_.append("\": ");
}

void LogEvents::word(std::string_view name, std::string_view value) {
    key(name);
    text_.append("\"");
    text_.append(value);
    text_.append("\"");
}

void LogEvents::number(std::string_view name, std::int64_t value) {
    key(name);
    append_number(text_.text(), value);
}

void LogEvents::shape(std::string_view name, const Shape& sizes) {
    key(name);
    append_shape(sizes, indent_of_keys);
}

void LogEvents::shapes(std::string_view name, const Shape& sizes, std::int64_t count) {
    key(name);
    append_list(text_.text(), layout_, indent_of_keys,
                std::vector<Shape>(static_cast<std::size_t>(count), sizes),
                [this](const Shape& each) { append_shape(each, indent_of_keys + 2); });
}

void LogEvents::append_shape(const Shape& sizes, std::size_t indent) {
    std::string& text = text_.text();
    append_list(text, layout_, indent, sizes,
                [&text](std::int64_t size) { append_number(text, size); });
}

void LogEvents::peer(std::string_view name, PeerRole role) {
    key(name);
    text_.append(role);
}

}  // namespace npunet::generators::megatron
