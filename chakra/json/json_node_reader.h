// A node of a JSON trace, which becomes a frame of schema 0.0.4 while it is parsed. For the sources
// of chakra only; the form is described in chakra/json/json_trace.h.
//
//     JsonNodeReader node(place, [&](ByteBlocks&& message) { ... });
//     return node.begin();              // the level of the object
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "chakra/json/json_attribute_reader.h"
#include "chakra/json/json_level.h"
#include "chakra/wire/byte_blocks.h"

namespace npunet::chakra {

/// A list of ids, as the varints of a packed list.
class JsonIdsReader final : public JsonLevel {
public:
    explicit JsonIdsReader(const JsonPlace& place) : place_(place) {}

    /// `key`: of the list. The ids become this field of `node`.
    JsonLevel* begin(std::string_view key, int field, ByteBlocks& node);

    void value(const JsonToken& token) override;
    void end() override;

private:
    const JsonPlace& place_;
    std::string_view key_;
    int field_ = 0;
    ByteBlocks* node_ = nullptr;
    ByteBlocks ids_;
};

/// {"values": ..., "shapes": ..., "types": ...}, and "rest".
class JsonTensorsReader final : public JsonLevel {
public:
    explicit JsonTensorsReader(JsonPlace& place) : place_(place) {}

    JsonLevel* begin(std::string_view key, int field, ByteBlocks& node);

    void key(std::string_view name) override;
    void value(const JsonToken& token) override;
    JsonLevel* object() override { return place_.hex.begin(*this); }
    void end() override;

private:
    enum class Key : std::uint8_t { Rest, Values, Shapes, Types };  // else their fields' numbers

    JsonPlace& place_;
    std::string_view key_;
    int field_ = 0;
    ByteBlocks* node_ = nullptr;
    Key part_ = Key::Rest;
    SeenKeys<Key> seen_;
    ByteBlocks message_;
};

class JsonNodeReader final : public JsonLevel {
public:
    /// Gets each node at its end.
    using Use = std::function<void(ByteBlocks&& message)>;

    JsonNodeReader(JsonPlace& place, Use use);

    JsonLevel* begin();

    void key(std::string_view name) override;
    void value(const JsonToken& token) override;
    JsonLevel* object() override;
    JsonLevel* list() override;
    void end() override;

private:
    enum class Key : std::uint8_t {
        Id,
        Name,
        NodeType,
        Runtime,
        StartTime,
        DataDeps,
        CtrlDeps,
        Inputs,
        Outputs,
        Attributes,
        Rest,
        IsCpuOp,  // this and what follows: the feeder's keys that are attributes here
        TensorSize,
        CommType,
        CommPriority,
        CommSize,
        CommSrc,
        CommDst,
        CommTag,
        Other
    };
    struct KnownKey {
        std::string_view name;
        Key key;
        ValueMember member = ValueMember::None;  ///< of a feeder's key
    };
    /// A value of a feeder's key, which counts only where there are no attributes.
    struct FeederValue {
        const KnownKey* key;
        JsonToken token;    ///< without its text
        std::string found;  ///< for a message, where it is text
    };

    static const KnownKey& known(std::string_view name);
    [[noreturn]] void fail_value(const JsonToken& token) const;
    [[nodiscard]] std::uint64_t whole_number(const JsonToken& token) const;
    void append_number(int field, std::uint64_t value);
    void take_name(const JsonToken& token);
    void take_type(const JsonToken& token);
    void take_rest(const JsonToken& token);
    void append_feeder_value(FeederValue& value);

    JsonPlace& place_;
    Use use_;
    JsonIdsReader ids_;
    JsonTensorsReader tensors_;
    JsonAttributesReader attributes_;
    JsonValueEncoder encoder_;
    const KnownKey* key_ = nullptr;
    SeenKeys<Key> seen_;
    std::vector<FeederValue> feeder_values_;
    ByteBlocks message_;
};

}  // namespace npunet::chakra
