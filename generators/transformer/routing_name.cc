#include "generators/transformer/routing_name.h"

#include <fmt/format.h>

#include <charconv>

#include "base/errors.h"

namespace npunet::generators {

Routing routing_named(const std::string& text, const std::string& source) {
    const std::string zipf = "zipf:";
    Routing routing;
    if (text == "uniform") {
        return routing;
    }
    if (text.rfind(zipf, 0) == 0) {
        routing.kind = Routing::Kind::Zipf;
        const char* last = text.data() + text.size();
        const auto [end, error] =
            std::from_chars(text.data() + zipf.size(), last, routing.exponent);
        if (error == std::errc{} && end == last && routing.exponent >= 0.0 &&
            routing.exponent <= 64.0) {
            return routing;
        }
    } else if (!text.empty() && text != "zipf") {
        routing.kind = Routing::Kind::File;
        routing.file = text;
        return routing;
    }
    throw InputError({source, "", fmt::format("'{}'", text),
                      "uniform, zipf:S with an exponent S from 0 to 64, or a file", ""});
}

std::string routing_name(const Routing& routing) {
    switch (routing.kind) {
        case Routing::Kind::Uniform:
            return "uniform";
        case Routing::Kind::Zipf:
            return fmt::format("zipf:{}", routing.exponent);
        default:
            return routing.file;
    }
}

}  // namespace npunet::generators
