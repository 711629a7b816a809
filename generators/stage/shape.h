// Shapes in symbols, as STAGE writes them: Batch/dp, Seq/sp, Dmodel/(Head*sp).
//
//     const Shape shape{{Symbol::Batch, Symbol::Dp}, {Symbol::Seq, Symbol::Sp}, {Symbol::Dmodel}};
//     text_of(shape);                            // "Batch/dp,Seq/sp,Dmodel"
//     SymbolValues(arguments).elements(shape);   // batch / dp * seq / sp * dmodel
//
// Symbols matter, and not numbers alone: which collective an operand needs is told from the
// symbols in its shape, and the names of tensors contain their shapes.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "generators/stage/stage_arguments.h"

namespace npunet::generators::stage_dialect {

enum class Symbol : std::uint8_t { None, Batch, Seq, Din, Dout, Dmodel, Dff, Head, Dp, Tp, Sp };
inline constexpr std::size_t symbol_count = 11;

/// A symbol, over nothing, one symbol, or the product of two.
struct Dim {
    Symbol of = Symbol::None;
    Symbol by = Symbol::None;
    Symbol and_by = Symbol::None;

    [[nodiscard]] bool divided_by(Symbol symbol) const { return by == symbol || and_by == symbol; }
};

[[nodiscard]] constexpr bool operator==(const Dim& a, const Dim& b) {
    return a.of == b.of && a.by == b.by && a.and_by == b.and_by;
}

/// Up to four dimensions.
class Shape {
public:
    Shape() = default;
    Shape(std::initializer_list<Dim> dims) {
        for (const Dim& dim : dims) {
            push_back(dim);
        }
    }

    void push_back(const Dim& dim) {
        assert(size_ < dims_.size());
        dims_[size_++] = dim;
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] const Dim& operator[](std::size_t i) const { return dims_[i]; }
    [[nodiscard]] const Dim* begin() const { return dims_.data(); }
    [[nodiscard]] const Dim* end() const { return dims_.data() + size_; }

private:
    std::array<Dim, 4> dims_{};
    std::uint8_t size_ = 0;
};

/// "Batch/dp,Seq/sp,Dmodel/(Head*sp)"
[[nodiscard]] std::string text_of(const Shape& shape);

/// What the symbols stand for.
class SymbolValues {
public:
    explicit SymbolValues(const StageArguments& arguments);

    [[nodiscard]] std::int64_t operator[](Symbol symbol) const {
        return values_[static_cast<std::size_t>(symbol)];
    }
    /// Elements of a tensor. Single dimensions may be fractions; throws InputError when the product
    /// is one, or is 2^62 or more.
    [[nodiscard]] std::int64_t elements(const Shape& shape) const;
    /// The elements of a shape times those of another.
    [[nodiscard]] std::int64_t elements(const Shape& shape, const Shape& times) const;

private:
    std::array<std::int64_t, symbol_count> values_{};
};

}  // namespace npunet::generators::stage_dialect
