// A program that runs commands inside itself, as the Python module does.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/latency.hpp"
#include "tools/files/array_io.hpp"
#include "tools/report/recording.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// The program around a command: what the command would print, ask the terminal or write to files
/// goes through it. One command runs at a time; the threads of a campaign may call everything but
/// the results at once.
class HostProgram {
 public:
  virtual ~HostProgram() = default;

  /// Whether the user wants the command to end, as after Ctrl-C.
  virtual bool is_interrupted() const = 0;
  virtual bool shows_progress() const = 0;
  /// The line of progress; empty: it goes away.
  virtual void show_progress(std::string_view line) = 0;
  virtual void print(std::string_view text) = 0;

  /// What is transformed instead of a file; null: the command's own input.
  virtual const HostArray* input() const = 0;
  virtual bool wants_recording() const = 0;

  // Called once per command, by its own thread, after the run.
  virtual void take_result(const Json& result) = 0;
  virtual void take_array(HostArray array) = 0;
  virtual void take_recording(const Recording& recording) = 0;
  virtual void take_counters(const FabricCounters& counters, const Shape& shape) = 0;
  virtual void take_latency(const LatencyHistogram& latency) = 0;
};

/// The program around this one; null: the command is a program of its own.
HostProgram* host_program();
/// REQUIRES: no command is running.
void set_host_program(HostProgram* host);

/// A failure of what the program itself brought along, such as a policy. It ends everything, a
/// campaign too. `cause` is the program's own exception; null: there is none.
class HostError : public BadInput {
 public:
  HostError(const std::string& what, std::exception_ptr cause)
      : BadInput(what), cause_(std::move(cause)) {}
  const std::exception_ptr& cause() const { return cause_; }

 private:
  std::exception_ptr cause_;
};

}  // namespace toroid
