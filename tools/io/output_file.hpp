// A file that appears complete or not at all.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>

namespace toroid {

/// Until commit() the content is in a file without a name, in the target's directory, which the
/// kernel removes however the process ends. Where the file system has no such files (or `Staging`
/// says so) it is in a hidden ".toroid-*.tmp" there, which the destructor removes.
///
/// A replaced file keeps its permissions, and its owner and group where that is allowed; a new one
/// obeys the umask. Through symbolic links the file they lead to is replaced, not the links. What
/// exists and is not a regular file (a device, a FIFO, the process's own /dev/stdout even if that
/// is redirected to a file) is written as the content comes.
class OutputFile {
 public:
  enum class Staging { unnamed, named };

  /// Throws BadInput, having created nothing, if the target cannot be written, and for "-", which
  /// elsewhere means standard output. Opening a FIFO waits for its reader.
  explicit OutputFile(const std::filesystem::path& target, Staging staging = Staging::unnamed);
  /// Standard output, for binary data, written as it comes. Throws BadInput where that is a
  /// terminal or not open for writing.
  struct StandardOutput {};
  explicit OutputFile(StandardOutput);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Where the content goes; not seekable. A failed write is in its state, and commit() reports it.
  std::ostream& stream();

  /// Makes all that was written appear at the target in one step, on the disk too. Call it once,
  /// and write no more. Throws RunFailed, leaving the old file as it was, if anything failed.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Throws BadInput where two that are not empty are one file: what is written last would replace
/// what was written before, or an input among them.
void refuse_one_file_for_two(std::span<const std::string> outputs);

}  // namespace toroid
