// An input in the form of a file, for readers that take a path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "hal/check.hpp"

namespace toroid::fuzz {

/// A regular file in memory at a fixed path, whose content is replaced for each input. Owned by the
/// fuzz target; for one thread.
class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("fuzz", MFD_CLOEXEC)) { TOROID_CHECK(file_ >= 0); }
  MemoryFile(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(file_); }

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(file_); }
  void set(const std::uint8_t* data, std::size_t size) const {
    TOROID_CHECK_EQ(::ftruncate(file_, 0), 0);
    TOROID_CHECK_EQ(::pwrite(file_, data, size, 0), static_cast<ssize_t>(size));
  }

 private:
  int file_;
};

}  // namespace toroid::fuzz
