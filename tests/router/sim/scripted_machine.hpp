// A machine whose first node injects given headers, both valid and malformed ones.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "hal/counters.hpp"
#include "hal/device.hpp"
#include "hal/direction.hpp"
#include "hal/fabric.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "tests/router/sim/script.hpp"

namespace toroid::testing {

inline const Shape kScriptShape = Shape::parse("4x4m");

inline HeaderFields sound(Rank from, Rank to) {
  Random random(1);
  return {.destination = to,
          .hints = minimal_directions(kScriptShape, kScriptShape.coord(from),
                                      kScriptShape.coord(to), TieRule::parity, random),
          .chunks = 2};
}

inline PacketHeader changed(auto change) {
  HeaderFields fields = sound(0, 6);
  change(fields);
  return PacketHeader(fields);
}

/// One header of every malformed kind.
inline std::vector<PacketHeader> malformed() {
  const PacketHeader good{sound(0, 6)};
  return {changed([](auto& f) { f.destination = kScriptShape.size(); }),
          changed([](auto& f) { f.hints = DirectionSet(0xfff); }),
          changed([](auto& f) { f.hints = {}; }),
          changed([](auto& f) { f.hints = DirectionSet(0b1001); }),
          changed([](auto& f) { f.dynamic = false; }),
          changed([](auto& f) { f.deposit = true; }),
          changed([](auto& f) { f.payload_bytes = 240; }),
          PacketHeader(good.hardware_word() | 1ull << 63, good.software_word()),
          PacketHeader(good.hardware_word(), good.software_word() | 7ull << 24)};
}

/// Runs the machine in its constructor; node 0 injects `headers`.
class ScriptedMachine {
 public:
  ScriptedMachine(std::unique_ptr<Fabric> fabric, const std::vector<PacketHeader>& headers)
      : fabric_(std::move(fabric)) {
    for (Rank r = 0; r < fabric_->shape().size(); ++r) {
      scripts_.emplace_back(fabric_->device(r), r == 0 ? headers : std::vector<PacketHeader>{});
      fabric_->attach(r, scripts_.back());
    }
    fabric_->run();
  }
  const FabricCounters& counters() const { return fabric_->counters(); }
  Device& device(Rank r) { return fabric_->device(r); }
  std::size_t received() const {
    std::size_t sum = 0;
    for (const auto& script : scripts_) sum += script.received().size();
    return sum;
  }
  const Script& script(Rank r) const { return scripts_[r]; }

 private:
  std::unique_ptr<Fabric> fabric_;
  std::deque<Script> scripts_;
};

}  // namespace toroid::testing
