// Integer expressions over named values: which combinations of a design space are wanted.
//
//     const Expression where = Expression::parse("dp * tp * pp == npus and tp <= 8", "sweep.yml");
//     where.evaluate([&](std::size_t name) { return value_of(where.names()[name]); }) != 0;
//
// From weakest to strongest: or, and, not, == != < <= > >= (not chained: 1 < a < 3 is refused),
// + -, * / %, - (sign). Values are 64-bit integers and exact: an overflow is an error, never a
// wrong number. A comparison is 1 or 0; and, or, not take 0 as false, everything else as true, and
// `and`, `or` leave their right side alone when the left one decides, so that
// `tp != 0 and 8 % tp == 0` is safe. `/` rounds down (-7 / 2 is -4) and `%` is what is left (-7 % 2
// is 1), so that a == b * (a / b) + a % b always holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace npunet::study {

class Expression {
public:
    /// Throws InputError with `where` and the column (from 1) for what is not an expression, for
    /// numbers beyond 2^63 - 1, for more than 100 levels of parentheses and signs, and for
    /// more than 2000 characters.
    [[nodiscard]] static Expression parse(std::string_view text, const std::string& where);

    /// The names in the order of their first use.
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    /// The column (from 1) at which a name is used first.
    [[nodiscard]] std::size_t column_of(std::size_t name) const { return name_columns_[name]; }
    [[nodiscard]] const std::string& text() const { return text_; }

    /// `value` is asked for a name by its position in names(). Throws InputError with the column
    /// for an overflow and a division by zero.
    [[nodiscard]] std::int64_t evaluate(
        const std::function<std::int64_t(std::size_t name)>& value) const;

    enum class Operation : std::uint8_t {
        Number,
        Name,
        Negate,
        Not,
        Multiply,
        Divide,
        Modulo,
        Add,
        Subtract,
        Equal,
        NotEqual,
        Less,
        LessOrEqual,
        Greater,
        GreaterOrEqual,
        And,
        Or
    };

private:
    friend class ExpressionParser;

    /// Children are positions in nodes_, each before its parent; the last node is the whole.
    struct Node {
        Operation operation = Operation::Number;
        std::int64_t number = 0;  ///< Number: the value; Name: position in names_
        std::size_t left = 0;
        std::size_t right = 0;
        std::size_t column = 0;
    };

    using Values = std::function<std::int64_t(std::size_t)>;
    [[nodiscard]] std::int64_t evaluate(const Node& node, const Values& value) const;
    [[nodiscard]] std::int64_t arithmetic(const Node& node, std::int64_t a, std::int64_t b) const;
    [[noreturn]] void refuse(std::size_t column, const std::string& found,
                             const std::string& expected, const std::string& remedy = "") const;

    std::string text_;
    std::string where_;
    std::vector<Node> nodes_;
    std::vector<std::string> names_;
    std::vector<std::size_t> name_columns_;
};

}  // namespace npunet::study
