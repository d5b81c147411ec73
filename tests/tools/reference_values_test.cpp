// Results of the emulated torus must not change by accident: reference_values.txt lists commands
// with their earlier results, and its head explains how to renew them.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"

namespace toroid::testing {
namespace {

const std::string kReferenceDirectory = TOROID_SOURCE_DIR "/tests/tools";

/// The path of a number in a command's JSON, and the number as text.
struct ReferenceValue {
  std::string path;
  std::string value;
};

struct ReferenceRun {
  std::string line;
  Arguments arguments;
  std::vector<ReferenceValue> values;
};

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

std::vector<ReferenceValue> reference_values_of(const std::string& line) {
  std::vector<ReferenceValue> values;
  std::string object = "/";
  for (const std::string& word : words_of(line)) {
    const std::size_t equal = word.find('=');
    if (equal != std::string::npos)
      values.push_back({object + word.substr(0, equal), word.substr(equal + 1)});
    else if (word.ends_with(':'))
      object = "/" + word.substr(0, word.size() - 1) + "/";
    else
      throw std::runtime_error("reference_values.txt: neither WHERE: nor KEY=VALUE: " + word);
  }
  return values;
}

std::vector<ReferenceRun> reference_runs() {
  std::ifstream file(kReferenceDirectory + "/reference_values.txt");
  std::vector<ReferenceRun> runs;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (line.front() != ' ')
      runs.push_back({line, words_of(line), {}});
    else
      for (const ReferenceValue& value : reference_values_of(line))
        runs.at(runs.size() - 1).values.push_back(value);
  }
  return runs;
}

/// Returns a value as JSON has it: numbers in the fewest digits that identify them.
std::string reference_text(const nlohmann::json& report, const std::string& path) {
  const nlohmann::json::json_pointer pointer(path);
  if (!report.contains(pointer)) return "absent";
  const nlohmann::json& value = report[pointer];
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void expect_reference_values(const ReferenceRun& run) {
  EXPECT_FALSE(run.values.empty()) << run.line << ": the table has no values";
  const Ended ended =
      run_command(run.arguments + Arguments{"--fabric", "sim", "--quiet", "--json", "-"},
                  {.directory = kReferenceDirectory});
  if (ended.exit_code != 0) {
    ADD_FAILURE() << run.line << ": exit " << ended.exit_code << ", signal " << ended.signal << ": "
                  << ended.err;
    return;
  }
  const nlohmann::json report = ended.json();
  for (const ReferenceValue& expected : run.values) {
    const std::string actual = reference_text(report, expected.path);
    if (actual != expected.value)
      ADD_FAILURE() << run.line << ": " << expected.path << " is " << actual << ", was "
                    << expected.value;
  }
}

void expect_reference_values_of(const std::function<bool(const std::string& command)>& chosen) {
  int count = 0;
  for (const ReferenceRun& run : reference_runs()) {
    if (!chosen(run.arguments.front())) continue;
    expect_reference_values(run);
    ++count;
  }
  EXPECT_GT(count, 0) << "the table has no such command";
}

const std::set<std::string> kReferenceCampaigns = {"compare", "sweep"};
const std::set<std::string> kReferenceTransforms = {"fft", "poisson"};

TEST(ReferenceValues, SimExchangesAreUnchanged) {
  expect_reference_values_of([](const std::string& command) { return command == "alltoall"; });
}

TEST(ReferenceValues, SimCampaignsAreUnchanged) {
  expect_reference_values_of(
      [](const std::string& command) { return kReferenceCampaigns.contains(command); });
}

TEST(ReferenceValues, SimTransformsAreUnchanged) {
  expect_reference_values_of(
      [](const std::string& command) { return kReferenceTransforms.contains(command); });
}

TEST(ReferenceValues, OtherSimRunsAreUnchanged) {
  expect_reference_values_of([](const std::string& command) {
    return command != "alltoall" && !kReferenceCampaigns.contains(command) &&
           !kReferenceTransforms.contains(command);
  });
}

}  // namespace
}  // namespace toroid::testing
