#include "tools/run/remote_processes.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

#include "hal/check.hpp"
#include "router/threads/system_failure.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

constexpr std::chrono::seconds kPatience{10};  // before the user is told that a host is silent

/// The words of TOROID_SSH, separated by blanks, or "ssh".
std::vector<std::string> ssh_program() {
  const char* const program = std::getenv("TOROID_SSH");
  std::istringstream words(program == nullptr ? "" : program);
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  return all.empty() ? std::vector<std::string>{"ssh"} : all;
}

/// A command that every shell understands, since ssh passes it to the user's login shell.
std::string agent_command() {
  return "exec " + shell_word(std::filesystem::read_symlink("/proc/self/exe").string()) +
         " launch --agent";
}

}  // namespace

RemoteProcesses::RemoteProcesses(LaunchShare share)
    : share_(std::move(share)), ended_(share_.count) {}

void RemoteProcesses::start() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw RunFailed(open_failure("a connection with ssh", last_error()));
  connection_ = job::Socket(ends[0]);
  const job::Socket other_end(ends[1]);
  ::fcntl(connection_.fd(), F_SETFL, O_NONBLOCK);
  std::vector<std::string> arguments = ssh_program();
  // Without -T a terminal that the user's configuration asks for would mix up the streams.
  for (std::string word :
       {std::string("-T"), std::string("-oBatchMode=yes"), share_.host, agent_command()})
    arguments.push_back(std::move(word));
  ssh_.emplace_back(ChildCommand{.arguments = std::move(arguments),
                                 .environment = {},
                                 .kept = {},
                                 .input = other_end.fd(),
                                 .errors = other_end.fd()});
  send(encode(share_));
  complain_at_ = Clock::now() + kPatience;
}

/// How long to go on trying is the affair of ssh.
void RemoteProcesses::complain_of_silence() {
  complain_at_ = Clock::time_point::max();
  std::fputs(fmt::format("toroid: {} has not answered {} for {} s\n", share_.host,
                         ssh_program().front(), kPatience.count())
                 .c_str(),
             stderr);
}

void RemoteProcesses::send(const std::string& bytes) {
  unsent_ += bytes;
  send_rest();
}

/// Sends what the connection takes now. If ssh has gone, news() notices its end.
void RemoteProcesses::send_rest() {
  const ssize_t sent = ::send(connection_.fd(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
  if (sent > 0) unsent_.erase(0, static_cast<std::size_t>(sent));
}

/// Reads once and passes on the text. Returns whether there may be more to read.
bool RemoteProcesses::read(std::vector<Report>& news) {
  std::array<char, 65536> bytes;
  const ssize_t size = ::read(connection_.fd(), bytes.data(), bytes.size());
  if (size <= 0) return false;
  const auto [text, reports] = reader_.read({bytes.data(), static_cast<std::size_t>(size)});
  std::fwrite(text.data(), 1, text.size(), stderr);
  answers_ |= !reports.empty();
  for (const Report& report : reports) {
    if (!share_.has(report.rank)) continue;
    if (report.what == Report::ends) ended_[report.rank - share_.first] = true;
    news.push_back(report);
  }
  return true;
}

void RemoteProcesses::lose_rest(int status, std::vector<Report>& news) {
  for (unsigned i = 0; i < share_.count; ++i)
    if (!ended_[i]) news.push_back({share_.first + i, Report::lost, status});
}

std::vector<Report> RemoteProcesses::news() {
  std::vector<Report> news;
  if (ssh_.empty()) return news;
  const bool over = ssh_.front().has_ended();  // before reading, so that nothing is left unread
  if (!unsent_.empty()) send_rest();
  while (read(news)) continue;
  if (!answers_ && Clock::now() > complain_at_) complain_of_silence();
  if (!over) return news;
  lose_rest(ssh_.front().reap(), news);
  ssh_.clear();
  connection_.close();
  return news;
}

void RemoteProcesses::signal(int number) {
  if (ssh_.empty()) return;
  if (answers_)
    send(std::to_string(number) + "\n");
  else
    abandon();  // no process runs there, or its agent ends with the connection
}

void RemoteProcesses::abandon() {
  if (!ssh_.empty()) ssh_.front().signal(SIGKILL);
}

}  // namespace toroid
