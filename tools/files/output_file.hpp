// Output files that appear complete or not at all.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>

namespace toroid {

/// A file that appears at its target in one step, complete or not at all.
///
/// 1. Until commit() the content is in a file without a name in the target's directory, which the
///    kernel removes however the process ends. Where the file system has no such files, or
///    `Staging` says so, it is in a hidden ".toroid-*.tmp" there, which the destructor removes.
/// 2. A replaced file keeps its permissions, and its owner and group where that is allowed; a new
///    one obeys the umask. Symbolic links stay: the file that they lead to is replaced.
/// 3. A target that exists and is not a regular file (a device, a FIFO, the process's own
///    /dev/stdout even where that is redirected to a file) is written directly.
///
/// The command that writes it owns it and calls it from the main thread.
class OutputFile {
 public:
  enum class Staging { unnamed, named };

  /// Throws BadInput, without having created anything, where the target cannot be written or is
  /// "-", which means standard output elsewhere. Opening a FIFO waits for its reader.
  explicit OutputFile(const std::filesystem::path& target, Staging staging = Staging::unnamed);
  /// Writes binary data directly to standard output. Throws BadInput where that is a terminal or
  /// not open for writing.
  struct StandardOutput {};
  explicit OutputFile(StandardOutput);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// The stream for the content, not seekable. A failed write stays in its state, and commit()
  /// reports it.
  std::ostream& stream();

  /// Makes the content appear at the target and on the disk. Call it once, after the last write.
  /// Throws RunFailed, leaving the old file as it was, where anything failed.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Throws BadInput where two non-empty paths lead to one file: the output written last would
/// replace the other, or an input.
void refuse_one_file_for_two(std::span<const std::string> outputs);

}  // namespace toroid
