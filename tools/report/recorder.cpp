#include "tools/report/recorder.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <utility>

#include "hal/check.hpp"
#include "hal/injection_fifo.hpp"

namespace toroid {
namespace {

/// The fraction part / whole as a byte from 0 to 255.
std::uint8_t quantised(double part, double whole) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(part / whole, 0.0, 1.0)));
}

}  // namespace

Recorder::Recorder(const Shape& shape, const Machine& machine)
    : shape_(shape), machine_(machine), most_samples_(toroid::most_samples(shape, all_fifos())) {
  if (most_samples_ == 0)
    throw BadInput(
        fmt::format("a recording of {} does not fit into a report of 5 MB; expected a smaller "
                    "torus",
                    shape.text()));
}

void Recorder::on_sample(Tick now, const SimSnapshot& machine) {
  if (now == 0 || now % interval_ != 0) return;
  add_fifos(samples_.emplace_back(sample_of(now, machine.links())), machine);
  if (samples_.size() >= 2 * most_samples_) thin();
}

Recorder::Sample Recorder::sample_of(Tick end, std::span<const LinkCounters> links) const {
  Sample sample{end,
                {},
                std::vector<unsigned>(shape_.size()),
                std::vector<std::uint64_t>(all_fifos()),
                std::vector<unsigned>(all_fifos())};
  sample.wire_bytes.resize(links.size());
  std::ranges::transform(links, sample.wire_bytes.begin(), [](const LinkCounters& link) {
    return static_cast<std::uint32_t>(link.wire_bytes);
  });
  return sample;
}

void Recorder::add_fifos(Sample& sample, const SimSnapshot& machine) {
  const unsigned count = all_fifos();
  std::uint64_t* const sum = sample.sum.data();
  unsigned* const most = sample.most.data();
  for (Rank node = 0; node < shape_.size(); ++node) {
    const InjectionFifos& all = machine.fifos(node);
    unsigned fill = 0;
    for (unsigned f = 0; f < count; ++f) {
      const unsigned used = all.used(f);
      fill += used;
      sum[f] += used;
      most[f] = std::max(most[f], used);
    }
    sample.fill[node] = fill;
    sample.reception.add(machine.received(node));
    sample.queues.add(machine.queued(node));
  }
  for (unsigned f = machine_.injection_fifos; f < count; ++f) uses_priority_ |= most[f] > 0;
}

/// Drops every second sample, but keeps the last even if it ends a shortened interval.
void Recorder::thin() {
  std::size_t kept = 0;
  for (std::size_t s = 0; s < samples_.size(); ++s)
    if (s % 2 == 1 || s + 1 == samples_.size()) std::swap(samples_[kept++], samples_[s]);
  samples_.resize(kept);
  interval_ *= 2;
}

Recording Recorder::finish(const FabricCounters& counters) {
  const Tick taken = samples_.empty() ? 0 : samples_.back().end;
  const std::vector<LinkCounters> none(counters.links.empty() ? links() : 0);
  if (counters.end > taken || samples_.empty())
    samples_.push_back(
        sample_of(std::max(counters.end, Tick{1}), counters.links.empty() ? none : counters.links));
  while (samples_.size() > most_samples_) thin();
  Recording recording;
  recording.shape = shape_;
  recording.end = samples_.back().end;
  recording.interval = interval_;
  recording.fifos = fifos();
  recording.fifo_chunks = machine_.injection_fifo_chunks;
  for (const LinkCounters& link : counters.links) {
    constexpr Tick kMost = std::numeric_limits<std::uint32_t>::max();
    recording.packets.push_back(static_cast<std::uint32_t>(link.total_packets()));
    recording.busy_cycles.push_back(
        static_cast<std::uint32_t>(std::min(machine_.wire_cycles(link.wire_bytes), kMost)));
  }
  write_links(recording);
  write_fifos(recording);
  recording.reception =
      level(&Sample::reception, std::uint64_t{machine_.reception_fifo_chunks} *
                                    (machine_.reception_fifos + machine_.priority_reception_fifos));
  std::uint64_t longest = 1;
  for (const Sample& sample : samples_) longest = std::max(longest, sample.queues.most);
  recording.queues = level(&Sample::queues, longest);
  return recording;
}

/// All bytes of a packet count at the moment at which its link takes it. If an interval has more
/// bytes than its link can carry in this time, the excess counts in the next interval.
void Recorder::write_links(Recording& recording) const {
  std::vector<double> left(links());
  std::vector<std::uint32_t> before(links());
  Tick begin = 0;
  for (const Sample& sample : samples_) {
    const auto length = static_cast<double>(sample.end - begin);
    for (std::size_t l = 0; l < links(); ++l) {
      const std::uint32_t bytes = sample.wire_bytes[l] - before[l];
      const double busy = left[l] + bytes * 8.0 / machine_.link_bits_per_cycle;
      recording.link_busy.push_back(quantised(busy, length));
      left[l] = std::max(0.0, busy - length);
      before[l] = sample.wire_bytes[l];
    }
    begin = sample.end;
  }
}

Recording::Level Recorder::level(Level Sample::*of, std::uint64_t full) const {
  Recording::Level level{.full = full, .mean = {}, .most = {}};
  const auto whole = static_cast<double>(full);
  for (const Sample& sample : samples_) {
    const auto sum = static_cast<double>((sample.*of).sum);
    level.mean.push_back(quantised(sum, whole * shape_.size()));
    level.most.push_back(quantised(static_cast<double>((sample.*of).most), whole));
  }
  return level;
}

void Recorder::write_fifos(Recording& recording) const {
  const double one = machine_.injection_fifo_chunks;
  for (const Sample& sample : samples_) {
    for (const unsigned chunks : sample.fill)
      recording.fifo_fill.push_back(quantised(chunks, one * fifos()));
    for (unsigned f = 0; f < fifos(); ++f) {
      const double all = one * shape_.size();
      recording.fifo_mean.push_back(quantised(static_cast<double>(sample.sum[f]), all));
      recording.fifo_most.push_back(quantised(sample.most[f], one));
    }
  }
}

}  // namespace toroid
