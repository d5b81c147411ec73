// Edit distances, and the known name that is suggested for a typo.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/text/spelling.hpp"

namespace toroid::testing {
namespace {

using namespace std::string_view_literals;

constexpr std::array kOptions = {"size"sv, "seed"sv,      "policy"sv,           "policies"sv,
                                 "in"sv,   "precision"sv, "no-transit-first"sv, "per-visit"sv};

TEST(Spelling, EditDistanceMatchesPublishedExamples) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("saturday", "sunday"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
}

TEST(Spelling, CountsASwapOfTwoLettersAsOneEdit) {
  EXPECT_EQ(edit_distance("sotrm", "storm"), 1u);
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);  // swapped letters are not edited again
  EXPECT_EQ(edit_distance("abcd", "badc"), 2u);
}

/// Returns all texts of the letters a and b that one edit of `text` gives. Does not use
/// edit_distance().
std::vector<std::string> one_edit_from(const std::string& text) {
  std::vector<std::string> edited;
  for (std::size_t i = 0; i <= text.size(); ++i)
    for (const char c : {'a', 'b'}) {
      edited.push_back(text.substr(0, i) + c + text.substr(i));
      if (i < text.size()) edited.push_back(text.substr(0, i) + c + text.substr(i + 1));
    }
  for (std::size_t i = 0; i < text.size(); ++i)
    edited.push_back(text.substr(0, i) + text.substr(i + 1));
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    std::string swapped = text;
    std::swap(swapped[i], swapped[i + 1]);
    edited.push_back(swapped);
  }
  return edited;
}

TEST(Spelling, EditDistanceIsOneAfterOneEditAndNeverTooSmall) {
  for (const std::string start : {"", "a", "ab", "aab", "abba", "babab"}) {
    std::map<std::string, std::size_t> steps{{start, 0}};
    std::queue<std::string> open({start});
    while (!open.empty()) {
      const std::string text = open.front();
      open.pop();
      if (steps[text] == 2) continue;
      for (const std::string& next : one_edit_from(text))
        if (steps.try_emplace(next, steps[text] + 1).second) open.push(next);
    }
    for (const auto& [text, fewest] : steps) {
      const std::size_t distance = edit_distance(start, text);
      EXPECT_EQ(distance, edit_distance(text, start));
      EXPECT_GE(distance, fewest) << start << " " << text;
      EXPECT_LE(distance, fewest < 2 ? fewest : text.size() + start.size());
    }
  }
}

TEST(Spelling, FindsTheNameThatNeedsTheFewestEdits) {
  for (const auto& [typed, name] : {std::pair{"polcy", "policy"},
                                    {"ploicy", "policy"},
                                    {"policcy", "policy"},
                                    {"polcies", "policies"},
                                    {"sede", "seed"},
                                    {"ni", "in"},
                                    {"i", "in"},
                                    {"SIZE", "size"},
                                    {"per-vist", "per-visit"}})
    EXPECT_EQ(nearest_name(typed, kOptions), name) << typed;
}

TEST(Spelling, FindsANameByItsBeginningOrByOneOfItsWords) {
  EXPECT_EQ(nearest_name("prec", kOptions), "precision");
  EXPECT_EQ(nearest_name("seedling", kOptions), "seed");
  EXPECT_EQ(nearest_name("polici", kOptions), "policies");  // completed, though "policy" is nearer
  EXPECT_EQ(nearest_name("transit-first", kOptions), "no-transit-first");
  EXPECT_EQ(nearest_name("visit", kOptions), "per-visit");
}

TEST(Spelling, FindsNothingIfNothingIsNear) {
  for (const std::string typed : {"", "frob", "x", "completely-else", "zzzzzz"})
    EXPECT_EQ(nearest_name(typed, std::span(kOptions).first(4)), "") << typed;
  EXPECT_EQ(nearest_name("size", {}), "");
  EXPECT_EQ(nearest_name(std::string(100'000, 'i'), kOptions), "");
}

TEST(Spelling, MessageNamesTypoSuggestionAndKnownNames) {
  const std::array orders = {"random"sv, "rank"sv, "shift"sv};
  EXPECT_EQ(unknown_name("order", "randm", orders),
            "unknown order 'randm'; did you mean 'random'? known: random, rank, shift");
  EXPECT_EQ(unknown_name("order", "spiral", orders),
            "unknown order 'spiral'; known: random, rank, shift");
}

}  // namespace
}  // namespace toroid::testing
