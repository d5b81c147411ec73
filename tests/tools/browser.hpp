// A headless browser, shared by all tests of a process: starting it takes seconds, loading a page a
// tenth of a second.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {

/// Path of the program found on the PATH; empty if there is none.
inline std::string found_program(const std::string& name) {
  const std::string path = ::getenv("PATH") == nullptr ? "" : ::getenv("PATH");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string program = path.substr(begin, end - begin) + "/" + name;
    if (::access(program.c_str(), X_OK) == 0) return program;
    begin = end + 1;
  }
  return "";
}

/// Path of Chromium or Chrome; empty if neither is installed.
inline std::string found_browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
    if (const std::string program = found_program(name); !program.empty()) return program;
  return "";
}

/// A running Chromium, driven by the DevTools protocol over one socket, which is its fd 3 and its
/// fd 4. A message is JSON and ends with a NUL. There is one page at a time. The browser ends when
/// this object is destroyed or the thread that started it ends.
class Browser {
 public:
  explicit Browser(const std::string& program) {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets_) != 0)
      throw std::runtime_error("socketpair failed");
    start(program);
    ::close(std::exchange(sockets_[1], -1));
    const std::string target = call("Target.createTarget", {{"url", "about:blank"}})["targetId"];
    page_ = call("Target.attachToTarget", {{"targetId", target}, {"flatten", true}})["sessionId"];
  }
  /// Asks the browser to close, so that it cleans up its directory; kills it after some seconds.
  ~Browser() {
    try {
      call("Browser.close", nlohmann::json::object(), "", std::chrono::seconds(5));
      wait_until_it_is_gone(std::chrono::steady_clock::now() + std::chrono::seconds(5));
    } catch (const std::exception&) {
      ::kill(-pid_, SIGKILL);
    }
    ::waitpid(pid_, nullptr, 0);
    ::close(sockets_[0]);
  }
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  /// Loads `address` in a window of `width` pixels, waits until `condition` holds, and returns the
  /// document. `condition` is a JavaScript expression about the document's element `root`.
  std::string document(const std::string& address, int width, const std::string& condition) {
    call("Emulation.setDeviceMetricsOverride",
         {{"width", width}, {"height", 1600}, {"deviceScaleFactor", 1}, {"mobile", false}}, page_);
    call("Page.navigate", {{"url", "about:blank"}}, page_);  // a new hash alone does not reload
    call("Page.navigate", {{"url", address}}, page_);
    const nlohmann::json evaluated =
        call("Runtime.evaluate", {{"expression", when(condition)}, {"awaitPromise", true}}, page_);
    if (!evaluated["result"].contains("value")) fail("returned no document: " + evaluated.dump());
    return evaluated["result"]["value"];
  }

 private:
  using Clock = std::chrono::steady_clock;

  void start(const std::string& program) {
    std::vector<std::string> words = {program,
                                      "--headless",
                                      "--no-sandbox",
                                      "--disable-gpu",
                                      "--disable-dev-shm-usage",
                                      "--no-first-run",
                                      "--disable-background-networking",
                                      "--disable-component-update",
                                      "--disable-sync",
                                      "--disable-quic",
                                      "--log-level=3",  // hides complaints about missing services
                                      "--remote-debugging-pipe",
                                      "--user-data-dir=" + profile_.path().string()};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("fork failed");
    if (pid_ == 0) become(argv.data());
  }

  /// Runs in the child: calls only functions that are safe between fork and exec.
  [[noreturn]] void become(char* const* argv) const {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setpgid(0, 0);
    const int socket = ::fcntl(sockets_[1], F_DUPFD_CLOEXEC, 10);
    const int said = ::fcntl(said_.number(), F_DUPFD_CLOEXEC, 10);
    for (const int to : {1, 2}) ::dup2(said, to);
    for (const int to : {3, 4}) ::dup2(socket, to);
    ::execv(argv[0], argv);
    ::_exit(127);
  }

  /// Calls a method of the browser or, with a session, of the page, and returns its result.
  nlohmann::json call(const std::string& method,
                      const nlohmann::json& parameters = nlohmann::json::object(),
                      const std::string& session = "", Clock::duration limit = kPatience) {
    nlohmann::json message = {{"id", ++last_}, {"method", method}, {"params", parameters}};
    if (!session.empty()) message["sessionId"] = session;
    send(message.dump());
    for (const Clock::time_point end = Clock::now() + limit;;) {
      const nlohmann::json answer = nlohmann::json::parse(next_message(end));
      if (answer.value("id", 0) != last_) continue;  // an event
      if (!answer.contains("result")) fail("answered " + method + " with " + answer.dump());
      return answer["result"];
    }
  }

  void send(const std::string& message) {
    const char* next = message.c_str();  // with its NUL
    for (std::size_t left = message.size() + 1; left > 0;) {
      const ssize_t n = ::send(sockets_[0], next, left, MSG_NOSIGNAL);
      if (n < 0) fail("accepts no message");
      next += n;
      left -= static_cast<std::size_t>(n);
    }
  }

  std::string next_message(Clock::time_point end) {
    std::size_t length;
    while ((length = came_.find('\0')) == came_.npos)
      if (!receive(end)) fail("has ended");
    const std::string message = came_.substr(0, length);
    came_.erase(0, length + 1);
    return message;
  }

  /// Returns false at the end of the stream.
  bool receive(Clock::time_point end) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    pollfd socket{sockets_[0], POLLIN, 0};
    if (left.count() <= 0 || ::poll(&socket, 1, static_cast<int>(left.count())) <= 0)
      fail("does not answer in time");
    char block[65536];
    const ssize_t n = ::recv(sockets_[0], block, sizeof block, 0);
    if (n > 0) came_.append(block, static_cast<std::size_t>(n));
    return n > 0;
  }

  void wait_until_it_is_gone(Clock::time_point end) {
    while (receive(end)) came_.clear();
  }

  [[noreturn]] void fail(const std::string& how) const {
    throw std::runtime_error("the browser " + how + "; it wrote: " + said_.content());
  }

  /// A script that waits until `condition` holds. The document may have no element yet.
  static std::string when(const std::string& condition) {
    return "new Promise(done => {"
           "  const look = () => {"
           "    const root = document.documentElement;"
           "    if (root && (" +
           condition +
           ")) done(root.outerHTML); else setTimeout(look, 20);"
           "  };"
           "  look();"
           "})";
  }

  static constexpr std::chrono::seconds kPatience{300};

  const TemporaryDirectory profile_;
  const MemoryFile said_;
  int sockets_[2];  ///< ours, the browser's
  pid_t pid_ = -1;
  std::string page_;  ///< session of the page
  int last_ = 0;      ///< number of the last call
  std::string came_;  ///< received, not yet parsed
};

}  // namespace toroid::testing
