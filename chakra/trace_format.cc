#include "chakra/trace_format.h"

namespace npunet::chakra {

std::optional<WrittenForm> written_form_from(std::string_view name) {
    if (name == "json") {
        return WrittenForm::Json;
    }
    const auto schema = schema_from(name);
    if (schema == Schema::V0_0_4) {
        return WrittenForm::V0_0_4;
    }
    return schema == Schema::V0_0_1 ? std::optional(WrittenForm::V0_0_1) : std::nullopt;
}

}  // namespace npunet::chakra
