// Payloads of packets that were sent by value, kept until they are drained.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "hal/packet.hpp"
#include "hal/send_descriptor.hpp"

namespace toroid {

/// Reusable slots of 240 bytes, one per packet that has not been drained yet.
class InlinePayloads final : public PayloadSource {
 public:
  /// Keeps a copy and returns the cookie for the descriptor that will fetch it. REQUIRES: at most
  /// 240 bytes.
  std::uint64_t keep(std::span<const std::byte> payload) {
    if (!kept_) kept_ = std::make_unique<Kept>();
    auto& [slots, free] = *kept_;
    if (free.empty()) {
      free.push_back(static_cast<std::uint32_t>(slots.size()));
      slots.emplace_back();
    }
    const std::uint32_t slot = free.back();
    free.pop_back();
    if (!payload.empty()) std::memcpy(slots[slot].data(), payload.data(), payload.size());
    return slot;
  }

  /// Whether all payloads have been fetched.
  bool empty() const { return !kept_ || kept_->free.size() == kept_->slots.size(); }

  std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t,
                       std::span<std::byte, kPayloadBytes> payload) override {
    const auto slot = static_cast<std::uint32_t>(descriptor.cookie);
    std::memcpy(payload.data(), kept_->slots[slot].data(), descriptor.header.payload_bytes());
    kept_->free.push_back(slot);
    return descriptor.header.argument();
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    bool keeps = kept_ != nullptr;
    archive(keeps);
    if (!keeps) return;
    if (!kept_) kept_ = std::make_unique<Kept>();
    archive(kept_->slots, kept_->free);
  }

 private:
  struct Kept {
    std::vector<std::array<std::byte, kPayloadBytes>> slots;
    std::vector<std::uint32_t> free;
  };
  std::unique_ptr<Kept> kept_;  ///< null before the first packet: most nodes send nothing by value
};

}  // namespace toroid
