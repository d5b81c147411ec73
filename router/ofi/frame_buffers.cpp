#include "router/ofi/frame_buffers.hpp"

#include <algorithm>
#include <new>

#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "router/ofi/frame.hpp"

namespace toroid::ofi {
namespace {

/// Desired limit of the memory for all frames of a process. With many peers, frames get shorter to
/// keep it, but not shorter than kLeastFrameBytes.
constexpr std::size_t kMostBytes = std::size_t{128} << 20;
constexpr std::size_t kLeastFrameBytes = std::size_t{4} << 10;
/// Unused bytes after each frame, because packets are delivered in place and may be read at full
/// packet size.
constexpr std::size_t kSlack = sizeof(Packet);
constexpr std::size_t kSmallBytes = sizeof(FrameHeader);
/// Additional receive buffers per peer, because frames that only acknowledge do not count towards
/// the window.
constexpr unsigned kSpareInward = 1;
/// Additional send buffers per peer if frames are kept: a whole window may be kept while other
/// frames are filled.
constexpr unsigned kSpareOutward = 2;

}  // namespace

std::uint32_t FrameBuffers::window_index(unsigned peer, const FlowLimits& limits) {
  return peer * (limits.window + kSpareInward);
}

std::size_t FrameBuffers::stride(const FlowLimits& limits) {
  return limits.frame_bytes + kSlack;
}

std::size_t FrameBuffers::bytes_per_peer(const FlowLimits& limits) {
  return (limits.window + kSpareInward + limits.send_buffers) * stride(limits) + kSmallBytes;
}

FlowLimits FrameBuffers::limits_for(unsigned peers, std::size_t best_frame_bytes, bool checked) {
  FlowLimits limits{.frame_bytes = best_frame_bytes, .checked = checked};
  if (checked) limits.send_buffers = limits.window + kSpareOutward;
  while (limits.frame_bytes > kLeastFrameBytes && bytes_per_peer(limits) * peers > kMostBytes)
    limits.frame_bytes = std::max(kLeastFrameBytes, limits.frame_bytes / 2);
  return limits;
}

void FrameBuffers::Free::operator()(std::byte* memory) const {
  ::operator delete (memory, std::align_val_t{kFrameAlignment});
}

FrameBuffers::FrameBuffers(unsigned peers, const FlowLimits& limits)
    : limits_(limits),
      bytes_(bytes_per_peer(limits) * peers),
      memory_(static_cast<std::byte*>(::operator new (bytes_, std::align_val_t{kFrameAlignment}))),
      inward_((limits.window + kSpareInward) * peers),
      outward_(limits.send_buffers * peers),
      acknowledgement_(peers) {
  TOROID_CHECK_EQ(limits.frame_bytes % kFrameAlignment, 0u);
  for (std::uint32_t i = 0; i < inward_.size(); ++i) {
    const std::uint32_t place = i % (limits.window + kSpareInward);
    inward_[i] = {.context = {},
                  .buffer = cut(stride(limits)),
                  .receives = true,
                  .slot = place < limits.window ? place : kAnySlot,
                  .user = i};
  }
  for (Operation& operation : outward_)
    operation.buffer = cut(stride(limits)).first(limits.frame_bytes);
  for (Operation& operation : acknowledgement_) operation.buffer = cut(kSmallBytes);
}

std::span<std::byte> FrameBuffers::cut(std::size_t bytes) {
  const std::size_t at = cut_;
  cut_ += bytes;
  return memory().subspan(at, bytes);
}

namespace {

bool is_one_of(std::span<const Operation> operations, const void* address) {
  const auto offset = reinterpret_cast<std::uintptr_t>(address) -
                      reinterpret_cast<std::uintptr_t>(operations.data());
  return offset < operations.size_bytes() && offset % sizeof(Operation) == 0;
}

}  // namespace

bool FrameBuffers::holds(const void* operation) const {
  return is_one_of(inward_, operation) || is_one_of(outward_, operation) ||
         is_one_of(acknowledgement_, operation);
}

std::span<Operation> FrameBuffers::outward(unsigned peer) {
  return std::span(outward_).subspan(peer * limits_.send_buffers, limits_.send_buffers);
}

}  // namespace toroid::ofi
