// Archives in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "hal/checkpoint_archive.hpp"

namespace toroid::testing {

class SavedState final : public Archive {
 public:
  SavedState() : Archive(false) {}
  const std::vector<std::byte>& content() const { return content_; }

 private:
  void bytes(void* data, std::size_t size) override {
    const auto* begin = static_cast<const std::byte*>(data);
    content_.insert(content_.end(), begin, begin + size);
  }
  std::uint64_t left() const override { return 0; }

  std::vector<std::byte> content_;
};

class LoadedState final : public Archive {
 public:
  explicit LoadedState(std::vector<std::byte> content)
      : Archive(true), content_(std::move(content)) {}
  std::uint64_t left() const override { return content_.size() - at_; }

 private:
  void bytes(void* data, std::size_t size) override {
    if (size > left()) refuse();
    std::memcpy(data, content_.data() + at_, size);
    at_ += size;
  }

  std::vector<std::byte> content_;
  std::size_t at_ = 0;
};

}  // namespace toroid::testing
