// The processes of a run on this host.
#pragma once

#include <vector>

#include "router/job/listening_socket.hpp"
#include "tools/run/child.hpp"
#include "tools/run/host_processes.hpp"

namespace toroid {

/// Processes of this host: children of this process.
class LocalProcesses final : public HostProcesses {
 public:
  /// `listener`: the socket on which process 0 listens already, if it is here.
  explicit LocalProcesses(LaunchShare share, job::Socket listener = {});
  void start() override;
  int descriptor() const override { return words_.out.fd(); }
  std::vector<Report> news() override;
  bool is_running() const override;
  void signal(int number) override;

 private:
  struct Process {
    Child child;
    bool stopped = false;
  };
  ChildCommand command_of(unsigned rank) const;
  void read_words(std::vector<Report>& news) const;
  void look_at(Process& process, unsigned rank, std::vector<Report>& news) const;

  LaunchShare share_;
  job::Socket listener_;
  Pipe words_;  ///< carries the words of launcher_pipe.hpp
  std::vector<Process> processes_;
  std::vector<Report> started_;  ///< news that nobody has taken yet
};

}  // namespace toroid
