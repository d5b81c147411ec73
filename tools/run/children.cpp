#include "tools/run/children.hpp"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <utility>

namespace toroid {
namespace {

using std::chrono::milliseconds;

/// Hosts that are asked at the same time. OpenSSH drops connections when ten have not proved who
/// they are (MaxStartups), and several names may belong to one host.
constexpr std::size_t kAskedAtOnce = 8;
/// How long a process may be stopped while others run. Equal to JobOptions::silence, the time for
/// which processes that have joined wait for an answer.
constexpr std::chrono::seconds kLongestStop{5};

void complain(const std::string& what) {
  std::fputs(("toroid: " + what + "\n").c_str(), stderr);
}

}  // namespace

void Children::add(const LaunchShare& share, std::unique_ptr<HostProcesses> processes) {
  hosts_.push_back({share.first, share.count, std::move(processes)});
  for (unsigned rank = share.first; share.has(rank); ++rank)
    processes_.emplace_back(rank, share.host, share.is_toroid);
}

int Children::wait() {
  while (start_hosts(), any_running()) {
    sleep();
    clock_.step(Clock::now());
    take_signals();
    for (Host& host : hosts_) take_news(host);
    miss_those_who_did_not_join();
    miss_those_who_are_stopped();
    press();
  }
  return exit_code();
}

void Children::start_hosts() {
  const auto asked = [this] {
    return started_ - static_cast<std::size_t>(std::ranges::count(hosts_, true, &Host::answers));
  };
  while (stage_ == Stage::running && started_ < hosts_.size() && asked() < kAskedAtOnce) {
    Host& host = hosts_[started_++];
    host.processes->start();
    for (unsigned i = 0; i < host.count; ++i) processes_[host.first + i].start();
  }
}

/// Waits for a signal or for news of a host, but not for long.
void Children::sleep() const {
  std::vector<pollfd> awaited = {{signals_.descriptor(), POLLIN, 0}};
  for (const Host& host : hosts_)
    if (host.processes->is_running()) awaited.push_back({host.processes->descriptor(), POLLIN, 0});
  ::poll(awaited.data(), awaited.size(), kLookPeriod);
}

void Children::take_signals() {
  while (const int number = signals_.next()) {
    if (number == SIGCHLD) continue;
    if (!std::exchange(interrupted_, true))
      complain(fmt::format("interrupted by signal {}", number));
    signal_all(number);
    begin_grace(fmt::format("signal {}", number));
  }
}

void Children::take_news(Host& host) {
  const std::vector<Report> news = host.processes->news();
  for (const Report& report : news) take(report, host);
}

void Children::take(const Report& report, Host& host) {
  LaunchedProcess& process = processes_.at(report.rank);
  host.answers = true;
  if (!process.is_running()) return;  // its own children may still use its pipe
  process.note(report, clock_.now());
  if (process.is_running() || !process.has_failed()) return;
  if (process.is_lost())
    complain_once_of_loss(process, host);
  else
    complain(process.obituary());
  if (!may_be_missed(process)) begin_grace(fmt::format("rank {}", process.rank()));
}

/// Processes are lost together with the connection to their host, which is one failure.
void Children::complain_once_of_loss(const LaunchedProcess& process, Host& host) {
  if (!std::exchange(host.is_lost, true))
    complain(fmt::format("the connection to {} ended with exit code {} before rank {}{}{}",
                         process.host(), process.exit_code(), process.rank(),
                         host.count == 1 ? "" : " and others there",
                         process.was_ended_by_launcher() ? ", ended by the launcher" : ""));
}

/// Whether the others continue without this process, which has failed. They do if the run goes on
/// without lost processes, and if this process is not process 0, had joined and was ended by a
/// signal, was lost or vanished.
bool Children::may_be_missed(const LaunchedProcess& process) const {
  return goes_on_ && process.rank() > 0 && process.joins() &&
         (process.exit_code() > 128 || process.is_lost() || process.vanished());
}

void Children::miss_those_who_did_not_join() {
  const auto waits = [](const LaunchedProcess& one) { return one.is_running() && one.joins(); };
  if (stage_ != Stage::running || std::ranges::none_of(processes_, waits)) return;
  for (const LaunchedProcess& process : processes_) {
    if (process.state() != LaunchedProcess::State::ended || process.joins()) continue;
    complain(process.obituary() + " before it joined the others");
    is_missing_ = true;
    begin_grace(fmt::format("rank {}", process.rank()));
  }
}

void Children::miss_those_who_are_stopped() {
  if (stage_ != Stage::running) return;
  for (const LaunchedProcess& process : processes_) {
    if (!process.has_been_stopped(clock_.now(), kLongestStop) || !is_held_up_by(process)) continue;
    complain(fmt::format("{} has been stopped for {} s", process.name(), kLongestStop.count()));
    is_missing_ = true;
    begin_grace(fmt::format("rank {}", process.rank()));
  }
}

/// Whether the run does not go on because this process is stopped. If it goes on without the
/// process, it is held up only when all others have ended.
bool Children::is_held_up_by(const LaunchedProcess& process) const {
  if (goes_on_ && process.rank() > 0 && process.joins()) return only_stopped();
  return std::ranges::any_of(processes_, [](const LaunchedProcess& one) {
    return one.state() == LaunchedProcess::State::running && one.joins();
  });
}

void Children::begin_grace(const std::string& cause) {
  if (stage_ != Stage::running) return;
  cause_ = cause;
  stage_ = Stage::grace;
  until_ = Clock::now() + grace_;
}

/// Sends SIGTERM when the grace period has ended, SIGKILL a second later, and gives up hosts that
/// do not answer another second later.
void Children::press() {
  if (stage_ == Stage::running || stage_ == Stage::abandoned) return;
  if (Clock::now() < until_ && !(stage_ == Stage::grace && only_stopped())) return;
  stage_ = static_cast<Stage>(static_cast<int>(stage_) + 1);
  until_ = Clock::now() + kTimeToEnd;
  if (stage_ == Stage::terminated)
    for (LaunchedProcess& process : processes_) process.terminate(cause_);
  if (stage_ == Stage::abandoned)
    for (const Host& host : hosts_) host.processes->abandon();
  else
    signal_all(stage_ == Stage::terminated ? SIGTERM : SIGKILL);
}

void Children::signal_all(int number) {
  for (const Host& host : hosts_) host.processes->signal(number);
}

bool Children::any_running() const {
  return std::ranges::any_of(hosts_, [](const Host& one) { return one.processes->is_running(); });
}

bool Children::only_stopped() const {
  return std::ranges::none_of(processes_, [](const LaunchedProcess& one) {
    return one.state() == LaunchedProcess::State::running;
  });
}

int Children::exit_code() const {
  int code = interrupted_ || is_missing_ ? 1 : 0;
  for (const LaunchedProcess& process : processes_) {
    if (!process.has_failed() || process.was_ended_by_launcher()) continue;
    // Bad input (2) is the cause of the other failures.
    code = std::max(code, process.exit_code() == 2 ? 2 : 1);
  }
  return code;
}

}  // namespace toroid
