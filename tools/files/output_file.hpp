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
/// 1. Until commit() the content is in an unnamed file in the target's directory, which the kernel
///    removes however the process ends. If the file system has no unnamed files, or for
///    Staging::named, it is in a hidden ".toroid-*.tmp" there, which the destructor removes.
/// 2. A replaced file keeps its permissions, and its owner and group if that is allowed; a new file
///    obeys the umask. Symbolic links are kept: the file that they lead to is replaced.
/// 3. A target that exists and is not a regular file (a device, a FIFO, the process's own
///    /dev/stdout even if it is redirected to a file) is written directly.
///
/// The command that writes the file owns this object and uses it on the main thread.
class OutputFile {
 public:
  enum class Staging { unnamed, named };

  /// Throws BadInput before anything is created if the target cannot be written or is "-" (for
  /// standard output see StandardOutput). Opening a FIFO waits for its reader.
  explicit OutputFile(const std::filesystem::path& target, Staging staging = Staging::unnamed);
  /// Writes binary data directly to standard output. Throws BadInput if that is a terminal or not
  /// open for writing.
  struct StandardOutput {};
  explicit OutputFile(StandardOutput);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// The stream for the content; it is not seekable. A failed write sets its error state, which
  /// commit() reports.
  std::ostream& stream();

  /// Brings the content to the disk, but not yet to the target. Call it after the last write if
  /// something else that may fail must come before commit(). Throws RunFailed if a write failed.
  void finish();
  /// Makes the content appear at the target and on the disk. Call it once, after the last write.
  /// Throws RunFailed if anything failed; the old file is then unchanged.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Throws BadInput if two non-empty paths lead to the same regular file, since an output would then
/// overwrite another output or an input.
void refuse_one_file_for_two(std::span<const std::string> outputs);

}  // namespace toroid
