#include "profiles/string_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace npunet::profiles {
namespace {

// The table is a bijection between the texts interned and 0 .. size() - 1.
TEST(StringTable, NumbersTextsOnceAndForGood) {
    StringTable strings;
    EXPECT_EQ(strings.intern(""), 0U);
    std::vector<StringId> ids;
    for (int i = 0; i < 5000; ++i) {
        ids.push_back(strings.intern("text " + std::to_string(i)));
    }
    // Longer than a block of the table's memory.
    const std::string longest(200'000, 'x');
    ids.push_back(strings.intern(longest));
    ids.push_back(strings.intern("after"));
    EXPECT_EQ(strings.size(), ids.size() + 1);
    for (int i = 0; i < 5000; ++i) {
        const std::string text = "text " + std::to_string(i);
        const auto at = static_cast<std::size_t>(i);
        EXPECT_EQ(strings[ids[at]], text);
        EXPECT_EQ(strings.intern(text), ids[at]);
        EXPECT_EQ(strings.find(text), ids[at]);
    }
    EXPECT_EQ(strings[ids[5000]], longest);
    EXPECT_EQ(strings[ids[5001]], "after");
    EXPECT_EQ(strings.find("never seen"), std::nullopt);
}

}  // namespace
}  // namespace npunet::profiles
