#include "tools/run/host_copy_rate.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "hal/packet.hpp"

namespace toroid {
namespace {

using Clock = std::chrono::steady_clock;

/// Copies 16 KiB, packet by packet.
void copy_all(const std::vector<std::byte>& from, std::vector<std::byte>& to) {
  for (std::size_t at = 0; at < from.size(); at += kPayloadBytes)
    copy_payload(to.data() + at, from.data() + at, kPayloadBytes);
  asm volatile("" : : "r"(to.data()) : "memory");  // keeps the compiler from removing the copies
}

double measure() {
  const std::vector<std::byte> from(68 * kPayloadBytes);
  std::vector<std::byte> to(from.size());
  double best = 0;
  // The samples are many and short, because on a busy host a long one is almost always disturbed. A
  // rate that is too low would give a bound that runs can beat.
  for (int sample = 0; sample < 250; ++sample) {
    constexpr int kRounds = 40;
    const auto begin = Clock::now();
    for (int i = 0; i < kRounds; ++i) copy_all(from, to);
    const std::chrono::duration<double> time = Clock::now() - begin;
    best = std::max(best, kRounds * static_cast<double>(from.size()) / time.count());
  }
  return best;
}

}  // namespace

double payload_copy_rate() {
  static const double rate = measure();
  return rate;
}

double copy_seconds(double bytes, unsigned workers) {
  return bytes / payload_copy_rate() / workers;
}

double exchange_copy_seconds(double payload_bytes, unsigned workers, TransferMode transfer) {
  const double copies = transfer == TransferMode::packets ? 2 : 1;
  return copy_seconds(copies * payload_bytes, workers);
}

}  // namespace toroid
