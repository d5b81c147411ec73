// Measures the distance between two cores with two cache lines, each of which is written by one
// core and read by the other. Prints the times of the round trip and of one way, which is half of
// it.
//   ping_pong [milliseconds = 50]
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "tools/bench/baselines/report.hpp"
#include "tools/bench/baselines/thread_pinning.hpp"

namespace {

constexpr std::uint64_t kStop = ~std::uint64_t{0};
constexpr std::uint64_t kBatch = 500;  // round trips per sample

// 128 bytes apart: some prefetchers fetch lines in pairs.
struct alignas(128) Line {
  std::atomic<std::uint64_t> value{0};
};

void answer(Line& ping, Line& pong, int core) {
  baseline::pin(core);
  for (std::uint64_t last = 0;;) {
    std::uint64_t seen;
    while ((seen = ping.value.load(std::memory_order_acquire)) == last) {
    }
    if (seen == kStop) return;
    pong.value.store(last = seen, std::memory_order_release);
  }
}

// Seconds per round trip.
double batch(Line& ping, Line& pong, std::uint64_t& turn) {
  const double start = baseline::now();
  for (std::uint64_t i = 0; i < kBatch; ++i) {
    ping.value.store(++turn, std::memory_order_release);
    while (pong.value.load(std::memory_order_acquire) != turn) {
    }
  }
  return (baseline::now() - start) / kBatch;
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = (argc > 1 ? baseline::positive(argv[1]) : 50) * 1e-3;
  const std::vector<int> cores = baseline::two_cores();
  Line ping, pong;
  std::thread other(answer, std::ref(ping), std::ref(pong), cores[1]);
  baseline::pin(cores[0]);
  std::uint64_t turn = 0;
  batch(ping, pong, turn);
  std::vector<double> round_trips;
  for (const double end = baseline::now() + seconds; baseline::now() < end;)
    round_trips.push_back(batch(ping, pong, turn));
  ping.value.store(kStop, std::memory_order_release);
  other.join();

  std::vector<double> one_way = round_trips;
  for (double& time : one_way) time /= 2;
  baseline::Report report("ping_pong");
  report.row("\"what\":\"round_trip\"", round_trips);
  report.row("\"what\":\"one_way\"", one_way);
  report.print();
}
