#include "tools/files/checkpoint_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ios>
#include <system_error>
#include <utility>

#include "hal/check.hpp"

namespace toroid {
namespace {

constexpr std::uint32_t kCheckpointFormat = 1;
constexpr std::size_t kFileBlock = std::size_t{1} << 18;
constexpr std::uint64_t kHeadBytes = 16;
constexpr std::uint64_t kTailBytes = 12;

struct FileHead {
  std::array<char, 8> magic{'T', 'O', 'R', 'O', 'I', 'D', 'C', 'P'};
  std::uint32_t format = kCheckpointFormat;
  std::uint32_t identity_bytes = 0;
};
static_assert(sizeof(FileHead) == kHeadBytes);

unsigned long add_to_crc(unsigned long crc, const char* data, std::size_t size) {
  return ::crc32_z(crc, reinterpret_cast<const unsigned char*>(data), size);
}

}  // namespace

CheckpointWriter::CheckpointWriter(const std::string& path, const std::string& identity)
    : Archive(false), file_(path), crc_(::crc32_z(0, nullptr, 0)) {
  block_.reserve(kFileBlock);
  FileHead head;
  head.identity_bytes = static_cast<std::uint32_t>(identity.size());
  std::string text = identity;
  bytes(&head, sizeof head);
  bytes(text.data(), text.size());
}

void CheckpointWriter::bytes(void* data, std::size_t size) {
  if (size > kFileBlock - block_.size()) flush();
  const auto* begin = static_cast<const char*>(data);
  if (size <= kFileBlock) {
    block_.insert(block_.end(), begin, begin + size);
    return;
  }
  crc_ = add_to_crc(crc_, begin, size);
  file_.stream().write(begin, static_cast<std::streamsize>(size));
  size_ += size;
}

void CheckpointWriter::flush() {
  crc_ = add_to_crc(crc_, block_.data(), block_.size());
  file_.stream().write(block_.data(), static_cast<std::streamsize>(block_.size()));
  size_ += block_.size();
  block_.clear();
}

void CheckpointWriter::commit() {
  flush();
  const auto crc = static_cast<std::uint32_t>(crc_);
  std::array<char, kTailBytes> tail;
  std::memcpy(tail.data(), &size_, sizeof size_);
  std::memcpy(tail.data() + sizeof size_, &crc, sizeof crc);
  file_.stream().write(tail.data(), tail.size());
  file_.commit();
}

void refuse_checkpoint(const std::string& path, std::string_view why) {
  throw BadInput(one_line(fmt::format("checkpoint {} {}", path, why)));
}

CheckpointHead::CheckpointHead(const std::string& path)
    : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat status {};
  if (!file_.is_open() || ::fstat(file(), &status) != 0)
    refuse("cannot be read: " + std::generic_category().message(errno));
  if (!S_ISREG(status.st_mode)) refuse("is not a regular file");
  file_bytes_ = static_cast<std::uint64_t>(status.st_size);
  const std::uint32_t size = read_format();
  if (size > file_bytes_ - kHeadBytes - kTailBytes) refuse("is truncated or damaged in its header");
  identity_.resize(size);
  if (::pread(file(), identity_.data(), size, kHeadBytes) != ssize_t{size})
    refuse("cannot be read");
}

std::uint32_t CheckpointHead::read_format() const {
  FileHead head;
  const ssize_t read = ::pread(file(), &head, sizeof head, 0);
  const std::size_t known =
      std::min<std::size_t>(read < 0 ? 0 : static_cast<std::size_t>(read), sizeof head.magic);
  if (!std::equal(head.magic.begin(), head.magic.begin() + known, FileHead().magic.begin()))
    refuse("is not a toroid checkpoint; remove it or name another file");
  if (file_bytes_ < kHeadBytes + kTailBytes) refuse("is truncated");
  if (head.format != kCheckpointFormat)
    refuse(fmt::format("has format version {}; expected {}", head.format, kCheckpointFormat));
  return head.identity_bytes;
}

CheckpointReader::CheckpointReader(const std::string& path, std::function<void()> poll)
    : Archive(true), head_(path), poll_(std::move(poll)) {
  check_sum();
  const std::uint64_t before = kHeadBytes + identity().size();
  ::lseek(head_.file(), static_cast<off_t>(before), SEEK_SET);
  left_ = head_.file_bytes() - kTailBytes - before;
}

void CheckpointReader::check_sum() {
  const std::uint64_t size = head_.file_bytes();
  std::uint64_t counted = 0;
  std::uint32_t expected = 0;
  ::pread(head_.file(), &counted, sizeof counted, static_cast<off_t>(size - kTailBytes));
  ::pread(head_.file(), &expected, sizeof expected, static_cast<off_t>(size - sizeof expected));
  if (counted != size - kTailBytes) head_.refuse("is truncated or damaged at its end");
  unsigned long crc = ::crc32_z(0, nullptr, 0);
  block_.resize(std::min<std::uint64_t>(counted, kFileBlock));
  for (std::uint64_t left = counted; left > 0;) {
    const std::size_t some = read(block_.data(), std::min<std::uint64_t>(left, block_.size()));
    if (some == 0) head_.refuse("is truncated");
    crc = add_to_crc(crc, block_.data(), some);
    left -= some;
  }
  block_.clear();
  if (crc != expected) head_.refuse("is damaged: wrong checksum");
}

std::size_t CheckpointReader::read(char* data, std::size_t size) {
  for (;;) {
    poll_();
    const ssize_t some = ::read(head_.file(), data, size);
    if (some >= 0) return static_cast<std::size_t>(some);
    if (errno != EINTR) head_.refuse("cannot be read: " + std::generic_category().message(errno));
  }
}

void CheckpointReader::fill() {
  block_.resize(std::min<std::uint64_t>(head_.file_bytes(), kFileBlock));
  block_.resize(read(block_.data(), block_.size()));
  at_ = 0;
  if (block_.empty()) head_.refuse("is truncated");
}

void CheckpointReader::bytes(void* data, std::size_t size) {
  if (size > left_) refuse();
  left_ -= size;
  auto* to = static_cast<char*>(data);
  while (size > 0) {
    if (at_ == block_.size()) fill();
    const std::size_t some = std::min(size, block_.size() - at_);
    std::memcpy(to, block_.data() + at_, some);
    at_ += some;
    to += some;
    size -= some;
  }
}

}  // namespace toroid
