// A program that runs commands inside itself, such as the Python module.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/latency.hpp"
#include "tools/files/host_array.hpp"
#include "tools/report/recording.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// The program around a command. It takes the place of the command's output, terminal and files.
/// One command runs at a time; the threads of a campaign may call all functions concurrently,
/// except those for results.
class EmbeddingProgram {
 public:
  virtual ~EmbeddingProgram() = default;

  /// Whether the user wants the command to end, e.g. after Ctrl-C.
  virtual bool is_interrupted() const = 0;
  virtual bool shows_progress() const = 0;
  /// Shows the progress line; an empty line removes it.
  virtual void show_progress(std::string_view line) = 0;
  virtual void print(std::string_view text) = 0;

  /// The array to transform instead of a file; null if the command uses its own input.
  virtual const HostArray* input() const = 0;
  virtual bool wants_recording() const = 0;

  // Called once per command, by its own thread, after the run.
  virtual void take_result(const Json& result) = 0;
  virtual void take_array(HostArray array) = 0;
  virtual void take_recording(const Recording& recording) = 0;
  virtual void take_counters(const FabricCounters& counters, const Shape& shape) = 0;
  virtual void take_latency(const LatencyHistogram& latency) = 0;
};

/// The program around this command; null if the command is a process of its own.
EmbeddingProgram* embedding_program();
/// REQUIRES: no command is running.
void set_embedding_program(EmbeddingProgram* host);

/// A failure of a part that the host program provides, such as a policy. It ends the command, even
/// a campaign, which survives other failures. `cause` is the exception of the host program, or
/// null.
class EmbeddingError : public BadInput {
 public:
  EmbeddingError(const std::string& what, std::exception_ptr cause)
      : BadInput(what), cause_(std::move(cause)) {}
  const std::exception_ptr& cause() const { return cause_; }

 private:
  std::exception_ptr cause_;
};

}  // namespace toroid
