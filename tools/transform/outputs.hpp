// Files that a run of a plan writes, and slices of input and result for its HTML report.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "tools/files/host_array.hpp"
#include "tools/files/npy.hpp"
#include "tools/files/output_file.hpp"
#include "tools/run/observation.hpp"
#include "tools/run/run_session.hpp"
#include "tools/text/json.hpp"
#include "tools/transform/run.hpp"

namespace toroid {

/// Slices of the array and of the logarithm of its spectrum. Which of them is the input depends on
/// the job's direction.
Json slices_json(const TransformJob& job, const HostArray& input, const HostArray& result);

/// Paths as typed. Empty: none; "-": a standard stream.
struct OutputPaths {
  std::string in{};                    ///< input file; only `out` may replace it
  std::array<std::string, 2> boxes{};  ///< box files; no output may replace them
  std::string out{};
  std::string json{};
  std::string wisdom{};
  ObservationOptions observation{};
  std::string export_to{};
};

/// The array and wisdom files. The command that writes them owns this object.
struct TransformOutputs {
  /// Checks and opens the files, in the reporting process only. Throws BadInput if a path cannot be
  /// written or two paths lead to one file.
  TransformOutputs(const OutputPaths& paths, bool reports);

  /// The run's other files.
  RunFiles beside() const;
  /// REQUIRES: there is an `array`.
  void write_array(const HostArray& values, NpyType type);

  std::unique_ptr<OutputFile> array;   ///< null: not requested
  std::unique_ptr<OutputFile> wisdom;  ///< null: not requested
  OutputPaths paths;
};

}  // namespace toroid
