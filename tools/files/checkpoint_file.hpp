// Files that hold the state of a run.
//
// "TOROIDCP", the number of the format : 32, the length of the identity : 32, the identity, the
// state, then the number of all bytes so far : 64 and their CRC-32 : 32. Numbers are the host's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/archive.hpp"
#include "tools/files/file_descriptor.hpp"
#include "tools/files/output_file.hpp"

namespace toroid {

/// Writes one. What is written appears with commit(), complete, in place of the file before.
class CheckpointWriter final : public Archive {
 public:
  /// `identity`: by which a reader knows whose state it is. Throws BadInput where the file cannot
  /// be made.
  CheckpointWriter(const std::string& path, const std::string& identity);
  /// Throws RunFailed, with the file before left as it was, where anything failed.
  void commit();

 private:
  void bytes(void* data, std::size_t size) override;
  std::uint64_t left() const override { return 0; }
  void flush();

  OutputFile file_;
  std::vector<char> block_;
  std::uint64_t size_ = 0;  ///< that has left the block
  unsigned long crc_;
};

/// "checkpoint PATH WHY" as BadInput, in one line.
[[noreturn]] void refuse_checkpoint(const std::string& path, std::string_view why);

/// An open file, and whose state it holds.
class CheckpointHead {
 public:
  /// Reads no more than that. Throws BadInput where the file cannot be read, is no checkpoint, or
  /// one of another format.
  explicit CheckpointHead(const std::string& path);

  const std::string& identity() const { return identity_; }
  /// At the file's first byte.
  int file() const { return file_.number(); }
  std::uint64_t file_bytes() const { return file_bytes_; }
  [[noreturn]] void refuse(std::string_view why) const { refuse_checkpoint(path_, why); }

 private:
  /// The length of the identity.
  std::uint32_t read_format() const;

  std::string path_;
  FileDescriptor file_;
  std::uint64_t file_bytes_ = 0;
  std::string identity_;
};

/// Reads one.
class CheckpointReader final : public Archive {
 public:
  /// Reads the file once from end to end, so that nothing is used of one that is damaged. Throws
  /// BadInput where it is, where it is cut short or of another format, or is no checkpoint. Calls
  /// `poll` before each block of the file; what that throws ends the reading.
  explicit CheckpointReader(
      const std::string& path, std::function<void()> poll = [] {});
  const std::string& identity() const { return head_.identity(); }
  std::uint64_t left() const override { return left_; }

 private:
  void bytes(void* data, std::size_t size) override;
  void check_sum();
  /// At most so many; fewer at the end.
  std::size_t read(char* data, std::size_t size);
  void fill();

  CheckpointHead head_;
  std::function<void()> poll_;
  std::vector<char> block_;
  std::size_t at_ = 0;      ///< in the block
  std::uint64_t left_ = 0;  ///< bytes of the state
};

}  // namespace toroid
