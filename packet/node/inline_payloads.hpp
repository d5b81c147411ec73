// Payloads of packets that were sent by value, kept until they are drained.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "hal/packet.hpp"
#include "hal/send_descriptor.hpp"

namespace toroid {

/// Fixed slots of 240 bytes that are used again; one per packet that has not been drained.
class InlinePayloads final : public PayloadSource {
 public:
  /// Keeps a copy and returns the cookie for the descriptor that will fetch it. REQUIRES: at most
  /// 240 bytes.
  std::uint64_t keep(std::span<const std::byte> payload) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    if (!payload.empty()) std::memcpy(slots_[slot].data(), payload.data(), payload.size());
    return slot;
  }

  std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t,
                       std::span<std::byte, kPayloadBytes> payload) override {
    const auto slot = static_cast<std::uint32_t>(descriptor.cookie);
    std::memcpy(payload.data(), slots_[slot].data(), descriptor.header.payload_bytes());
    free_.push_back(slot);
    return descriptor.header.argument();
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(slots_, free_);
  }

 private:
  std::vector<std::array<std::byte, kPayloadBytes>> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace toroid
