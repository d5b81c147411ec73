// The report in a real, headless browser: the page checks what a reader would see and writes its
// findings into data attributes of the document element (tools/report/page/selftest.js).
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/tools/browser.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/report/page.hpp"

namespace toroid::testing {

inline void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// Value of the first attribute `name` in a dumped document; empty if there is none.
inline std::string attribute_of(const std::string& document, const std::string& name) {
  const std::string mark = " " + name + "=\"";
  const std::size_t begin = document.find(mark);
  if (begin == document.npos) return "";
  const std::size_t from = begin + mark.size();
  std::string value = document.substr(from, document.find('"', from) - from);
  replace_all(value, "&quot;", "\"");
  replace_all(value, "&lt;", "<");
  replace_all(value, "&gt;", ">");
  replace_all(value, "&nbsp;", " ");
  replace_all(value, "&amp;", "&");
  return value;
}

class BrowserTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (const std::string program = found_browser(); !program.empty()) browser_.emplace(program);
  }
  static void TearDownTestSuite() { browser_.reset(); }
  void SetUp() override {
    if (!browser_) GTEST_SKIP() << "chromium is not installed; see tests/packages.txt";
  }

  void run(const Arguments& arguments) {
    const Ended ended =
        run_command(arguments + Arguments{"--quiet"}, {.directory = directory_.path()});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
  }

  /// The result that a run wrote to `file`.
  nlohmann::json result(const std::string& file) {
    return nlohmann::json::parse(directory_.content_of(file));
  }

  /// Saves r.html, a page with `data` embedded as the report does it.
  void make_page(const nlohmann::json& data) {
    std::string page = report_page({});
    const std::string mark = "id=\"data\">";
    const std::size_t begin = page.find(mark) + mark.size();
    std::string text = data.dump();
    replace_all(text, "<", "\\u003c");
    page.replace(begin, page.find("</script>", begin) - begin, text);
    directory_.save("r.html", page);
  }

  /// Opens r.html, expects that it draws everything legibly and without errors, and returns the
  /// findings of its self-test.
  nlohmann::json seen(int width = 1280) {
    document_ =
        browser_->document("file://" + (directory_ / "r.html") + "#selftest", width,
                           "root.dataset.selftest || (root.dataset.errors ?? '[]') !== '[]'");
    const std::string root = document_.substr(0, document_.find("<body"));
    EXPECT_EQ(attribute_of(root, "data-errors"), "[]");
    const std::string text = attribute_of(root, "data-selftest");
    if (text.empty()) throw std::runtime_error("the page did not finish its self-test");
    const nlohmann::json seen = nlohmann::json::parse(text);
    EXPECT_FALSE(seen.value("wide", true)) << "the page is wider than the window";
    const nlohmann::json plots = seen.value("plots", nlohmann::json::object());
    for (const auto& [id, plot] : plots.items()) {
      EXPECT_EQ(plot["illegible"], nlohmann::json::array()) << id;
      EXPECT_EQ(plot["broken"], nlohmann::json::array()) << id;
      EXPECT_TRUE(plot["shapes"] > 2 || plot["ink"] > 0.001) << id;
    }
    return seen;
  }

  static std::vector<std::string> plots_of(const nlohmann::json& seen) {
    std::vector<std::string> ids;
    for (const auto& [id, plot] : seen["plots"].items()) ids.push_back(id);
    return ids;
  }

  static inline std::optional<Browser> browser_;  ///< shared by all tests

  const TemporaryDirectory directory_;
  std::string document_;  ///< the document opened last
};

}  // namespace toroid::testing
