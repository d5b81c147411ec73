// Runs on hosts of a hosts file: many names that one OpenSSH daemon answers, and emulated hosts.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>

#include "tests/net/hosts.hpp"
#include "tests/net/process.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using namespace std::chrono_literals;

class OfiSsh : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = obstacle_to(Wiring::bridge); !why.empty()) GTEST_SKIP() << why;
  }

  const TemporaryDirectory directory_;
};

/// An OpenSSH daemon drops connections from the tenth on that has not authenticated itself.
TEST_F(OfiSsh, StartsProcessesOnFortyNamesOfOneDaemon) {
  const Hosts host(1);
  std::string names;
  for (int i = 0; i < 40; ++i) names += "h" + std::to_string(i) + "\n";
  directory_.save("hosts", names);
  const Process process = host[0].start({TOROID_SOURCE_DIR "/tests/net/with-sshd", TOROID_COMMAND,
                                         "launch", "--hosts", "hosts", "--", "echo", "up"},
                                        {}, directory_.path());
  const Ended all = process.end_within(100s);
  if (all.exit_code == kRequirementMissing) GTEST_SKIP() << all.err;
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_EQ(std::count(all.out.begin(), all.out.end(), '\n'), 40) << all.out;
}

/// A program in place of ssh enters the network of another host.
TEST_F(OfiSsh, RunsAVerbOnEmulatedHosts) {
  const Hosts hosts(2);
  std::string names, script = "#!/bin/sh\ncase $3 in\n";
  for (unsigned i = 0; i < hosts.size(); ++i) {
    names += hosts[i].address() + ":2\n";
    script += hosts[i].address() + ") net=" + hosts[i].network_path() + ";;\n";
  }
  directory_.save("hosts", names);
  directory_.save("enter", script + "esac\nexec nsenter --net=$net sh -c \"$4\"\n");
  std::filesystem::permissions(directory_ / "enter", std::filesystem::perms::owner_all);
  const Process process({TOROID_COMMAND, "launch", "--hosts", "hosts", "hello", "--torus", "4x4",
                         "--provider", "tcp;ofi_rxm"},
                        {{"TOROID_SSH", directory_ / "enter"}}, {.directory = directory_.path()});
  const Ended all = process.end_within(100s);
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_EQ(all.out, "16 nodes of torus 4x4 in 4 processes have heard of each other\n");
}

}  // namespace
}  // namespace toroid::testing
