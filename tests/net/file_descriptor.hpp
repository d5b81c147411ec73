// Owns a file descriptor.
#pragma once

#include <errno.h>
#include <unistd.h>

#include <system_error>
#include <utility>

namespace toroid::testing {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor() {
    if (number_ >= 0) ::close(number_);
  }
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int get() const { return number_; }

 private:
  int number_ = -1;
};

/// Returns the result of a system call. Throws std::system_error with `what` if the call failed.
inline int succeeded(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

}  // namespace toroid::testing
