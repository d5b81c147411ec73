#include "tools/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "hal/check.hpp"

namespace toroid {
namespace {

volatile std::sig_atomic_t interrupted = 0;

/// The second Ctrl-C ends the process the hard way.
void on_interrupt(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

bool is_interrupted() {
  return interrupted != 0;
}

void throw_if_interrupted() {
  if (is_interrupted()) throw RunFailed("interrupted");
}

ProgressLine::ProgressLine(bool quiet) : visible_(!quiet && isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::clear() {
  if (shown_) std::fputs(kClearLine, stderr);
  shown_ = false;
}

void ProgressLine::show(const std::string& text) {
  if (!visible_) return;
  std::fputs((kClearLine + text).c_str(), stderr);  // one that has gone away is no reason to stop
  std::fflush(stderr);
  shown_ = true;
}

Progress::Progress(bool quiet, std::uint64_t packets_expected)
    : line_(quiet), expected_(packets_expected) {}

void Progress::show(const SimProgress& progress) {
  throw_if_interrupted();
  if (!line_.visible()) return;
  const double share = expected_ == 0 ? 0
                                      : 100.0 * static_cast<double>(progress.delivered) /
                                            static_cast<double>(expected_);
  line_.show(fmt::format("cycle {}, {} packets delivered ({:.0f} %)", progress.now,
                         progress.delivered, share));
}

}  // namespace toroid
