// One run of the command with several processes, one on each of the first hosts.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/comes_true.hpp"
#include "tests/net/hosts.hpp"
#include "tests/net/process.hpp"
#include "tests/net/tcp.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {

inline const Arguments kOfi = {"--fabric", "ofi", "--provider", "tcp;ofi_rxm"};
inline constexpr std::uint16_t kMasterPort = 29500;

class OfiRun {
 public:
  static constexpr unsigned kProcesses = 4;

  /// Starts nothing yet. `processes` is at most kProcesses.
  OfiRun(const Hosts& hosts, const Arguments& arguments,
         const std::filesystem::path& directory = std::filesystem::temp_directory_path(),
         unsigned processes = kProcesses)
      : hosts_(hosts), arguments_(arguments + kOfi), directory_(directory), processes_(processes) {
    for (unsigned rank = 0; rank < processes; ++rank)
      sent_before_.push_back(hosts[rank].bytes_sent());
  }

  void start(unsigned rank) { start(rank, master()); }
  /// Starts a process that looks for process 0 at `master`.
  void start(unsigned rank, const Endpoint& master) {
    processes_.at(rank) = std::make_unique<Process>(hosts_[rank].start(
        Arguments{TOROID_COMMAND} + arguments_, environment(rank, master), directory_));
  }
  void start_rest() {
    for (unsigned rank = 0; rank < processes_.size(); ++rank)
      if (!processes_[rank]) start(rank);
  }

  const Process& operator[](unsigned rank) const { return *processes_.at(rank); }
  const Hosts& hosts() const { return hosts_; }
  const std::string& host_name(unsigned rank) const { return hosts_[rank].name(); }
  /// The address at which process 0 accepts the others.
  Endpoint master() const { return {hosts_[0].address(), kMasterPort}; }

  /// Waits until every process has sent more bytes than set-up needs. Returns false if one has not
  /// done so in time.
  bool under_way() const {
    constexpr std::uint64_t kSetUp = 1'000'000;  // bytes
    return comes_true(
        [this] {
          for (unsigned rank = 0; rank < processes_.size(); ++rank)
            if (hosts_[rank].bytes_sent() < sent_before_[rank] + kSetUp) return false;
          return true;
        },
        Milliseconds(30000));
  }

  /// Returns how each process ended, by rank. A process still running has exit code -1.
  std::vector<Ended> wait(Milliseconds limit = Milliseconds(60000)) const {
    const SteadyTime end = std::chrono::steady_clock::now() + limit;
    std::vector<Ended> all;
    for (const auto& process : processes_) all.push_back(process->end_by(end));
    return all;
  }

 private:
  Environment environment(unsigned rank, const Endpoint& master) const {
    return {{"RANK", std::to_string(rank)},
            {"WORLD_SIZE", std::to_string(processes_.size())},
            {"MASTER_ADDR", master.address},
            {"MASTER_PORT", std::to_string(master.port)},
            {"TOROID_JOB_KEY", "a-key-for-tests-only"}};
  }

  const Hosts& hosts_;
  Arguments arguments_;
  std::filesystem::path directory_;
  std::vector<std::uint64_t> sent_before_;
  std::vector<std::unique_ptr<Process>> processes_;
};

/// Expects exit code 0 and empty standard error of all processes, and output of process 0 only.
inline void expect_success(const std::vector<Ended>& all) {
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    SCOPED_TRACE("process " + std::to_string(rank));
    EXPECT_EQ(all[rank].exit_code, 0) << "signal " << all[rank].signal << ": " << all[rank].err;
    EXPECT_EQ(all[rank].err, "");
    if (rank > 0) {
      EXPECT_EQ(all[rank].out, "");
    }
  }
}

/// Returns the array file that the model writes. `arguments` name neither fabric nor output.
inline std::string array_of_the_model(const Arguments& arguments) {
  const TemporaryDirectory directory;
  const Ended ended = run_process(arguments + Arguments{"--fabric", "sim", "--out", "sim.npy"},
                                  {.directory = directory.path()});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return directory.content_of("sim.npy");
}

}  // namespace toroid::testing
