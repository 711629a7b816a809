#include "chakra/message_rest.h"

#include <et_def.pb.h>

namespace npunet::chakra {

bool is_attribute_rest(const std::string& bytes) {
    using ChakraProtoMsg::AttributeProto;
    std::string others;
    WireCursor fields(bytes, 1);
    while (fields.next()) {
        const bool doc_string = fields.field() == AttributeProto::kDocStringFieldNumber &&
                                fields.type() == WireType::Bytes;
        if (!doc_string) {
            others += fields.whole();
        }
    }
    return fields.good() && is_rest<AttributeProto>(others, 1);
}

}  // namespace npunet::chakra
