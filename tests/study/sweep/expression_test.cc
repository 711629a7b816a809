// Expressions against a naive evaluator of random trees in 128-bit arithmetic, and what is no
// expression.

#include "study/sweep/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <random>

#include "tests/support/refusals.h"

namespace npunet::study {
namespace {

using ::testing::HasSubstr;
__extension__ using Wide = __int128;

const std::map<std::string, std::int64_t> values{
    {"a", 3}, {"b", -7}, {"zero", 0}, {"tp", 8}, {"huge", INT64_MAX}, {"least", INT64_MIN}};

std::int64_t evaluate(const std::string& text) {
    const Expression expression = Expression::parse(text, "test");
    return expression.evaluate(
        [&](std::size_t name) { return values.at(expression.names()[name]); });
}

std::string error_of(const std::string& text) {
    return test::message_of<InputError>([&] { return evaluate(text); });
}

TEST(Expression, StrengthOfOperators) {
    EXPECT_EQ(evaluate("1 + 2 * 3"), 7);
    EXPECT_EQ(evaluate("(1 + 2) * 3"), 9);
    EXPECT_EQ(evaluate("10 - 3 - 2"), 5);
    EXPECT_EQ(evaluate("64 / 4 / 2"), 8);
    EXPECT_EQ(evaluate("-a * 2"), -6);
    EXPECT_EQ(evaluate("- -a"), 3);
    EXPECT_EQ(evaluate("not a == 3 or tp > 4 and b < 0"), 1);
    EXPECT_EQ(evaluate("not (a == 3 or tp > 4)"), 0);
    EXPECT_EQ(evaluate("1 == 2 or 1"), 1);
}

// a == b (a / b) + a % b, and the remainder has the divisor's sign.
TEST(Expression, DivisionRoundsDown) {
    EXPECT_EQ(evaluate("7 / 2"), 3);
    EXPECT_EQ(evaluate("b / 2"), -4);
    EXPECT_EQ(evaluate("b % 2"), 1);
    EXPECT_EQ(evaluate("7 % (-2)"), -1);
    EXPECT_EQ(evaluate("least % 3"), 1);
    EXPECT_EQ(evaluate("least % -1"), 0);
    EXPECT_EQ(evaluate("least / 3"), -3074457345618258603);
}

TEST(Expression, TheRightSideIsLeftAloneWhereTheLeftDecides) {
    EXPECT_EQ(evaluate("zero != 0 and 8 % zero == 0"), 0);
    EXPECT_EQ(evaluate("zero == 0 or 8 % zero == 0"), 1);
}

TEST(Expression, ErrorsNameColumnAndReason) {
    EXPECT_THAT(error_of("8 / zero"), HasSubstr("column 3 of '8 / zero': found a division of 8"));
    EXPECT_THAT(error_of("huge + 1"), HasSubstr("column 6"));
    EXPECT_THAT(error_of("huge * 2"), HasSubstr("beyond 64 bits"));
    EXPECT_THAT(error_of("-least"), HasSubstr("beyond 64 bits"));
    EXPECT_THAT(error_of("least / -1"), HasSubstr("beyond 64 bits"));
    EXPECT_THAT(error_of("1 +"), HasSubstr("column 4 of '1 +': found the end"));
    EXPECT_THAT(error_of(""), HasSubstr("found the end; expected a number, a name or ("));
    EXPECT_THAT(error_of("a = 3"), HasSubstr("Equality is written =="));
    EXPECT_THAT(error_of("a && b"), HasSubstr("Write and, or, not"));
    EXPECT_THAT(error_of("1 < a < 3"), HasSubstr("Write a < b and b < c"));
    EXPECT_THAT(error_of("(a + 1"), HasSubstr("the ) of column 1"));
    EXPECT_THAT(error_of("a b"), HasSubstr("column 3"));
    EXPECT_THAT(error_of("1.5"), HasSubstr("Numbers are whole"));
    EXPECT_THAT(error_of("3x"), HasSubstr("'3x'"));
    EXPECT_THAT(error_of("9223372036854775808"), HasSubstr("up to 2^63 - 1"));
    EXPECT_THAT(error_of("a # b"), HasSubstr("'#'"));
    EXPECT_THAT(error_of("and"), HasSubstr("'and'"));
}

TEST(Expression, DepthIsLimited) {
    EXPECT_EQ(evaluate(std::string(100, '(') + "1" + std::string(100, ')')), 1);
    EXPECT_THAT(error_of(std::string(101, '(') + "1" + std::string(101, ')')),
                HasSubstr("more than 100 levels"));
    EXPECT_THAT(error_of(std::string(1500, '-') + "1"), HasSubstr("more than 100 levels"));
    std::string deep_not;
    for (int i = 0; i < 300; ++i) {
        deep_not += "not ";
    }
    EXPECT_THAT(error_of(deep_not + "1"), HasSubstr("more than 100 levels"));
    EXPECT_THAT(error_of(std::string(3000, ' ') + "1"), HasSubstr("3001 characters"));
}

TEST(Expression, NamesComeInOrderWithTheirColumns) {
    const Expression expression = Expression::parse("tp * dp == tp + npus", "test");
    EXPECT_EQ(expression.names(), (std::vector<std::string>{"tp", "dp", "npus"}));
    EXPECT_EQ(expression.column_of(1), 6U);
}

/// A random tree: its text with the fewest or with all parentheses, and its value, worked out on
/// the tree in 128 bits; nothing where that passes 64 bits or divides by zero.
struct Tree {
    std::string op;  ///< empty: a leaf
    std::int64_t leaf = 0;
    std::unique_ptr<Tree> left;
    std::unique_ptr<Tree> right;

    static int strength(const std::string& op) {
        static const std::map<std::string, int> strengths{
            {"or", 1}, {"and", 2}, {"not", 3}, {"==", 4}, {"!=", 4}, {"<", 4}, {"<=", 4}, {">", 4},
            {">=", 4}, {"+", 5},   {"-", 5},   {"*", 6},  {"/", 6},  {"%", 6}, {"neg", 7}};
        return op.empty() ? 8 : strengths.at(op);
    }

    [[nodiscard]] std::string inner(const Tree& child, int least) const {
        const std::string text = child.text();
        return strength(child.op) < least ? "(" + text + ")" : text;
    }

    [[nodiscard]] std::string text() const {
        const int own = strength(op);
        if (op.empty()) {
            return std::to_string(leaf);
        }
        if (op == "not" || op == "neg") {
            return (op == "not" ? "not " : "-") + inner(*left, own);
        }
        // Grouped from the left; comparisons are not chained at all.
        return inner(*left, own == 4 ? 5 : own) + " " + op + " " + inner(*right, own + 1);
    }

    [[nodiscard]] std::optional<Wide> value() const {
        if (op.empty()) {
            return leaf;
        }
        const auto a = left->value();
        if (!a) {
            return std::nullopt;
        }
        if (op == "not") {
            return *a == 0 ? 1 : 0;
        }
        if (op == "and" && *a == 0) {
            return 0;
        }
        if (op == "or" && *a != 0) {
            return 1;
        }
        const auto b = right ? right->value() : std::optional<Wide>(0);
        return b ? combined(*a, *b) : std::nullopt;
    }

    [[nodiscard]] std::optional<Wide> combined(Wide a, Wide b) const {
        if ((op == "/" || op == "%") && b == 0) {
            return std::nullopt;
        }
        Wide result = 0;
        if (op == "neg") {
            result = -a;
        } else if (op == "+") {
            result = a + b;
        } else if (op == "-") {
            result = a - b;
        } else if (op == "*") {
            result = a * b;
        } else if (op == "/" || op == "%") {
            // The largest whole number that is not above a / b.
            Wide quotient = a / b - 1;
            for (const Wide more : {a / b, a / b + 1}) {
                if (b > 0 ? more * b <= a : more * b >= a) {
                    quotient = more;
                }
            }
            result = op == "/" ? quotient : a - quotient * b;
        } else {
            const std::map<std::string, bool> truths{
                {"==", a == b}, {"!=", a != b}, {"<", a < b},    {"<=", a <= b},
                {">", a > b},   {">=", a >= b}, {"and", b != 0}, {"or", b != 0}};
            result = truths.at(op) ? 1 : 0;
        }
        if (result > INT64_MAX || result < INT64_MIN) {
            return std::nullopt;
        }
        return result;
    }
};

std::unique_ptr<Tree> random_tree(std::mt19937_64& random, int depth) {
    static const std::vector<std::string> operators{"or", "and", "not", "==", "!=", "<", "<=", ">",
                                                    ">=", "+",   "-",   "*",  "/",  "%", "neg"};
    auto tree = std::make_unique<Tree>();
    if (depth == 0 || random() % 5 == 0) {
        tree->leaf = random() % 20 == 0 ? static_cast<std::int64_t>(random() >> 1)
                                        : static_cast<std::int64_t>(random() % 12);
        return tree;
    }
    tree->op = operators[random() % operators.size()];
    tree->left = random_tree(random, depth - 1);
    if (tree->op != "not" && tree->op != "neg") {
        tree->right = random_tree(random, depth - 1);
    }
    return tree;
}

TEST(Expression, RandomTreesAgreeWithTheNaiveEvaluator) {
    std::mt19937_64 random(1);
    int with_value = 0;
    int without = 0;
    for (int i = 0; i < 20000; ++i) {
        const auto tree = random_tree(random, 1 + static_cast<int>(random() % 5));
        const std::string text = tree->text();
        const auto expected = tree->value();
        if (text.size() > 2000) {
            continue;
        }
        if (expected) {
            ++with_value;
            ASSERT_EQ(evaluate(text), static_cast<std::int64_t>(*expected)) << text;
        } else {
            ++without;
            ASSERT_NE(error_of(text), "no error") << text;
        }
    }
    EXPECT_GT(with_value, 5000);
    EXPECT_GT(without, 500);
}

}  // namespace
}  // namespace npunet::study
