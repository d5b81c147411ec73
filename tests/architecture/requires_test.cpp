// requires.txt says for each precondition of the public headers how it is checked, and a test
// violates each one that is.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <istream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/headers_named.hpp"

namespace {

const std::string kWord = "REQUIRES";

std::ifstream open_source(const std::string& file) {
  return std::ifstream(std::filesystem::path(TOROID_SOURCE_DIR) / file);
}

std::string_view trimmed(std::string_view text, const char* characters) {
  const std::size_t begin = text.find_first_not_of(characters);
  return begin == std::string_view::npos ? "" : text.substr(begin);
}

/// Removes what comes after the first sentence. Returns false if the sentence has not ended.
bool cut_to_sentence(std::string& text) {
  const std::size_t end = text.find(". ");
  if (end == std::string::npos && !text.ends_with('.')) return false;
  text.resize(end == std::string::npos ? text.size() - 1 : end);
  return true;
}

/// The sentences that follow the word REQUIRES in the comments of a header.
std::vector<std::string> preconditions_in(std::istream& header) {
  std::vector<std::string> found;
  bool goes_on = false;
  for (std::string line; std::getline(header, line);) {
    const std::size_t comment = line.find("//");
    const std::size_t word = line.find(kWord);
    goes_on = goes_on && trimmed(line, " ").starts_with("//");
    if (comment != std::string::npos && word != std::string::npos && comment < word)
      found.emplace_back(trimmed(std::string_view(line).substr(word + kWord.size()), ": "));
    else if (goes_on)
      (found.back() += found.back().empty() ? "" : " ") += trimmed(line, " /<");
    else
      continue;
    goes_on = !cut_to_sentence(found.back());
  }
  return found;
}

struct Precondition {
  std::string name;  ///< "hal/shape.hpp:coord"
  std::string how;   ///< how it is checked
  std::string text;

  std::string header() const { return name.substr(0, name.find(':')); }
  bool is(std::string_view kind) const { return how.starts_with(kind); }
  bool is_tested() const { return !is("not checkable: ") && how.find("; no test: ") == how.npos; }
};

std::vector<Precondition> listed() {
  std::vector<Precondition> all;
  std::ifstream list = open_source("tests/architecture/requires.txt");
  for (std::string line; std::getline(list, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t how = line.find(" | ");
    const std::size_t text = line.find(" | ", how + 3);
    all.push_back(
        {line.substr(0, how), line.substr(how + 3, text - how - 3), line.substr(text + 3)});
  }
  return all;
}

/// The tables of violations of a folder.
std::string tables_of(const std::string& folder) {
  std::ostringstream text;
  text << open_source("tests/" + folder + "/requires_test.cpp").rdbuf();
  return text.str();
}

TEST(Preconditions, OfPublicHeadersAreAllListed) {
  std::vector<std::string> in_headers;
  for (const std::string& header : toroid::testing::public_headers()) {
    std::ifstream text = open_source(header);
    for (const std::string& sentence : preconditions_in(text))
      in_headers.push_back(header + ": " + sentence);
  }
  std::vector<std::string> in_list;
  for (const Precondition& one : listed()) in_list.push_back(one.header() + ": " + one.text);
  EXPECT_EQ(in_headers, in_list) << "correct tests/architecture/requires.txt";
}

TEST(Preconditions, AreViolatedByATestIfTheyAreChecked) {
  const std::string all =
      tables_of("hal") + tables_of("router") + tables_of("packet") + tables_of("fft");
  for (const Precondition& one : listed()) {
    EXPECT_TRUE(one.is("always") || one.is("checked build") || one.is("not checkable: "))
        << one.name << ": " << one.how;
    EXPECT_EQ(all.find('"' + one.name + '"') != std::string::npos, one.is_tested()) << one.name;
  }
}

TEST(Preconditions, AreFoundInCommentsToTheEndOfTheirSentence) {
  std::istringstream text(
      "/// Does a.b. REQUIRES: x.size() > 0. Returns y.\n"
      "int f();\n"
      "  /// REQUIRES: one, and\n"
      "  /// two.\n"
      "  int REQUIRES;\n"
      "  int g;  ///< REQUIRES: > 0\n"
      "  int h;  // REQUIRES: no end\n");
  const std::vector<std::string> expected = {"x.size() > 0", "one, and two", "> 0", "no end"};
  EXPECT_EQ(preconditions_in(text), expected);
}

}  // namespace
