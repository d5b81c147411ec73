// Helpers for the texts of messages.
#include "hal/check.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace toroid {
namespace {

TEST(OneLine, ReplacesTheControlCharactersOfAsciiAndOfUtf8) {
  EXPECT_EQ(one_line("a\nb\tc\x7f\x1b[2J"), "a?b?c??[2J");
  EXPECT_EQ(one_line("a\xc2\x80 \xc2\x9b \xc2\x9f"), "a?? ?? ??");
}

TEST(OneLine, KeepsOtherCharacters) {
  for (const std::string text : {"", "a b", "Z\xc3\xbcrich", "\xc2\xa0", "\xe2\x82\x9b", "\xc2"}) {
    EXPECT_EQ(one_line(text), text);
    EXPECT_FALSE(has_control_characters(text));
  }
}

TEST(ControlCharacters, AreFoundAtEveryPosition) {
  for (const std::string character : {"\n", "\x1b", "\x7f", "\xc2\x80", "\xc2\x9f"})
    for (const std::string& text : {character + "ab", "a" + character + "b", "ab" + character})
      EXPECT_TRUE(has_control_characters(text)) << one_line(text);
}

/// Tries characters of one to four bytes, cut at every position.
TEST(CharacterEnd, NeverSplitsACharacter) {
  for (const std::string character : {"a", "\xc3\xbc", "\xe2\x82\xac", "\xf0\x9f\x98\x80"}) {
    const std::string text = character + character + character;
    for (std::size_t end = 0; end <= text.size(); ++end)
      EXPECT_EQ(character_end(text, end), end - end % character.size()) << text << ", " << end;
  }
}

TEST(CharacterEnd, GoesBackByThreeBytesAtMost) {
  const std::string garbage(10, '\x80');
  EXPECT_EQ(character_end(garbage, 8), 5u);
  EXPECT_EQ(character_end(garbage, 2), 0u);
  EXPECT_EQ(character_end(garbage, 10), 10u);
}

TEST(Shortened, CutsTextToSixtyBytesAndAnEllipsis) {
  EXPECT_EQ(shortened(std::string(60, '\n')), std::string(60, '?'));
  EXPECT_EQ(shortened(std::string(61, 'a')), std::string(60, 'a') + "...");
  EXPECT_EQ(shortened(std::string(59, 'a') + "\xc3\xbc and more"), std::string(59, 'a') + "...");
}

}  // namespace
}  // namespace toroid
