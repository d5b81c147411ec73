// `toroid launch --agent`: the launcher's other end, on another host.
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "hal/check.hpp"
#include "hal/parse_number.hpp"
#include "tools/run/host_processes.hpp"
#include "tools/run/launch.hpp"
#include "tools/run/local_processes.hpp"
#include "tools/run/signal_queue.hpp"
#include "tools/text/version.hpp"

namespace toroid {
namespace {

using Clock = std::chrono::steady_clock;

/// What the launcher says by standard input: the share, then a line for each signal.
class Orders {
 public:
  std::optional<LaunchShare> share() { return take_share(read_); }
  /// The next complete line; nullopt if there is none yet.
  std::optional<std::string> next() {
    const std::size_t end = read_.find('\n');
    if (end == std::string::npos) return std::nullopt;
    std::string line = read_.substr(0, end);
    read_.erase(0, end + 1);
    return line;
  }
  /// Reads once, and waits for something to read.
  void read() {
    std::array<char, 65536> bytes;
    const ssize_t size = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (size > 0) read_.append(bytes.data(), static_cast<std::size_t>(size));
    has_ended_ = size <= 0;
  }
  bool has_ended() const { return has_ended_; }

 private:
  std::string read_;
  bool has_ended_ = false;
};

/// Writes to standard error at once. Fails if the launcher has gone, which Orders notices.
void report(const Report& report) {
  const std::string text = text_of(report);
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

LaunchShare read_share(Orders& orders) {
  while (!orders.has_ended()) {
    orders.read();
    if (auto share = orders.share()) return *std::move(share);
  }
  throw BadInput(
      "--agent: standard input does not come from 'toroid launch --hosts' (does TOROID_SSH pass it "
      "on?)");
}

/// Waits for something to do, but not for long, and does what the launcher says. Returns false when
/// the launcher, or the system, wants this process to end.
bool try_serve(Orders& orders, const SignalQueue& signals, LocalProcesses& processes) {
  std::array<pollfd, 3> awaited = {{{STDIN_FILENO, POLLIN, 0},
                                    {signals.descriptor(), POLLIN, 0},
                                    {processes.descriptor(), POLLIN, 0}}};
  ::poll(awaited.data(), awaited.size(), kLookPeriod);
  if (awaited.front().revents != 0) orders.read();
  while (const auto line = orders.next())
    if (const auto number = parse_number<int>(*line)) processes.signal(*number);
  bool is_told_to_end = orders.has_ended();
  while (const int number = signals.next()) is_told_to_end |= number != SIGCHLD;
  for (const Report& one : processes.news()) report(one);
  return !is_told_to_end;
}

/// Gives the processes a second to end. Those that do not are killed when their object goes.
void end_all(LocalProcesses& processes) {
  processes.signal(SIGTERM);
  const auto until = Clock::now() + kTimeToEnd;
  while (processes.is_running() && Clock::now() < until) {
    ::poll(nullptr, 0, kLookPeriod);
    for (const Report& one : processes.news()) report(one);
  }
}

void serve(Orders& orders, const LaunchShare& share) {
  const SignalQueue signals;
  LocalProcesses processes(share);
  processes.start();
  while (processes.is_running())
    if (!try_serve(orders, signals, processes)) return end_all(processes);
}

void refuse_other_version(const LaunchShare& share) {
  const std::string here = version_and_commit();
  if (share.version != here)
    throw BadInput(
        fmt::format("toroid on {} is {}, the launcher's is {}", share.host, here, share.version));
}

}  // namespace

int run_launch_agent() {
  ::signal(SIGPIPE, SIG_IGN);  // the processes are to end in order when the connection is broken
  Orders orders;
  const LaunchShare share = read_share(orders);
  report({share.first, Report::answers});
  refuse_other_version(share);
  try {
    std::filesystem::current_path(share.directory);
    serve(orders, share);
  } catch (const std::filesystem::filesystem_error& error) {
    throw BadInput(fmt::format("on {} the directory '{}' cannot be entered: {}", share.host,
                               share.directory, error.code().message()));
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("on {}: {}", share.host, error.what()));
  }
  return 0;
}

}  // namespace toroid
