// An exception in a worker's thread ends the run, not the process.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <vector>

#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "router/placement/placement.hpp"
#include "router/rules/routing.hpp"
#include "router/shm/device.hpp"
#include "router/shm/devices_and_rings.hpp"
#include "router/shm/worker_pool.hpp"
#include "router/termination/run_control.hpp"

namespace toroid::ring {
namespace {

/// A topology without memory: allocate() throws std::bad_alloc if `has_rings` is false, and puts()
/// always throws it.
class ScarceTopology : public DevicesAndRings {
 public:
  explicit ScarceTopology(bool has_rings) : has_rings_(has_rings) {}
  RingDevice& device(Rank) override { throw std::logic_error("it has no devices"); }
  void allocate(Rank) override {
    if (!has_rings_) throw std::bad_alloc();
  }
  PutPort* puts(std::size_t) override { throw std::bad_alloc(); }
  unsigned inputs() const override { return 0; }
  std::optional<RoutedPacket> head(Rank, Input) const override { return std::nullopt; }

 private:
  bool has_rings_;
};

/// Runs two workers, each with these nodes, and expects that the run fails with std::bad_alloc.
void expect_lack_of_memory(ScarceTopology& topology, const std::vector<Rank>& nodes) {
  const WorkerPlace worker{.core = 0, .package = 0, .numa = 0, .pus = {}, .nodes = nodes};
  const Placement placement{.workers = {worker, worker}, .oversubscribed = false, .reason = ""};
  termination::RunControl control(placement.workers.size(), std::chrono::seconds(10));
  WorkerPool(topology, placement, control, nullptr).run([] {}, [] {});
  ASSERT_TRUE(control.failure());
  EXPECT_THROW(std::rethrow_exception(control.failure()), RunFailed);
}

TEST(WorkerPool, ReportsThatMemoryRanOutForTheRings) {
  ScarceTopology topology(false);
  expect_lack_of_memory(topology, {0});
}

TEST(WorkerPool, ReportsThatMemoryRanOutWhenAWorkerStarts) {
  ScarceTopology topology(true);
  expect_lack_of_memory(topology, {});
}

}  // namespace
}  // namespace toroid::ring
