#include "tools/run/progress.hpp"
#include "tools/run/interruption.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "tools/run/embedding_program.hpp"
#include "tools/run/interruption.hpp"

namespace toroid {
namespace {

constexpr const char* kClearLine = "\r\x1b[K";

bool can_show_progress() {
  if (const EmbeddingProgram* const host = embedding_program()) return host->shows_progress();
  return isatty(STDERR_FILENO) != 0;
}

/// Shows the progress line. Ignores errors, so that a closed standard error does not end the run.
void show_line(const std::string& text) {
  if (EmbeddingProgram* const host = embedding_program()) return host->show_progress(text);
  std::fputs((kClearLine + text).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

ProgressLine::ProgressLine(bool quiet) : visible_(!quiet && can_show_progress()) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::clear() {
  if (shown_) show_line("");
  shown_ = false;
}

void ProgressLine::show(const std::string& text) {
  if (!visible_) return;
  show_line(text);
  shown_ = true;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::ceil(std::clamp(seconds, 1.0, 1e12)));
  if (whole < 120) return fmt::format("{} s", whole);
  const std::uint64_t minutes = (whole + 59) / 60;
  if (minutes < 120) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string TimeLeft::text(double share, double before) const {
  constexpr double kTooEarly = 0.5;
  const std::chrono::duration<double> spent = Clock::now() - began_;
  if (spent.count() < kTooEarly || share <= before || share >= 1) return "";
  const double left = spent.count() / (share - before) * (1 - share);
  return fmt::format(", about {} left", duration_text(left));
}

Progress::Progress(bool quiet, std::uint64_t packets_expected)
    : line_(quiet), expected_(packets_expected) {}

void Progress::show(const SimProgress& progress) {
  show(fmt::format("cycle {}, ", progress.now), progress.delivered, progress.resumed_from);
}

void Progress::show(std::uint64_t delivered) {
  show("", delivered, 0);
}

/// The delivered share of the expected packets. It is at most 1, even if a policy adds packets.
double Progress::share(std::uint64_t delivered) const {
  if (expected_ == 0) return 0;
  return std::min(1.0, static_cast<double>(delivered) / static_cast<double>(expected_));
}

void Progress::show(const std::string& before, std::uint64_t delivered,
                    std::uint64_t resumed_from) {
  if (throws_) throw_if_interrupted();
  if (!line_.visible()) return;
  const double part = share(delivered);
  const std::string percent = expected_ == 0 ? "" : fmt::format(" ({:.0f} %)", 100 * part);
  line_.show(fmt::format("{}{} packets delivered{}{}", before, delivered, percent,
                         left_.text(part, share(resumed_from))));
}

RunsProgress::RunsProgress(bool quiet, std::size_t runs, std::string what)
    : line_(quiet), what_(std::move(what)), runs_(runs) {}

void RunsProgress::expect(double work) {
  ++to_come_;
  expected_ += work;
}

void RunsProgress::add(double work) {
  --to_come_;
  done_ += work;
}

void RunsProgress::show() {
  constexpr std::size_t kWidth = 20;
  if (!line_.visible()) return;
  const std::size_t done = runs_ - to_come_;
  const std::size_t filled = kWidth * done / std::max<std::size_t>(runs_, 1);
  line_.show(fmt::format("[{}{}] {} of {} {}{}", std::string(filled, '#'),
                         std::string(kWidth - filled, '-'), done, runs_, what_,
                         left_.text(expected_ == 0 ? 0 : done_ / expected_)));
}

}  // namespace toroid
