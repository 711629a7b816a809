#include "generators/stage/shape.h"

#include <fmt/format.h>

#include <numeric>

#include "base/errors.h"

namespace npunet::generators::stage_dialect {

namespace {

constexpr std::array<const char*, symbol_count> names{
    "", "Batch", "Seq", "Din", "Dout", "Dmodel", "Dff", "Head", "dp", "tp", "sp"};

constexpr std::int64_t most_elements = std::int64_t{1} << 62;

const char* name_of(Symbol symbol) {
    return names[static_cast<std::size_t>(symbol)];
}

/// A product of whole numbers over whole numbers, kept in lowest terms.
class Ratio {
public:
    explicit Ratio(const SymbolValues& values) : values_(values) {}

    void multiply(const Shape& shape) {
        for (const Dim& dim : shape) {
            __extension__ using Wide = unsigned __int128;
            std::int64_t factor = values_[dim.of];
            const std::int64_t divisor = values_[dim.by] * values_[dim.and_by];
            const std::int64_t common = std::gcd(factor, divisor);
            factor /= common;
            const std::int64_t shared = std::gcd(factor, denominator_);
            const std::int64_t gained = std::gcd(numerator_, divisor / common);
            denominator_ = denominator_ / shared * (divisor / common / gained);
            const Wide product = Wide(numerator_ / gained) * Wide(factor / shared);
            too_large_ = too_large_ || product >= Wide(most_elements);
            numerator_ = too_large_ ? 1 : static_cast<std::int64_t>(product);
        }
    }

    [[nodiscard]] bool too_large() const { return too_large_; }
    [[nodiscard]] std::int64_t numerator() const { return numerator_; }
    [[nodiscard]] std::int64_t denominator() const { return denominator_; }

private:
    const SymbolValues& values_;
    std::int64_t numerator_ = 1;
    std::int64_t denominator_ = 1;
    bool too_large_ = false;
};

}  // namespace

std::string text_of(const Shape& shape) {
    std::string text;
    for (const Dim& dim : shape) {
        text += text.empty() ? "" : ",";
        text += name_of(dim.of);
        if (dim.and_by != Symbol::None) {
            text += fmt::format("/({}*{})", name_of(dim.by), name_of(dim.and_by));
        } else if (dim.by != Symbol::None) {
            text += fmt::format("/{}", name_of(dim.by));
        }
    }
    return text;
}

SymbolValues::SymbolValues(const StageArguments& a)
    : values_{1, a.batch, a.seq, a.din, a.dout, a.dmodel, a.dff, a.head, a.dp, a.tp, a.sp} {}

std::int64_t SymbolValues::elements(const Shape& shape) const {
    return elements(shape, {});
}

std::int64_t SymbolValues::elements(const Shape& shape, const Shape& times) const {
    Ratio ratio(*this);
    ratio.multiply(shape);
    ratio.multiply(times);
    if (ratio.too_large()) {
        throw InputError(
            {text_of(shape), "", "2^62 elements or more", "fewer", "Take smaller sizes"});
    }
    if (ratio.denominator() != 1) {
        throw InputError({text_of(shape), "",
                          fmt::format("{} / {} elements", ratio.numerator(), ratio.denominator()),
                          "a whole number", "Take sizes that dp, tp and sp divide"});
    }
    return ratio.numerator();
}

}  // namespace npunet::generators::stage_dialect
