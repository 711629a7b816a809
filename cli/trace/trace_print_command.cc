#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.h"
#include "chakra/files/trace_reader.h"
#include "chakra/inspection/trace_printing.h"
#include "chakra/json/json_trace.h"
#include "cli/command/commands.h"
#include "cli/command/option_values.h"
#include "cli/trace/trace_files.h"

namespace npunet::cli {

namespace {

struct PrintOptions {
    std::string trace;
    SchemaOption schema;
    std::vector<std::string> nodes;
    std::optional<std::uint64_t> first;
    std::string form = "text";
    bool form_given = false;
    bool json = false;
};

/// Which nodes are wanted, and whether all that were have come.
class Selection {
public:
    explicit Selection(const PrintOptions& options)
        : wanted_(ids_from(options.nodes)), all_(wanted_.empty()), left_(options.first) {
        std::sort(wanted_.begin(), wanted_.end());
        wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
        found_.assign(wanted_.size(), false);
    }

    [[nodiscard]] bool done() const { return left_ && *left_ == 0; }

    bool take(std::uint64_t id) {
        if (!all_) {
            const auto place = std::lower_bound(wanted_.begin(), wanted_.end(), id);
            if (place == wanted_.end() || *place != id) {
                return false;
            }
            found_[static_cast<std::size_t>(place - wanted_.begin())] = true;
        }
        if (left_) {
            --*left_;
        }
        return true;
    }

    [[nodiscard]] std::optional<std::uint64_t> missing() const {
        const auto place = std::find(found_.begin(), found_.end(), false);
        return place == found_.end()
                   ? std::nullopt
                   : std::optional(wanted_[static_cast<std::size_t>(place - found_.begin())]);
    }

private:
    std::vector<std::uint64_t> wanted_;
    bool all_;
    std::vector<bool> found_;
    std::optional<std::uint64_t> left_;
};

/// Prints metadata and nodes in one of the forms.
class Printer {
public:
    Printer(const PrintOptions& options, std::ostream& out)
        : out_(out), form_(options.json ? "json" : options.form), json_(out) {}

    void begin(const chakra::TraceMetadata& metadata) {
        if (form_ == "json") {
            json_.begin(metadata);
        } else if (form_ == "jsonizer" && metadata.present) {
            chakra::write_protobuf_json(metadata, out_);
        } else if (form_ == "text" && metadata.present) {
            out_ << chakra::text_of(metadata);
        }
    }
    void add(const chakra::Node& node) {
        if (form_ == "json") {
            json_.add(node);
        } else if (form_ == "jsonizer") {
            chakra::write_protobuf_json(node, out_);
        } else {
            out_ << chakra::text_of(node);
        }
    }
    void end() {
        if (form_ == "json") {
            json_.end();
        } else if (form_ == "jsonizer") {
            out_ << '\n';
        }
    }

private:
    std::ostream& out_;
    std::string form_;
    chakra::JsonTraceText json_;
};

void run(const PrintOptions& options, CommandContext& context) {
    if (options.json && options.form_given && options.form != "json") {
        throw InputError({"--json", "", fmt::format("--form {}", options.form),
                          "one form, json or another", "Leave one of the two out"});
    }
    chakra::TraceReader reader(options.trace, {options.schema.schema()});
    Selection selection(options);
    Printer printer(options, context.out);
    printer.begin(options.nodes.empty() ? reader.metadata()
                                        : chakra::TraceMetadata{"", {}, "", false});
    try {
        chakra::Node node;
        while (!selection.done() && reader.next(node)) {
            if (selection.take(node.id)) {
                printer.add(node);
            }
        }
    } catch (const std::exception&) {
        printer.end();  // what was printed of a damaged trace is a document too
        throw;
    }
    printer.end();
    if (const auto missing = selection.missing(); missing && !selection.done()) {
        throw InputError({options.trace, "", fmt::format("no node {}", *missing),
                          "the ids of nodes of the trace",
                          "npunet trace info shows the lowest and the highest id"});
    }
}

}  // namespace

void add_trace_print_command(CLI::App& trace, CommandContext& context) {
    const auto options = std::make_shared<PrintOptions>();
    CLI::App* command = trace.add_subcommand("print", "Print the nodes of a trace");
    command->add_option("TRACE", options->trace, "An execution trace")
        ->required()
        ->type_name("FILE");
    command->add_option("--node", options->nodes, "Only the nodes of these ids")
        ->check(node_ids())
        ->type_name("ID[,ID...]");
    command->add_option("--first", options->first, "Only the first N nodes of the file")
        ->check(whole_number(1))
        ->type_name("N");
    options->schema.add_to(*command);
    const CLI::Option* form =
        command
            ->add_option("--form", options->form,
                         "text; json as convert writes it; jsonizer as Chakra's jsonizer prints it")
            ->check(one_of({"text", "json", "jsonizer"}))
            ->capture_default_str();
    command->add_flag("--json", options->json, "The same as --form json");
    command->footer(
        "Example:\n"
        "  npunet generate collective --type all_reduce --size 1MiB --npus 4 --output-dir ring\n"
        "  npunet trace print ring/workload.0.et --first 1");
    command->callback([options, form, &context] {
        options->form_given = form->count() > 0;
        run(*options, context);
    });
}

}  // namespace npunet::cli
