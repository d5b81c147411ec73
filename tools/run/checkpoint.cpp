#include "tools/run/checkpoint.hpp"

#include <fmt/core.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "hal/check.hpp"
#include "hal/checkpoint_archive.hpp"
#include "tools/files/output_file.hpp"
#include "tools/options/option_values.hpp"
#include "tools/report/provenance.hpp"
#include "tools/run/interruption.hpp"

namespace toroid {
namespace {

constexpr double kSegmentSeconds = 1;  ///< about; an interruption waits for a segment to end

/// CPU time of all threads of the process.
double process_cpu_seconds() {
  timespec taken{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &taken);
  return static_cast<double>(taken.tv_sec) + static_cast<double>(taken.tv_nsec) * 1e-9;
}

double in_seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

Checkpoint::Checkpoint(const CheckpointOptions& options, RunIdentity identity,
                       TrafficExchange& exchange, bool quiet)
    : options_(options), identity_(std::move(identity)), exchange_(&exchange), quiet_(quiet) {
  if (const std::string why = exchange.cannot_be_saved(); !why.empty())
    throw BadInput(fmt::format("--checkpoint: {}", why));
  // Then a write beyond the file size limit fails, as on a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  std::error_code error;
  if (!std::filesystem::exists(options.file, error)) {
    const OutputFile can_be_made(options.file);
    return;
  }
  found_ = std::make_unique<CheckpointReader>(options.file, throw_if_interrupted);
  if (const auto other = identity_.difference(RunIdentity(found_->identity())))
    refuse_checkpoint(options.file, "is from a run with " + *other);
}

bool Checkpoint::try_resume(const State& fabric) {
  begun_ = {process_cpu_seconds(), in_seconds(Clock::now().time_since_epoch())};
  tried_ = Clock::now();
  if (!found_) return false;
  Tick now = 0;
  try {
    (*found_)(now, before_);
    fabric(*found_);
    exchange_->serialize(*found_);
    if (found_->left() != 0) Archive::refuse();
  } catch (const BadInput& error) {
    refuse_checkpoint(options_.file, fmt::format("cannot be resumed: {}", error.what()));
  }
  found_.reset();
  saved_ = now;
  if (!quiet_) say(fmt::format("resumed at cycle {} from {}", now, options_.file));
  return true;
}

Tick Checkpoint::end_of_segment(Tick next) {
  segment_began_ = Clock::now();
  return next + segment_;
}

void Checkpoint::between_segments(Tick now, const State& fabric) {
  const double took = std::max(in_seconds(Clock::now() - segment_began_), 1e-6);
  const double faster = std::clamp(kSegmentSeconds / took, 0.25, 4.0);
  segment_ = std::max<Tick>(1, static_cast<Tick>(static_cast<double>(segment_) * faster));
  if (is_interrupted()) {
    if (const auto error = save(now, fabric)) {
      const std::string what = fmt::format("interrupted at cycle {}; {}; {}", now, *error, kept());
      if (!saved_) throw RunFailed(what);
      throw Interrupted(what);
    }
    throw Interrupted(
        one_line(fmt::format("interrupted at cycle {}; resume with: {}", now, command_to_go_on())));
  }
  if (in_seconds(Clock::now() - tried_) < options_.every) return;
  if (const auto error = save(now, fabric))
    say(fmt::format("warning: {}; the run continues, {}", *error, kept()));
  tried_ = Clock::now();
}

std::optional<std::string> Checkpoint::save(Tick now, const State& fabric) {
  try {
    CheckpointWriter file(options_.file, identity_.text());
    Seconds so_far = spent();
    file(now, so_far);
    fabric(file);
    exchange_->serialize(file);
    file.commit();
    saved_ = now;
    return std::nullopt;
  } catch (const std::runtime_error& error) {  // a full disk may have room later
    return error.what();
  }
}

Checkpoint::Seconds Checkpoint::spent() const {
  return {before_.cpu + process_cpu_seconds() - begun_.cpu,
          before_.wall + in_seconds(Clock::now().time_since_epoch()) - begun_.wall};
}

std::string Checkpoint::kept() const {
  return saved_ ? fmt::format("the checkpoint of cycle {} is kept", *saved_)
                : std::string("there is no checkpoint yet");
}

/// Prints to standard error, after clearing the progress line.
void Checkpoint::say(const std::string& what) const {
  const char* const begin = ::isatty(STDERR_FILENO) != 0 ? "\r\x1b[K" : "";
  std::fputs((begin + one_line("toroid: " + what) + "\n").c_str(), stderr);
}

/// The command that resumes the run. It includes --threads, since the default depends on the host.
std::string Checkpoint::command_to_go_on() const {
  const std::string& command = provenance().command;
  if (command.find("--threads") != std::string::npos) return command;
  return fmt::format("{} --threads {}", command, identity_.value("threads"));
}

/// Does not remove the file of another run, which may have replaced the file of this one.
void Checkpoint::remove() const {
  if (!saved_) return;
  try {
    const CheckpointHead there(options_.file);
    if (identity_.difference(RunIdentity(there.identity())))
      throw BadInput("it belongs to another run");
    std::filesystem::remove(std::filesystem::canonical(options_.file));
  } catch (const std::exception& error) {
    say(fmt::format("warning: {} was not removed: {}", options_.file, error.what()));
  }
}

void add_checkpoint_options(CLI::App& command, CheckpointOptions& options) {
  begin_group(command, "Output");
  CLI::Option* const file =
      add_file_option(command, "--checkpoint", options.file,
                      "save the run to this file periodically and when it is interrupted; the "
                      "same command resumes it; the file is removed at the end of the run");
  command.add_option("--checkpoint-every", options.every, "seconds between checkpoints")
      ->needs(file)
      ->check(number(0, 1e6))
      ->capture_default_str();
}

}  // namespace toroid
