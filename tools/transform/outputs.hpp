// Files that a run of a plan writes, and slices of input and result for its HTML report.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

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

/// Throws BadInput if the name of --out asks for a map, and maps cannot hold an array of this type
/// with this many axes; or if the name asks for a format that cannot be written.
void check_output(const std::string& out, std::size_t axes, std::string_view dtype);

/// The array and wisdom files. The command that writes them owns this object.
struct TransformOutputs {
  /// Checks and opens the files if this process reports. Throws BadInput if a path cannot be
  /// written, or if two paths lead to the same file.
  TransformOutputs(const OutputPaths& paths, bool reports);

  /// The run's other files.
  RunFiles beside() const;
  /// Writes a map if the name of --out asks for one, otherwise .npy. The file does not appear
  /// before commit_array(). REQUIRES: there is an `array`; for a map, check_output() has accepted
  /// it.
  void prepare_array(const HostArray& values, NpyType type);
  /// Lets the array's file appear if prepare_array() has written it. Called after all other files,
  /// so that it does not appear if one of them fails.
  void commit_array();

  std::unique_ptr<OutputFile> array;   ///< null if not requested
  std::unique_ptr<OutputFile> wisdom;  ///< null if not requested
  OutputPaths paths;

 private:
  bool is_array_written_ = false;
};

}  // namespace toroid
