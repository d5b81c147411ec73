#include "hal/send_descriptor.hpp"

#include <algorithm>
#include <utility>

#include "hal/check.hpp"

namespace toroid {

PutDescriptor PayloadSource::put(const SendDescriptor&) {
  check_failed(__FILE__, __LINE__, "!is_put", "this source does not support puts");
}

std::size_t PayloadSource::pack(const SendDescriptor&, std::uint32_t, std::uint32_t,
                                std::span<std::byte>) {
  check_failed(__FILE__, __LINE__, "!is_put", "this source does not support puts");
}

PutOffer PayloadSource::offer(const SendDescriptor&, std::size_t) {
  return {};
}

void PayloadSource::put_done(const PutDescriptor&) {}

void DescriptorQueue::grow() {
  std::vector<SendDescriptor> larger(std::max<std::size_t>(8, 2 * ring_.size()));
  const auto count = static_cast<std::uint32_t>(size());
  for (std::uint32_t i = 0; i < count; ++i) larger[i] = ring_[(head_ + i) & mask()];
  ring_ = std::move(larger);
  head_ = 0;
  tail_ = count;
}

}  // namespace toroid
