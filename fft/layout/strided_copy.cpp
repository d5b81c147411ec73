#include "fft/layout/strided_copy.hpp"

#include <algorithm>
#include <cstring>

#include "hal/copy_bytes.hpp"

namespace toroid::fft {
namespace {

/// A block's side is two cache lines long.
constexpr std::int64_t kBlockBytes = 128;

/// Rows of a box of up to this many bytes are prefetched in software; the hardware prefetches
/// longer ones by itself.
constexpr std::int64_t kShortRow = 2048;
/// Short rows are prefetched this many bytes ahead of the copy. Gaps between rows do not count.
constexpr std::int64_t kAhead = 2048;
constexpr std::int64_t kLine = 64;  ///< bytes of a cache line
/// If a plane is copied in square blocks, its source is prefetched this many blocks ahead.
constexpr std::int64_t kBlocksAhead = 2;

using Loops = std::span<const CopyLoop>;

bool is_contiguous(const CopyLoop& loop) {
  return loop.from_stride == 1 && loop.to_stride == 1;
}

/// Copies elements of `Bytes` bytes.
template <std::size_t Bytes>
struct Copier {
  static constexpr std::int64_t kBytes = Bytes;
  static constexpr std::int64_t kSide = kBlockBytes / kBytes;

  static void row(const CopyLoop& loop, const std::byte* from, std::byte* to) {
    if (is_contiguous(loop)) {
      copy_bytes(to, from, static_cast<std::size_t>(loop.count) * Bytes);
      return;
    }
    for (std::int64_t i = 0; i < loop.count; ++i)
      std::memcpy(to + i * loop.to_stride * kBytes, from + i * loop.from_stride * kBytes, Bytes);
  }

  /// Copies a plane: the source is contiguous along `rows`, the target along `row`.
  static void plane(const CopyLoop& rows, const CopyLoop& row, const std::byte* from,
                    std::byte* to) {
    for (std::int64_t r = 0; r < rows.count; r += kSide)
      for (std::int64_t c = 0; c < row.count; c += kSide) {
        const std::int64_t rows_end = std::min(r + kSide, rows.count);
        fetch_columns(row, c + kBlocksAhead * kSide, (rows_end - r) * kBytes,
                      from + r * rows.from_stride * kBytes);
        CopyLoop part = row;
        part.count = std::min(kSide, row.count - c);
        for (std::int64_t i = r; i < rows_end; ++i)
          Copier::row(part, from + (i * rows.from_stride + c * row.from_stride) * kBytes,
                      to + (i * rows.to_stride + c * row.to_stride) * kBytes);
      }
  }

  /// Copies rows that are contiguous on both sides. Short rows are prefetched.
  static void rows(const CopyLoop& loop, const CopyLoop& row, const std::byte* from,
                   std::byte* to) {
    const std::int64_t bytes = row.count * kBytes;
    const std::int64_t ahead = bytes > kShortRow ? loop.count : (kAhead + bytes - 1) / bytes;
    for (std::int64_t i = 0; i < loop.count; ++i) {
      if (i + ahead < loop.count) fetch(from + (i + ahead) * loop.from_stride * kBytes, bytes);
      Copier::row(row, from + i * loop.from_stride * kBytes, to + i * loop.to_stride * kBytes);
    }
  }

  /// Prefetches the columns of the block that begins with column `c`. Each column is `bytes` long.
  static void fetch_columns(const CopyLoop& row, std::int64_t c, std::int64_t bytes,
                            const std::byte* from) {
    const std::int64_t end = std::min(c + kSide, row.count);
    for (; c < end; ++c) fetch(from + c * row.from_stride * kBytes, bytes);
  }

  static void fetch(const std::byte* row, std::int64_t bytes) {
    for (std::int64_t at = 0; at < bytes; at += kLine) __builtin_prefetch(row + at);
    __builtin_prefetch(row + bytes - 1);
  }

  /// Copies all elements. `crossing` is the loop along which the source is contiguous, or null if
  /// this is the fastest loop or if there is none. It is moved next to the fastest loop.
  static void all(Loops loops, const CopyLoop* crossing, const std::byte* from, std::byte* to) {
    if (!loops.empty() && &loops.front() == crossing) loops = loops.subspan(1);
    if (loops.size() <= 1) {
      const CopyLoop fastest = loops.empty() ? CopyLoop{} : loops.front();
      return crossing == nullptr ? row(fastest, from, to) : plane(*crossing, fastest, from, to);
    }
    const CopyLoop& loop = loops.front();
    if (crossing == nullptr && loops.size() == 2 && is_contiguous(loops[1]))
      return rows(loop, loops[1], from, to);
    for (std::int64_t i = 0; i < loop.count; ++i)
      all(loops.subspan(1), crossing, from + i * loop.from_stride * kBytes,
          to + i * loop.to_stride * kBytes);
  }

  static void whole(Loops loops, const std::byte* from, std::byte* to) {
    const CopyLoop* crossing = nullptr;
    for (std::size_t i = 0; i + 1 < loops.size(); ++i)
      if (loops[i].from_stride == 1) crossing = &loops[i];
    all(loops, crossing, from, to);
  }

  /// Copies whole steps of the slowest loop together. For a partial step before or after them, it
  /// calls itself with the faster loops.
  static void some(Loops loops, CopyRange range, const std::byte* from, std::byte* to) {
    if (loops.empty()) return whole(loops, from, to);
    std::int64_t step = 1;
    for (const CopyLoop& faster : loops.subspan(1)) step *= faster.count;
    const auto within = [&](std::int64_t at, CopyRange part) {
      some(loops.subspan(1), part, from + at * loops[0].from_stride * kBytes,
           to + at * loops[0].to_stride * kBytes);
    };
    const std::int64_t end = range.first + range.count;
    std::int64_t begin = range.first / step;
    if (const std::int64_t before = range.first % step; before > 0) {
      const std::int64_t count = std::min(step - before, range.count);
      within(begin++, {before, count});
      if (count == range.count) return;
    }
    if (const std::int64_t steps = end / step - begin; steps > 0)
      several(loops, begin, steps, from, to);
    if (const std::int64_t after = end % step; after > 0) within(end / step, {0, after});
  }

  static void several(Loops loops, std::int64_t begin, std::int64_t steps, const std::byte* from,
                      std::byte* to) {
    std::array<CopyLoop, NestedLoops::kMost> some;
    std::ranges::copy(loops, some.begin());
    some[0].count = steps;
    whole(Loops(some).first(loops.size()), from + begin * loops[0].from_stride * kBytes,
          to + begin * loops[0].to_stride * kBytes);
  }
};

}  // namespace

void copy_strided(const NestedLoops& loops, CopyRange range, std::uint32_t bytes,
                  const std::byte* from, std::byte* to) {
  if (bytes == 16) return Copier<16>::some(loops.loops(), range, from, to);
  if (bytes == 8) return Copier<8>::some(loops.loops(), range, from, to);
  TOROID_CHECK_EQ(bytes, 4u);
  Copier<4>::some(loops.loops(), range, from, to);
}

}  // namespace toroid::fft
