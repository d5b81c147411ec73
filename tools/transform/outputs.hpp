// Files that a run of a plan writes, and slices of input and result for its HTML report.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "tools/files/host_array.hpp"
#include "tools/files/npy.hpp"
#include "tools/files/output_file.hpp"
#include "tools/run/record_and_trace.hpp"
#include "tools/run/run_session.hpp"
#include "tools/text/json.hpp"
#include "tools/transform/run.hpp"

namespace toroid {

/// Slices of the array and of the logarithm of its spectrum. One of them is the input and the other
/// the result, depending on the job's direction.
Json slices_json(const TransformJob& job, const HostArray& input, const HostArray& result);

/// Paths as typed. A path is empty if there is no such file, and "-" for a standard stream.
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
  /// Checks and opens the files if this process reports. Throws BadInput if a path cannot be
  /// written, or if two paths lead to the same file.
  TransformOutputs(const OutputPaths& paths, bool reports);

  /// The run's other files.
  RunFiles beside() const;
  /// REQUIRES: there is an `array`.
  void write_array(const HostArray& values, NpyType type);

  std::unique_ptr<OutputFile> array;   ///< null if not requested
  std::unique_ptr<OutputFile> wisdom;  ///< null if not requested
  OutputPaths paths;
};

}  // namespace toroid
