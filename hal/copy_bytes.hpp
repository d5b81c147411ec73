// Copies long stretches of memory fast, whatever their alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace toroid {

/// Like memcpy. From some KiB on, the C library copies by `rep movsb`. On AMD's Zen 3 this takes 25
/// times as long if the target begins less than a cache line after the source, modulo the 4 KiB of
/// a page: 1.9 us instead of 0.08 us for 4 KiB. Blocks from malloc() often lie like this. This
/// function copies such blocks one cache line at a time.
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kShort = 2048;  // below this length, memcpy uses vector instructions
  const std::size_t behind =
      (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % kPage;
  if (bytes < kShort || behind == 0 || behind >= kLine) {
    if (bytes > 0) std::memcpy(to, from, bytes);
    return;
  }
  for (; bytes >= kLine; bytes -= kLine, to += kLine, from += kLine) std::memcpy(to, from, kLine);
  std::memcpy(to, from, bytes);
}

}  // namespace toroid
