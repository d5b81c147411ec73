#include "tools/report/recording.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tools/report/deflate_base64.hpp"

namespace toroid {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// Limit of the samples' bytes before packing. A page has at most 5 MB. In base64 this holds three
/// quarters as many bytes, and the loads and the page itself take a part of them. Packing makes the
/// samples smaller, but how much depends on the run.
constexpr std::size_t kSeriesBytes = 3'200'000;
constexpr std::size_t kMostSamples = 128;
constexpr std::size_t kFewestSamples = 8;

constexpr Tick kLongestRun = Tick{1} << 53;  // up to here JavaScript's numbers are exact

void halve_rows(Bytes& bytes, std::size_t row) {
  const std::size_t rows = bytes.size() / row;
  for (std::size_t i = 0; i < (rows + 1) / 2 * row; ++i) {
    const std::size_t first = i / row * 2 * row + i % row;
    const unsigned a = bytes[first];
    const unsigned b = first + row < bytes.size() ? bytes[first + row] : a;
    bytes[i] = static_cast<std::uint8_t>((a + b + 1) / 2);
  }
  bytes.resize((rows + 1) / 2 * row);
}

Json level_json(const Recording::Level& level) {
  return {{"full", level.full}, {"mean", pack_bytes(level.mean)}, {"most", pack_bytes(level.most)}};
}

template <typename Unpack>
auto unpacked(const JsonPlace& place, std::size_t count, const Unpack& unpack) {
  auto values = unpack(place.text(), count);
  if (!values) place.refuse(fmt::format("{} packed values", count));
  return *std::move(values);
}

}  // namespace

void Recording::halve() {
  halve_rows(link_busy, links());
  halve_rows(fifo_fill, shape.size());
  halve_rows(fifo_mean, fifos);
  halve_rows(fifo_most, fifos);
  for (Level* level : {&reception, &queues}) {
    halve_rows(level->mean, 1);
    halve_rows(level->most, 1);
  }
  interval *= 2;
}

Json Recording::to_json() const {
  return {{"encoding", "deflate, base64"},
          {"end_cycles", end},
          {"interval_cycles", interval},
          {"samples", samples()},
          {"fifos", fifos},
          {"fifo_chunks", fifo_chunks},
          {"packets", pack_words(packets)},
          {"busy_cycles", pack_words(busy_cycles)},
          {"link_busy", pack_bytes(link_busy)},
          {"fifo_fill", pack_bytes(fifo_fill)},
          {"fifo_mean", pack_bytes(fifo_mean)},
          {"fifo_most", pack_bytes(fifo_most)},
          {"reception", level_json(reception)},
          {"queues", level_json(queues)}};
}

namespace {

Recording::Level level_from(const JsonPlace& place, std::size_t samples) {
  Recording::Level level;
  level.full = place.at("full").count(1, kLongestRun);
  level.mean = unpacked(place.at("mean"), samples, unpack_bytes);
  level.most = unpacked(place.at("most"), samples, unpack_bytes);
  return level;
}

}  // namespace

Recording Recording::from_json(const JsonPlace& place, const Shape& shape) {
  Recording r;
  r.shape = shape;
  r.end = place.at("end_cycles").count(0, kLongestRun);
  r.interval = place.at("interval_cycles").count(1, kLongestRun);
  r.fifos = static_cast<unsigned>(place.at("fifos").count(1, 64));
  r.fifo_chunks = static_cast<unsigned>(place.at("fifo_chunks").count(1, 1 << 20));
  const std::size_t most = most_samples(shape, r.fifos);
  if (most == 0) place.refuse("of a machine that fits a page");
  const std::size_t samples = place.at("samples").count(1, most);
  r.packets = unpacked(place.at("packets"), r.links(), unpack_words);
  r.busy_cycles = unpacked(place.at("busy_cycles"), r.links(), unpack_words);
  r.link_busy = unpacked(place.at("link_busy"), samples * r.links(), unpack_bytes);
  r.fifo_fill = unpacked(place.at("fifo_fill"), samples * shape.size(), unpack_bytes);
  r.fifo_mean = unpacked(place.at("fifo_mean"), samples * r.fifos, unpack_bytes);
  r.fifo_most = unpacked(place.at("fifo_most"), samples * r.fifos, unpack_bytes);
  if (place.has("reception")) r.reception = level_from(place.at("reception"), samples);
  if (place.has("queues")) r.queues = level_from(place.at("queues"), samples);
  return r;
}

std::size_t most_samples(const Shape& shape, unsigned fifos) {
  const std::size_t row = std::size_t{shape.size()} * (shape.links() + 1) + 2 * std::size_t{fifos};
  const std::size_t fit = std::min(kSeriesBytes / row, kMostSamples);
  return fit < kFewestSamples ? 0 : fit;
}

}  // namespace toroid
