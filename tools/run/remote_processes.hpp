// The processes of a run on another host.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "router/job/listening_socket.hpp"
#include "tools/run/child.hpp"
#include "tools/run/host_processes.hpp"

namespace toroid {

/// Processes of another host, started by `toroid launch --agent` behind an ssh. The connection has
/// one descriptor: standard input and standard error of ssh.
class RemoteProcesses final : public HostProcesses {
 public:
  explicit RemoteProcesses(LaunchShare share);
  void start() override;
  int descriptor() const override { return connection_.fd(); }
  std::vector<Report> news() override;
  bool is_running() const override { return !ssh_.empty(); }
  void signal(int number) override;
  void abandon() override;

 private:
  using Clock = std::chrono::steady_clock;

  void complain_of_silence();
  void send(const std::string& bytes);
  void send_rest();
  bool read(std::vector<Report>& news);
  void lose_rest(int status, std::vector<Report>& news);

  LaunchShare share_;
  std::vector<Child> ssh_;  ///< one, once it has been started
  job::Socket connection_;
  std::string unsent_;
  ReportReader reader_;
  std::vector<bool> ended_;  ///< by rank on that host
  bool answers_ = false;     ///< the host has been reached
  /// When the user is told that the host does not answer.
  Clock::time_point complain_at_ = Clock::time_point::max();
};

}  // namespace toroid
