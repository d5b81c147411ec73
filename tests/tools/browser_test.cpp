// The report in a real browser, without a screen: the page looks at itself and says what it sees in
// the document element's data attributes (tools/report/page/main.js).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/tools/run_command.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;

/// Where the program is on the PATH; empty: nowhere.
std::string found_program(const std::string& name) {
  std::string path = ::getenv("PATH") == nullptr ? "" : ::getenv("PATH");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string program = path.substr(begin, end - begin) + "/" + name;
    if (::access(program.c_str(), X_OK) == 0) return program;
    begin = end + 1;
  }
  return "";
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// The value of the first attribute of that name in a dumped document; empty: it has none.
std::string attribute_of(const std::string& document, const std::string& name) {
  const std::string mark = " " + name + "=\"";
  const std::size_t begin = document.find(mark);
  if (begin == document.npos) return "";
  const std::size_t from = begin + mark.size();
  std::string value = document.substr(from, document.find('"', from) - from);
  replace_all(value, "&quot;", "\"");
  replace_all(value, "&lt;", "<");
  replace_all(value, "&gt;", ">");
  replace_all(value, "&amp;", "&");
  return value;
}

class BrowserTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
      if (browser_.empty()) browser_ = found_program(name);
    if (browser_.empty()) GTEST_SKIP() << "no chromium here; tests/packages.txt names it";
  }

  void run(const Arguments& arguments) {
    const Ended ended =
        run_command(arguments + Arguments{"--quiet"}, {.directory = directory_.path()});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
  }

  /// Virtual time: the browser hurries through the pauses, and ends the document when they are
  /// over.
  std::string opened() {
    const Arguments headless = {"--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-dev-shm-usage",
                                "--window-size=1280,1600",
                                "--virtual-time-budget=30000",
                                "--user-data-dir=" + directory_ / "profile"};
    const Ended ended = run_command(
        headless + Arguments{"--dump-dom", "file://" + (directory_ / "r.html") + "#selftest"},
        {.directory = directory_.path(), .program = browser_.c_str()});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended.out.substr(0, ended.out.find("<body"));
  }

  /// No error, every plot drawn, and what the page could do.
  json expect_drawn(const std::vector<std::string>& plots) {
    const std::string document = opened();
    EXPECT_EQ(attribute_of(document, "data-errors"), "[]");
    std::printf("ready after %s ms of the page's time\n",
                attribute_of(document, "data-ready").c_str());
    const std::string text = attribute_of(document, "data-selftest");
    const json outcome = json::parse(text.empty() ? "{}" : text);
    EXPECT_EQ(outcome.value("ink", json::object()).size(), plots.size()) << text;
    for (const std::string& plot : plots)
      EXPECT_GT(outcome.value(json::json_pointer("/ink/" + plot), 0.0), 0.001) << plot << text;
    return outcome;
  }

  const TemporaryDirectory directory_;
  std::string browser_;
};

constexpr const char* kSweepReport = R"({"verb":"sweep","axis":"load","points":[
  {"offered":0.5,"accepted":0.5,"latency_p50":900,"latency_p99":2000,"policy":"random","torus":"4x4"},
  {"offered":0.9,"accepted":0.8,"latency_p50":5000,"latency_p99":9000,"policy":"random",
   "torus":"4x4","saturated":true}]})";

TEST_F(BrowserTest, DrawsEveryPlotAndPlaysTheTorus) {
  directory_.save("sweep.json", kSweepReport);
  run({"alltoall", "--torus", "4x4x4", "--record", "a.json"});
  run({"alltoall", "--torus", "4x4x4", "--order", "rank", "--json", "b.json"});
  run({"report", "a.json", "b.json", "sweep.json", "-o", "r.html"});
  const json outcome = expect_drawn({"peak", "sweep0", "torus", "heat", "links", "fifos"});
  EXPECT_TRUE(outcome.value("plays", false));
  EXPECT_TRUE(outcome.value("turns", false));
  EXPECT_THAT(outcome.value("heat", ""), ::testing::HasSubstr("(0,0,0) X+: "));
  EXPECT_GT(outcome.value("tables", 0), 20);
}

TEST_F(BrowserTest, DrawsOneToSixDimensionsAndMeshes) {
  for (const char* torus : {"7", "3x5m", "1x4", "2x3x2x3", "2x2x2x2x2x2"}) {
    SCOPED_TRACE(torus);
    run({"alltoall", "--torus", torus, "--record", "a.json"});
    run({"report", "a.json", "-o", "r.html"});
    const json outcome = expect_drawn({"peak", "torus", "heat", "links", "fifos"});
    EXPECT_TRUE(outcome.value("turns", false));
  }
}

}  // namespace
}  // namespace toroid::testing
