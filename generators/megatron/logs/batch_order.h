// Whether the events of a batch stand together: batch_idx runs from 0 to batch_size - 1.
//
//     BatchOrder batches;
//     if (const auto expected = batches.expected_instead(call)) ...    // "batch_idx 1 of ..."
//
// For call_log_reader.cc.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "generators/megatron/program/call.h"

namespace npunet::generators::megatron {

class BatchOrder {
public:
    /// What should stand where a call breaks a batch; nothing where it fits. Calls in order.
    std::optional<std::string> expected_instead(const Call& call) {
        const bool batched = call.batch_size > 0;
        const bool fits = open() ? batched && call.batch_index == next_ && call.batch_size == size_
                                 : !batched || call.batch_index == 0;
        if (!fits) {
            return open() ? rest() : fmt::format("batch_idx 0 of batch_size {}", call.batch_size);
        }
        size_ = call.batch_size;
        next_ = batched ? call.batch_index + 1 : 0;
        return std::nullopt;
    }
    [[nodiscard]] bool open() const { return next_ < size_; }
    /// Of an open batch, what comes next.
    [[nodiscard]] std::string rest() const {
        return fmt::format("batch_idx {} of batch_size {}", next_, size_);
    }

    /// "batch_isend with batch_idx 1 of batch_size 2", "barrier".
    [[nodiscard]] static std::string described(const Call& call) {
        const std::string_view name = name_of(call.operation);
        return call.batch_size == 0 ? std::string(name)
                                    : fmt::format("{} with batch_idx {} of batch_size {}", name,
                                                  call.batch_index, call.batch_size);
    }

private:
    std::int32_t next_ = 0;
    std::int32_t size_ = 0;
};

}  // namespace npunet::generators::megatron
