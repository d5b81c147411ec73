// Programs that documents quote are the compiled ones.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string text_of_file(const std::string& path) {
  std::ifstream file(std::string(TOROID_SOURCE_DIR "/") + path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// What stands between ```cpp and ```.
std::vector<std::string> cpp_blocks(const std::string& document) {
  constexpr std::string_view kBegin = "```cpp\n";
  std::vector<std::string> blocks;
  for (std::size_t at = document.find(kBegin); at != std::string::npos;
       at = document.find(kBegin, at)) {
    at += kBegin.size();
    blocks.push_back(document.substr(at, document.find("```", at) - at));
  }
  return blocks;
}

TEST(Documents, QuoteThePolicyThatIsCompiled) {
  const std::string program = text_of_file("tests/consumer/policy.cpp");
  const auto blocks = cpp_blocks(text_of_file("docs/POLICIES.md"));
  ASSERT_EQ(blocks.size(), 2u);
  for (const std::string& block : blocks)
    EXPECT_NE(program.find(block), std::string::npos) << block;
}

}  // namespace
