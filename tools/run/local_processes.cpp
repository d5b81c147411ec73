#include "tools/run/local_processes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "router/job/launcher_pipe.hpp"
#include "tools/run/launch.hpp"

namespace toroid {

LocalProcesses::LocalProcesses(LaunchShare share, job::Socket listener)
    : share_(std::move(share)), listener_(std::move(listener)), words_(make_pipe()) {
  ::fcntl(words_.out.fd(), F_SETFL, O_NONBLOCK);
  ::unsetenv("TOROID_LISTENER_FD");  // of a launcher around this one
  ::unsetenv("TOROID_ALONE");        // would make a run of its own of each process
}

ChildCommand LocalProcesses::command_of(unsigned rank) const {
  ChildCommand command{.arguments = share_.command, .environment = share_.variables, .kept = {}};
  for (const auto& [name, value] : Variables{{"RANK", std::to_string(rank)},
                                             {"WORLD_SIZE", std::to_string(share_.size)},
                                             {"LOCAL_RANK", std::to_string(rank - share_.first)},
                                             {"LOCAL_WORLD_SIZE", std::to_string(share_.count)},
                                             {"MASTER_ADDR", share_.master},
                                             {"MASTER_PORT", std::to_string(share_.port)},
                                             {"TOROID_JOB_KEY", share_.key},
                                             {job::kLauncherPipe, job::pipe_text(words_.in.fd())}})
    command.environment.emplace_back(name, value);
  command.kept.push_back(words_.in.fd());
  if (share_.is_toroid) command.environment.emplace_back(kChecksEnd, "1");
  if (rank != 0 || !listener_) return command;
  command.environment.emplace_back("TOROID_LISTENER_FD", std::to_string(listener_.fd()));
  command.kept.push_back(listener_.fd());
  return command;
}

/// Process 0 inherits the listening socket, so that no other program can take its port.
void LocalProcesses::start() {
  for (unsigned rank = share_.first; share_.has(rank); ++rank) {
    processes_.push_back({Child(command_of(rank))});
    started_.push_back({rank, Report::starts, processes_.back().child.pid()});
  }
  listener_.close();
}

void LocalProcesses::read_words(std::vector<Report>& news) const {
  std::uint32_t word = 0;
  while (::read(words_.out.fd(), &word, sizeof word) == sizeof word) {
    const std::uint32_t rank = word & ~job::kEndsInOrder;
    if (share_.has(rank)) news.push_back({rank, word == rank ? Report::joins : Report::leaves});
  }
}

/// A process writes its words before it ends, so they are read before its end is reported.
void LocalProcesses::look_at(Process& process, unsigned rank, std::vector<Report>& news) const {
  if (process.child.has_ended()) {
    read_words(news);
    news.push_back({rank, Report::ends, process.child.reap()});
  } else if (const bool now = process.child.is_stopped(); now != process.stopped) {
    process.stopped = now;
    news.push_back({rank, now ? Report::stops : Report::continues});
  }
}

std::vector<Report> LocalProcesses::news() {
  std::vector<Report> news = std::exchange(started_, {});
  read_words(news);
  unsigned rank = share_.first;
  for (Process& process : processes_) look_at(process, rank++, news);
  return news;
}

bool LocalProcesses::is_running() const {
  return std::ranges::any_of(processes_, [](const Process& one) { return one.child.is_running(); });
}

void LocalProcesses::signal(int number) {
  for (const Process& process : processes_) process.child.signal(number);
}

}  // namespace toroid
