// The layers of the project: which folder may include which, checked by the #include lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <istream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/headers_named.hpp"

namespace {

namespace fs = std::filesystem;

/// The folders of the project that each folder may include. tests/ may include everything.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"hal", {"hal"}},
    {"router", {"hal", "router"}},
    {"packet", {"hal", "packet"}},
    {"fft", {"hal", "packet", "fft"}},
    {"tools", {"hal", "router", "packet", "fft", "tools"}}};

struct Include {
  std::string file;  ///< relative to the project
  std::string target;
  bool system;
};

/// Takes blanks and then `word` from the front of a line.
bool take(std::string_view& line, std::string_view word) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  if (!line.substr(begin).starts_with(word)) return false;
  line.remove_prefix(begin + word.size());
  return true;
}

/// The #include lines of a source text.
std::vector<Include> includes_of(const std::string& file, std::istream& text) {
  std::vector<Include> includes;
  for (std::string whole; std::getline(text, whole);) {
    std::string_view line = whole;
    if (!take(line, "#") || !take(line, "include")) continue;
    const bool system = take(line, "<");
    if (!system && !take(line, "\"")) continue;
    const std::size_t end = line.find(system ? '>' : '"');
    includes.push_back({file, std::string(line.substr(0, end)), system});
  }
  return includes;
}

bool is_source(const fs::path& path) {
  return path.extension() == ".cpp" || path.extension() == ".hpp";
}

/// Calls visit(path from the project's top, text) for every source in a folder.
template <typename Visit>
void for_each_source(const std::string& folder, Visit&& visit) {
  const fs::path root = TOROID_SOURCE_DIR;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    if (!entry.is_regular_file() || !is_source(entry.path())) continue;
    std::ifstream text(entry.path());
    visit(fs::relative(entry.path(), root).string(), text);
  }
}

std::vector<Include> includes_under(const std::string& folder) {
  std::vector<Include> includes;
  for_each_source(folder, [&](const std::string& file, std::istream& text) {
    const auto more = includes_of(file, text);
    includes.insert(includes.end(), more.begin(), more.end());
  });
  return includes;
}

std::string top_folder(const std::string& path) {
  return path.substr(0, path.find('/'));
}

/// Says which rule the include violates; empty if it is allowed.
std::string violation(const Include& include) {
  const std::string from = top_folder(include.file);
  const std::string to = top_folder(include.target);
  if (!include.system && !kMayInclude.at(from).contains(to))
    return include.file + " includes " + include.target;
  if (include.system && kMayInclude.contains(to))
    return include.file + " includes <" + include.target + "> as if it were a system header";
  const bool program = include.file.starts_with("packet/node/program.");
  if (include.target == "coroutine" && !program) return include.file + " includes <coroutine>";
  if (include.target == "CLI/CLI.hpp" && (from != "tools" || include.file.ends_with(".hpp")))
    return include.file + " includes CLI11, which takes seconds to compile";
  return {};
}

TEST(Includes, StayWithinAllowedFolders) {
  for (const auto& [folder, allowed] : kMayInclude) {
    const auto includes = includes_under(folder);
    EXPECT_FALSE(includes.empty()) << "no includes found in " << folder;
    for (const Include& include : includes) EXPECT_EQ(violation(include), "");
  }
}

/// The subfolders ("rooms") of a folder, and the other subfolders that each may include.
using Rooms = std::map<std::string, std::set<std::string>>;
const Rooms kRouterRooms = {{"rules", {}},
                            {"placement", {}},
                            {"threads", {}},
                            {"termination", {"rules", "threads"}},
                            {"sim", {"rules", "termination", "threads"}},
                            {"shm", {"placement", "rules", "termination", "threads"}},
                            {"job", {"placement", "termination", "threads"}},
                            {"ofi", {"job", "placement", "rules", "shm", "termination", "threads"}},
                            {"fabrics", {"job", "ofi", "shm", "sim"}}};
const Rooms kPacketRooms = {{"traffic", {}},
                            {"node", {}},
                            {"replay", {"node"}},
                            {"policies", {"node", "traffic"}},
                            {"exchange", {"node", "policies", "traffic"}},
                            {"message_passing", {"exchange", "node"}}};

const Rooms kFftRooms = {{"layout", {}},
                         {"kernels", {"layout"}},
                         {"plan", {"kernels", "layout"}},
                         {"orbital", {"kernels", "layout", "plan"}},
                         {"execute", {"kernels", "layout", "orbital", "plan"}}};

const Rooms kToolRooms = {
    {"text", {}},
    {"files", {"text"}},
    {"report", {"files", "text"}},
    {"options", {"files", "text"}},
    {"run", {"files", "options", "report", "text"}},
    {"transform", {"files", "options", "report", "run", "text"}},
    {"lab", {"files", "options", "report", "run", "text", "transform"}},
    {"command", {"files", "lab", "options", "report", "run", "text", "transform"}},
    {"main.cpp", {"command", "options", "run"}},
    {"python", {"command", "files", "options", "report", "run", "text"}},
    {"bench", {"run"}},
    {"examples", {}}};
const Rooms kLabRooms = {
    {"benchmarks", {}}, {"campaign", {}}, {"paper", {"campaign"}}, {"policy_check", {"campaign"}}};

/// The subfolder of a file in the folder; empty for files of other folders.
std::string room_of(const std::string& path, const std::string& folder) {
  if (!path.starts_with(folder + "/")) return {};
  return top_folder(path.substr(folder.size() + 1));
}

void expect_rooms_kept(const std::string& folder, const Rooms& rooms) {
  for (const Include& include : includes_under(folder)) {
    const std::string from = room_of(include.file, folder), to = room_of(include.target, folder);
    ASSERT_TRUE(rooms.contains(from)) << include.file;
    EXPECT_TRUE(to.empty() || to == from || rooms.at(from).contains(to))
        << include.file << " includes " << include.target;
  }
}

TEST(Includes, OfRouterSubfoldersStayWithinAllowedOnes) {
  expect_rooms_kept("router", kRouterRooms);
}

TEST(Includes, OfPacketSubfoldersStayWithinAllowedOnes) {
  expect_rooms_kept("packet", kPacketRooms);
}

TEST(Includes, OfFftSubfoldersStayWithinAllowedOnes) {
  expect_rooms_kept("fft", kFftRooms);
}

TEST(Includes, OfToolsSubfoldersStayWithinAllowedOnes) {
  expect_rooms_kept("tools", kToolRooms);
  expect_rooms_kept("tools/lab", kLabRooms);
}

TEST(PublicHeaders, ExistAndMatchTheLibraryPage) {
  const auto listed = toroid::testing::public_headers();
  EXPECT_EQ(listed, toroid::testing::headers_named("docs/LIBRARY.md",
                                                   "`" + toroid::testing::kHeaderName + "`"));
  for (const std::string& file : listed)
    EXPECT_TRUE(fs::exists(fs::path(TOROID_SOURCE_DIR) / file)) << file;
}

/// Headers that the build writes; they are not among the sources.
const std::set<std::string> kGenerated = {"tools/report/assets.hpp"};

TEST(Includes, UsePathsFromTheProjectTop) {
  for (const auto& [folder, allowed] : kMayInclude)
    for (const Include& include : includes_under(folder)) {
      if (include.system || kGenerated.contains(include.target)) continue;
      EXPECT_TRUE(fs::exists(fs::path(TOROID_SOURCE_DIR) / include.target))
          << include.file << " includes \"" << include.target << '"';
    }
}

/// Every source that includes a header with an anonymous namespace would get its own copy of the
/// content.
TEST(Headers, HaveNoAnonymousNamespaces) {
  for (const std::string folder : {"hal", "router", "packet", "fft", "tools", "tests"})
    for_each_source(folder, [](const std::string& file, std::istream& text) {
      if (!file.ends_with(".hpp")) return;
      for (std::string line; std::getline(text, line);) EXPECT_NE(line, "namespace {") << file;
    });
}

TEST(Includes, AreRefusedIfForbidden) {
  EXPECT_NE(violation({"hal/x.hpp", "router/x.hpp", false}), "");
  EXPECT_NE(violation({"router/x.cpp", "packet/node/node.hpp", false}), "");
  EXPECT_NE(violation({"router/sim/x.cpp", "fft/x.hpp", false}), "");
  EXPECT_NE(violation({"packet/x.hpp", "router/sim/sim_fabric.hpp", false}), "");
  EXPECT_NE(violation({"fft/x.hpp", "router/sim/sim_fabric.hpp", false}), "");
  EXPECT_NE(violation({"fft/x.hpp", "tools/x.hpp", false}), "");
  EXPECT_NE(violation({"tools/x.hpp", "tests/x.hpp", false}), "");
  EXPECT_NE(violation({"hal/x.hpp", "router/x.hpp", true}), "");
  EXPECT_NE(violation({"packet/node/node.hpp", "coroutine", true}), "");
  EXPECT_NE(violation({"tools/command/x.hpp", "CLI/CLI.hpp", true}), "");
  EXPECT_NE(violation({"fft/x.cpp", "CLI/CLI.hpp", true}), "");
  EXPECT_EQ(violation({"packet/node/program.hpp", "coroutine", true}), "");
  EXPECT_EQ(violation({"tools/options/x.cpp", "CLI/CLI.hpp", true}), "");
  EXPECT_EQ(violation({"packet/x.hpp", "hal/x.hpp", false}), "");
  EXPECT_EQ(violation({"packet/x.hpp", "vector", true}), "");
}

TEST(Includes, AreFoundInEverySpellingExceptInComments) {
  std::istringstream text(
      "#include \"a/b.hpp\"\n  #  include <vector>  // why\n// #include \"no\"\n"
      "#include\t\"c.hpp\"\nint include;\n");
  const auto includes = includes_of("x.cpp", text);
  ASSERT_EQ(includes.size(), 3u);
  EXPECT_EQ(includes[0].target, "a/b.hpp");
  EXPECT_FALSE(includes[0].system);
  EXPECT_EQ(includes[1].target, "vector");
  EXPECT_TRUE(includes[1].system);
  EXPECT_EQ(includes[2].target, "c.hpp");
}

}  // namespace
