// A histogram of the latencies of packets. Its buckets are wider for larger values.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/tick.hpp"

namespace toroid {

/// Values below 2^bits have a bucket each. Larger values have 2^bits buckets per power of two, so a
/// percentile is accurate to 1/2^bits. Latencies from 2^32 on count as 2^32 - 1.
template <unsigned bits>
class LatencyBuckets {
 public:
  static constexpr std::size_t kPerOctave = std::size_t{1} << bits;

  void add(Tick latency) {
    const auto value = static_cast<std::uint32_t>(std::min<Tick>(latency, UINT32_MAX));
    ++bucket(bucket_of(value));
    max_ = std::max(max_, value);
    sum_ += value;
  }
  LatencyBuckets& operator+=(const LatencyBuckets& other) {
    for (std::size_t b = 0; b < other.buckets_.size(); ++b)
      if (other.buckets_[b] > 0) bucket(other.first_ + b) += other.buckets_[b];
    max_ = std::max(max_, other.max_);
    sum_ += other.sum_;
    return *this;
  }

  std::uint64_t count() const {
    std::uint64_t sum = 0;
    for (const auto packets : buckets_) sum += packets;
    return sum;
  }
  Tick max() const { return max_; }
  /// Exact, unlike percentiles; 0 if there are no packets.
  double mean() const {
    const std::uint64_t all = count();
    return all == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(all);
  }
  /// The latency that `wanted` of 1000 packets do not exceed: the upper end of the bucket that
  /// holds the last of them. 0 if there are no packets.
  Tick permille(unsigned wanted) const {
    const std::uint64_t all = count();
    std::uint64_t below = 0;
    for (std::size_t b = 0; b < kBuckets && all > 0; ++b) {
      below += packets(b);
      if (below > 0 && below * 1000 >= all * wanted) return std::min<Tick>(upper_end(b), max_);
    }
    return 0;
  }

  static constexpr std::size_t kBuckets = kPerOctave * (33 - bits);
  /// packets() is the number of packets in a bucket, upper_end() the largest value that falls into
  /// it.
  std::uint64_t packets(std::size_t bucket) const {
    return bucket - first_ < buckets_.size() ? buckets_[bucket - first_] : 0;
  }
  static Tick upper_end(std::size_t bucket) {
    if (bucket < kPerOctave) return bucket;
    const std::size_t octave = bucket / kPerOctave - 1;
    return ((Tick{bucket % kPerOctave} + kPerOctave + 1) << octave) - 1;
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(buckets_, first_, max_, sum_);
  }

 private:
  static std::size_t bucket_of(std::uint32_t value) {
    if (value < kPerOctave) return value;
    const auto octave = static_cast<unsigned>(std::bit_width(value)) - bits - 1;
    return kPerOctave * octave + (value >> octave);
  }

  std::uint64_t& bucket(std::size_t b) {
    if (b - first_ >= buckets_.size()) [[unlikely]]
      grow_to(b);
    return buckets_[b - first_];
  }
  [[gnu::noinline]] void grow_to(std::size_t b) {
    const std::size_t octave = b / kPerOctave * kPerOctave;
    if (buckets_.empty()) first_ = static_cast<std::uint32_t>(octave);
    if (octave < first_) {
      buckets_.insert(buckets_.begin(), first_ - octave, 0);
      first_ = static_cast<std::uint32_t>(octave);
    }
    if (b - first_ >= buckets_.size()) buckets_.resize(octave + kPerOctave - first_);
    buckets_.shrink_to_fit();  // there may be many histograms
  }

  /// The buckets of all powers of two from the least to the greatest that has occurred.
  std::vector<std::uint64_t> buckets_;
  std::uint32_t first_ = 0;  ///< number of the first of these buckets
  std::uint32_t max_ = 0;
  std::uint64_t sum_ = 0;  ///< of all latencies
};

/// The histogram of an exchange: 64 B per power of two, accurate to 12.5 %.
using LatencyHistogram = LatencyBuckets<3>;
/// The histogram of a run under load: 1 kB per power of two, accurate to 0.8 %.
using FineLatencyHistogram = LatencyBuckets<7>;

}  // namespace toroid
