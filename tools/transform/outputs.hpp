// The files that a run of a plan leaves, and pictures of input and result for a report.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "tools/files/array_io.hpp"
#include "tools/files/npy.hpp"
#include "tools/files/output_file.hpp"
#include "tools/run/observation.hpp"
#include "tools/run/run_session.hpp"
#include "tools/text/json.hpp"
#include "tools/transform/run.hpp"

namespace toroid {

/// Slices of the array and of its spectrum's logarithm, whichever of them the transform took.
Json slices_json(const TransformJob& job, const HostArray& input, const HostArray& result);

/// As typed; empty: none, "-": a standard stream.
struct OutputPaths {
  std::string in{};                    ///< which no output may replace
  std::array<std::string, 2> boxes{};  ///< files of boxes, likewise
  std::string out{};
  std::string json{};
  std::string wisdom{};
  ObservationOptions observation{};
  std::string export_to{};
};

/// Array and wisdom. The command that writes them owns it.
struct TransformOutputs {
  /// Only a process that reports checks and opens them. Throws BadInput where a path cannot be
  /// written, or two lead to one file.
  TransformOutputs(const OutputPaths& paths, bool reports);

  /// The run's other files.
  RunFiles beside() const;
  /// REQUIRES: there is an `array`.
  void write_array(const HostArray& values, NpyType type);

  std::unique_ptr<OutputFile> array;   ///< null: not wanted
  std::unique_ptr<OutputFile> wisdom;  ///< likewise
  OutputPaths paths;
};

}  // namespace toroid
