// A class that owns and closes a file descriptor, and a stream buffer that writes to a descriptor.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <ios>
#include <streambuf>
#include <utility>

namespace toroid {

/// An open file descriptor, or none (-1).
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() {
    if (is_open()) ::close(number_);
  }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_ = -1;
};

/// Writes to a descriptor, which must stay open while the buffer is used.
class DescriptorBuffer : public std::streambuf {
 public:
  DescriptorBuffer() { setp(block_.data(), block_.data() + block_.size()); }

  void attach(int descriptor) { descriptor_ = descriptor; }
  /// The errno of the first write that failed, or 0.
  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override {
    if (!flush_block()) return traits_type::eof();
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    return sputc(traits_type::to_char_type(c));
  }

  int sync() override { return flush_block() ? 0 : -1; }

  std::streamsize xsputn(const char* text, std::streamsize size) override {
    if (size > epptr() - pptr() && !flush_block()) return 0;
    if (size > epptr() - pptr()) return write_all(text, size) ? size : 0;
    std::copy_n(text, size, pptr());
    pbump(static_cast<int>(size));
    return size;
  }

 private:
  bool flush_block() {
    const bool written = write_all(pbase(), pptr() - pbase());
    setp(block_.data(), block_.data() + block_.size());
    return written;
  }

  bool write_all(const char* text, std::streamsize size) {
    while (size > 0 && error_ == 0) {
      const ssize_t written = ::write(descriptor_, text, static_cast<std::size_t>(size));
      if (written < 0 && errno != EINTR) error_ = errno;
      if (written < 0) continue;
      text += written;
      size -= written;
    }
    return error_ == 0;
  }

  int descriptor_ = -1;
  int error_ = 0;
  std::array<char, 65536> block_;
};

}  // namespace toroid
