// Files that hold the state of a run.
//
// Format, with the bits of numbers in brackets: "TOROIDCP", format version (32), length of the
// identity (32), identity, state, then the number of all bytes so far (64) and their CRC-32 (32).
// Numbers are in the host's byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/checkpoint_archive.hpp"
#include "tools/files/file_descriptor.hpp"
#include "tools/files/output_file.hpp"

namespace toroid {

/// Writes a checkpoint. commit() replaces the old file by the complete new one.
class CheckpointWriter final : public Archive {
 public:
  /// `identity`: tells a reader which run the state belongs to. Throws BadInput if the file cannot
  /// be created.
  CheckpointWriter(const std::string& path, const std::string& identity);
  /// Throws RunFailed if anything failed; the old file is then unchanged.
  void commit();

 private:
  void bytes(void* data, std::size_t size) override;
  std::uint64_t left() const override { return 0; }
  void flush();

  OutputFile file_;
  std::vector<char> block_;
  std::uint64_t size_ = 0;  ///< bytes written, without those in `block_`
  unsigned long crc_;
};

/// Throws BadInput "checkpoint PATH WHY", in one line.
[[noreturn]] void refuse_checkpoint(const std::string& path, std::string_view why);

/// An open checkpoint file and the identity of its run.
class CheckpointHead {
 public:
  /// Reads only the header and the identity. Throws BadInput if the file cannot be read, is not a
  /// checkpoint, or has another format version.
  explicit CheckpointHead(const std::string& path);

  const std::string& identity() const { return identity_; }
  /// The file descriptor, positioned at the first byte.
  int file() const { return file_.number(); }
  std::uint64_t file_bytes() const { return file_bytes_; }
  [[noreturn]] void refuse(std::string_view why) const { refuse_checkpoint(path_, why); }

 private:
  /// Checks the format; returns the length of the identity.
  std::uint32_t read_format() const;

  std::string path_;
  FileDescriptor file_;
  std::uint64_t file_bytes_ = 0;
  std::string identity_;
};

/// Reads a checkpoint.
class CheckpointReader final : public Archive {
 public:
  /// Reads the whole file once to check it, so that nothing of a damaged file is used. Throws
  /// BadInput if it is damaged, truncated, not a checkpoint or of another format version. Calls
  /// `poll` before each block of the file; an exception from it ends the reading.
  explicit CheckpointReader(
      const std::string& path, std::function<void()> poll = [] {});
  const std::string& identity() const { return head_.identity(); }
  std::uint64_t left() const override { return left_; }

 private:
  void bytes(void* data, std::size_t size) override;
  void check_sum();
  /// Reads at most `size` bytes, fewer at the end of the file; returns their number.
  std::size_t read(char* data, std::size_t size);
  void fill();

  CheckpointHead head_;
  std::function<void()> poll_;
  std::vector<char> block_;
  std::size_t at_ = 0;      ///< read position in the block
  std::uint64_t left_ = 0;  ///< unread bytes of the state
};

}  // namespace toroid
