// Packets of 256 bytes through a ring between two cores, seconds per packet. In every ring the
// producer copies each packet from a warm buffer and the consumer copies it to another.
//   rings [samples = 5] [packets per sample = 300000]
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tools/bench/baselines/boost_rings.hpp"
#include "tools/bench/baselines/own_ring.hpp"
#include "tools/bench/baselines/report.hpp"
#include "tools/bench/baselines/thread_pinning.hpp"

namespace {

struct alignas(64) Packet {
  std::uint64_t number = 0;
  unsigned char payload[248] = {};
};
static_assert(sizeof(Packet) == 256);

constexpr std::uint64_t kWarm = 32;  // packets in each buffer: 8 KiB, in the first-level cache

struct Job {
  int samples;
  std::uint64_t packets;
  std::vector<int> cores;
};

class FrameBuffers {
 public:
  FrameBuffers() {
    for (std::uint64_t i = 0; i < kWarm; ++i) source_[i].number = i;
  }
  const Packet* sources() const { return source_; }
  const Packet& source(std::uint64_t i) const { return source_[i % kWarm]; }
  // Also checks the previous packet, which is in the first-level cache by then.
  Packet& sink(std::uint64_t i) {
    if (i != 0 && sink_[(i - 1) % kWarm].number != (i - 1) % kWarm) lost_ = true;
    return sink_[i % kWarm];
  }
  bool lost() const { return lost_; }

 private:
  Packet source_[kWarm], sink_[kWarm];
  bool lost_ = false;
};

template <class T, std::uint64_t kSlots, std::uint64_t kPublish>
void produce(baseline::OwnRing<T, kSlots, kPublish>& ring, std::uint64_t count,
             const FrameBuffers& from) {
  ring.produce(count, [&](std::uint64_t i, Packet& slot) {
    std::memcpy(static_cast<void*>(&slot), &from.source(i), sizeof slot);
  });
}

template <std::uint64_t kSlots>
void produce(baseline::BoostOneByOne<Packet, kSlots>& ring, std::uint64_t count,
             const FrameBuffers& from) {
  ring.produce(count, [&](std::uint64_t i) -> const Packet& { return from.source(i); });
}

template <std::uint64_t kSlots>
void produce(baseline::BoostBatches<Packet, kSlots, kWarm>& ring, std::uint64_t count,
             const FrameBuffers& from) {
  ring.produce(count, from.sources());
}

template <class Ring>
void consume(Ring& ring, std::uint64_t count, FrameBuffers& to) {
  ring.consume(count, [&](std::uint64_t i, const Packet& slot) {
    std::memcpy(static_cast<void*>(&to.sink(i)), &slot, sizeof slot);
  });
}

template <std::uint64_t kSlots>
void consume(baseline::BoostOneByOne<Packet, kSlots>& ring, std::uint64_t count, FrameBuffers& to) {
  ring.consume(count, [&](std::uint64_t i) -> Packet& { return to.sink(i); });
}

// Seconds from the start of both threads to the arrival of the last packet.
template <class Ring>
double transfer(const Job& job, std::uint64_t count) {
  auto ring = std::make_unique<Ring>();
  auto from = std::make_unique<FrameBuffers>(), to = std::make_unique<FrameBuffers>();
  std::atomic<int> ready{0};
  const auto meet = [&ready] {
    ready.fetch_add(1);
    while (ready.load() != 2) {
    }
  };
  std::thread producer([&] {
    baseline::pin(job.cores[1]);
    meet();
    produce(*ring, count, *from);
  });
  meet();
  const double start = baseline::now();
  consume(*ring, count, *to);
  const double seconds = baseline::now() - start;
  producer.join();
  if (!to->lost()) return seconds;
  std::fprintf(stderr, "a ring lost a packet\n");
  std::exit(1);
}

template <class Ring>
void measure(const Job& job, const char* name, std::uint64_t slots, baseline::Report& report) {
  transfer<Ring>(job, job.packets / 4);
  std::vector<double> seconds;
  for (int i = 0; i < job.samples; ++i)
    seconds.push_back(transfer<Ring>(job, job.packets) / static_cast<double>(job.packets));
  char rate[32];
  std::snprintf(rate, sizeof rate, "%.6g", 1 / baseline::median(seconds));
  report.row("\"ring\":\"" + std::string(name) + "\",\"slots\":" + std::to_string(slots) +
                 ",\"packets_per_s\":" + rate,
             seconds);
}

template <std::uint64_t kSlots>
void measure_all(const Job& job, baseline::Report& report) {
  measure<baseline::BoostOneByOne<Packet, kSlots>>(job, "boost", kSlots, report);
  measure<baseline::BoostBatches<Packet, kSlots, kWarm>>(job, "boost_batch_32", kSlots, report);
  measure<baseline::OwnRing<Packet, kSlots, 1>>(job, "own_publish_1", kSlots, report);
  measure<baseline::OwnRing<Packet, kSlots, 32>>(job, "own_publish_32", kSlots, report);
}

}  // namespace

int main(int argc, char** argv) {
  const Job job{argc > 1 ? baseline::positive(argv[1]) : 5,
                static_cast<std::uint64_t>(argc > 2 ? baseline::positive(argv[2]) : 300000),
                baseline::two_cores()};
  baseline::pin(job.cores[0]);
  baseline::Report report("rings");
  measure_all<1024>(job, report);
  measure_all<48>(job, report);
  measure_all<12>(job, report);
  measure_all<4>(job, report);
  report.print();
}
