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

void throw_if_interrupted() {
  if (interrupted != 0) throw RunFailed("interrupted");
}

Progress::Progress(bool quiet, std::uint64_t packets_expected)
    : visible_(!quiet && isatty(STDERR_FILENO) != 0), expected_(packets_expected) {}

Progress::~Progress() {
  clear();
}

void Progress::clear() {
  if (shown_) std::fputs(kClearLine, stderr);
  shown_ = false;
}

void Progress::show(const SimProgress& progress) {
  throw_if_interrupted();
  if (!visible_) return;
  const double share = expected_ == 0 ? 0
                                      : 100.0 * static_cast<double>(progress.delivered) /
                                            static_cast<double>(expected_);
  const std::string line = fmt::format("{}cycle {}, {} packets delivered ({:.0f} %)", kClearLine,
                                       progress.now, progress.delivered, share);
  std::fputs(line.c_str(), stderr);  // a terminal that has gone away is no reason to stop
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace toroid
