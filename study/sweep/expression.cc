#include "study/sweep/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/ascii.h"
#include "base/errors.h"

namespace npunet::study {

namespace {

constexpr int most_levels = 100;
constexpr std::size_t longest_text = 2000;

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// The quotient rounded down; b is not 0 and the quotient fits.
std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
    const std::int64_t quotient = a / b;
    return a % b != 0 && ((a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

/// What floor_divide() leaves: 0, or of the sign of b.
std::int64_t floor_remainder(std::int64_t a, std::int64_t b) {
    const std::int64_t remainder = a % b;
    return remainder != 0 && ((a < 0) != (b < 0)) ? remainder + b : remainder;
}

}  // namespace

/// Recursive descent; one member function for each level of strength.
class ExpressionParser {
public:
    using Operation = Expression::Operation;

    explicit ExpressionParser(Expression& expression)
        : expression_(expression), text_(expression.text_) {
        if (text_.size() > longest_text) {
            refuse(longest_text, fmt::format("{} characters", text_.size()),
                   fmt::format("at most {}", longest_text));
        }
    }

    void parse() {
        advance();
        disjunction();
        if (!token_.empty()) {
            refuse_token("an operator or the end");
        }
    }

private:
    struct Operator {
        std::string_view token;
        Operation operation;
    };

    /// Reads the next token: a number, a word, an operator, or nothing at the end.
    void advance() {
        std::size_t at = start_ + token_.size();
        while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t' || text_[at] == '\n')) {
            ++at;
        }
        start_ = at;
        std::size_t end = at;
        if (at < text_.size() && (is_digit(text_[at]) || is_letter(text_[at]))) {
            while (end < text_.size() && (is_digit(text_[end]) || is_letter(text_[end]))) {
                ++end;
            }
        } else if (at < text_.size()) {
            const std::string_view two = text_.substr(at, 2);
            const bool pair = two == "==" || two == "!=" || two == "<=" || two == ">=";
            end = at + (pair ? 2 : 1);
        }
        token_ = text_.substr(at, end - at);
    }

    bool accept(std::string_view token) {
        if (token_ != token || token_.empty()) {
            return false;
        }
        advance();
        return true;
    }

    [[noreturn]] void refuse(std::size_t at, const std::string& found, const std::string& expected,
                             const std::string& remedy = "") const {
        expression_.refuse(at + 1, found, expected, remedy);
    }

    [[noreturn]] void refuse_token(const std::string& expected) const {
        std::string remedy;
        if (token_ == "=") {
            remedy = "Equality is written ==";
        } else if (token_ == "&" || token_ == "|" || token_ == "!") {
            remedy = "Write and, or, not";
        } else if (token_ == ".") {
            remedy = "Numbers are whole";
        }
        refuse(start_, token_.empty() ? "the end" : fmt::format("'{}'", token_), expected, remedy);
    }

    void enter() {
        if (++levels_ > most_levels) {
            refuse(start_, fmt::format("more than {} levels of parentheses and signs", most_levels),
                   "a simpler expression");
        }
    }

    std::size_t add(Operation operation, std::int64_t number, std::size_t left, std::size_t right,
                    std::size_t at) {
        expression_.nodes_.push_back({operation, number, left, right, at + 1});
        return expression_.nodes_.size() - 1;
    }

    /// operand (operator operand)*, grouped from the left.
    template <std::size_t Count>
    std::size_t chain(const Operator (&operators)[Count],
                      std::size_t (ExpressionParser::*stronger)()) {
        std::size_t left = (this->*stronger)();
        for (bool more = true; more;) {
            more = false;
            for (const Operator& entry : operators) {
                const std::size_t at = start_;
                if (accept(entry.token)) {
                    const std::size_t right = (this->*stronger)();
                    left = add(entry.operation, 0, left, right, at);
                    more = true;
                    break;
                }
            }
        }
        return left;
    }

    std::size_t disjunction() {
        static constexpr Operator operators[] = {{"or", Operation::Or}};
        return chain(operators, &ExpressionParser::conjunction);
    }

    std::size_t conjunction() {
        static constexpr Operator operators[] = {{"and", Operation::And}};
        return chain(operators, &ExpressionParser::negation);
    }

    std::size_t negation() {
        const std::size_t at = start_;
        if (!accept("not")) {
            return comparison();
        }
        enter();
        const std::size_t inner = negation();
        --levels_;
        return add(Operation::Not, 0, inner, 0, at);
    }

    std::size_t comparison() {
        static constexpr Operator operators[] = {
            {"==", Operation::Equal},       {"!=", Operation::NotEqual},
            {"<=", Operation::LessOrEqual}, {">=", Operation::GreaterOrEqual},
            {"<", Operation::Less},         {">", Operation::Greater}};
        const std::size_t left = sum();
        const auto is_comparison = [this](const Operator& entry) { return entry.token == token_; };
        const auto found = std::find_if(std::begin(operators), std::end(operators), is_comparison);
        if (found == std::end(operators)) {
            return left;
        }
        const std::size_t at = start_;
        advance();
        const std::size_t right = sum();
        if (std::any_of(std::begin(operators), std::end(operators), is_comparison)) {
            refuse(start_, fmt::format("a second comparison, '{}'", token_), "one",
                   "Write a < b and b < c");
        }
        return add(found->operation, 0, left, right, at);
    }

    std::size_t sum() {
        static constexpr Operator operators[] = {{"+", Operation::Add}, {"-", Operation::Subtract}};
        return chain(operators, &ExpressionParser::product);
    }

    std::size_t product() {
        static constexpr Operator operators[] = {
            {"*", Operation::Multiply}, {"/", Operation::Divide}, {"%", Operation::Modulo}};
        return chain(operators, &ExpressionParser::sign);
    }

    std::size_t sign() {
        const std::size_t at = start_;
        if (!accept("-")) {
            return operand();
        }
        enter();
        const std::size_t inner = sign();
        --levels_;
        return add(Operation::Negate, 0, inner, 0, at);
    }

    std::size_t operand() {
        const std::size_t at = start_;
        const std::string_view token = token_;
        if (accept("(")) {
            enter();
            const std::size_t inner = disjunction();
            --levels_;
            if (!accept(")")) {
                refuse_token(fmt::format("the ) of column {}", at + 1));
            }
            return inner;
        }
        if (token.empty() || token == "and" || token == "or" || token == "not" ||
            (!is_digit(token[0]) && !is_letter(token[0]))) {
            refuse_token("a number, a name or (");
        }
        advance();
        return is_digit(token[0]) ? number(token, at) : name(token, at);
    }

    std::size_t number(std::string_view token, std::size_t at) {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
        if (error != std::errc{} || end != token.data() + token.size()) {
            refuse(at, fmt::format("'{}'", token), "a whole number up to 2^63 - 1");
        }
        return add(Operation::Number, value, 0, 0, at);
    }

    std::size_t name(std::string_view token, std::size_t at) {
        std::vector<std::string>& names = expression_.names_;
        auto known = std::find(names.begin(), names.end(), token);
        if (known == names.end()) {
            names.emplace_back(token);
            expression_.name_columns_.push_back(at + 1);
            known = names.end() - 1;
        }
        return add(Operation::Name, known - names.begin(), 0, 0, at);
    }

    Expression& expression_;
    std::string_view text_;
    std::string_view token_;
    std::size_t start_ = 0;  ///< of the token
    int levels_ = 0;
};

Expression Expression::parse(std::string_view text, const std::string& where) {
    Expression expression;
    expression.text_ = text;
    expression.where_ = where;
    ExpressionParser(expression).parse();
    return expression;
}

void Expression::refuse(std::size_t column, const std::string& found, const std::string& expected,
                        const std::string& remedy) const {
    throw InputError(
        {where_, fmt::format("column {} of '{}'", column, text_), found, expected, remedy});
}

std::int64_t Expression::evaluate(const Values& value) const {
    return evaluate(nodes_.back(), value);
}

std::int64_t Expression::evaluate(const Node& node, const Values& value) const {
    switch (node.operation) {
        case Operation::Number:
            return node.number;
        case Operation::Name:
            return value(static_cast<std::size_t>(node.number));
        case Operation::Not:
            return evaluate(nodes_[node.left], value) == 0 ? 1 : 0;
        case Operation::Negate:
            return arithmetic(node, 0, evaluate(nodes_[node.left], value));
        case Operation::And:
            return evaluate(nodes_[node.left], value) != 0 &&
                           evaluate(nodes_[node.right], value) != 0
                       ? 1
                       : 0;
        case Operation::Or:
            return evaluate(nodes_[node.left], value) != 0 ||
                           evaluate(nodes_[node.right], value) != 0
                       ? 1
                       : 0;
        default: {
            const std::int64_t left = evaluate(nodes_[node.left], value);
            return arithmetic(node, left, evaluate(nodes_[node.right], value));
        }
    }
}

std::int64_t Expression::arithmetic(const Node& node, std::int64_t a, std::int64_t b) const {
    std::int64_t result = 0;
    bool overflow = false;
    switch (node.operation) {
        case Operation::Multiply:
            overflow = __builtin_mul_overflow(a, b, &result);
            break;
        case Operation::Add:
            overflow = __builtin_add_overflow(a, b, &result);
            break;
        case Operation::Subtract:
        case Operation::Negate:
            overflow = __builtin_sub_overflow(a, b, &result);
            break;
        case Operation::Divide:
        case Operation::Modulo:
            if (b == 0) {
                refuse(node.column, fmt::format("a division of {} by zero", a),
                       "a divisor other than 0",
                       "and leaves its right side alone where the left is false: "
                       "tp != 0 and 8 % tp == 0");
            }
            // The one quotient that does not fit; its remainder is 0.
            overflow = a == std::numeric_limits<std::int64_t>::min() && b == -1;
            if (node.operation == Operation::Modulo) {
                result = overflow ? 0 : floor_remainder(a, b);
                overflow = false;
            } else if (!overflow) {
                result = floor_divide(a, b);
            }
            break;
        case Operation::Equal:
            return a == b ? 1 : 0;
        case Operation::NotEqual:
            return a != b ? 1 : 0;
        case Operation::Less:
            return a < b ? 1 : 0;
        case Operation::LessOrEqual:
            return a <= b ? 1 : 0;
        case Operation::Greater:
            return a > b ? 1 : 0;
        default:
            return a >= b ? 1 : 0;
    }
    if (overflow) {
        refuse(node.column, fmt::format("a result beyond 64 bits, from {} and {}", a, b),
               "-2^63 to 2^63 - 1");
    }
    return result;
}

}  // namespace npunet::study
