// Files that hold the state of a run.
//
// "TOROIDCP", the number of the format : 32, the length of the identity : 32, the identity, the
// state, then the number of all bytes so far : 64 and their CRC-32 : 32. Numbers are the host's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hal/archive.hpp"
#include "tools/io/output_file.hpp"
#include "tools/run/descriptor.hpp"

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

/// Reads one.
class CheckpointReader final : public Archive {
 public:
  /// Reads the file once from end to end, so that nothing is used of one that is damaged. Throws
  /// BadInput where it is, where it is cut short or of another format, or is no checkpoint.
  explicit CheckpointReader(const std::string& path);
  const std::string& identity() const { return identity_; }
  std::uint64_t left() const override { return left_; }

 private:
  void bytes(void* data, std::size_t size) override;
  void check_format(std::uint64_t size) const;
  void check_sum(std::uint64_t size);
  /// At most so many; fewer at the end.
  std::size_t read(char* data, std::size_t size);
  void fill();
  [[noreturn]] void refuse_file(std::string_view why) const;

  std::string path_;
  Descriptor file_;
  std::vector<char> block_;
  std::size_t at_ = 0;      ///< in the block
  std::uint64_t left_ = 0;  ///< bytes of identity and state
  std::string identity_;
};

}  // namespace toroid
