#include "hal/injection_fifo.hpp"

#include "hal/check.hpp"

namespace toroid {
namespace {

/// The number of slots. Each link belongs to one slot. The slots are dealt out to the FIFOs in
/// turn, so that several FIFOs may share a slot, or one FIFO may have several slots. A FIFO serves
/// the links of its slots.
unsigned slots_of(const Shape& shape, FifoTying tying) {
  if (tying == FifoTying::any) return 1;
  return tying == FifoTying::per_dimension ? shape.dims() : shape.links();
}

unsigned slot_of(Direction direction, FifoTying tying) {
  if (tying == FifoTying::any) return 0;
  return tying == FifoTying::per_dimension ? direction.dim() : direction.index;
}

}  // namespace

InjectionFifos::InjectionFifos(std::span<const InjectionFifo> fifos)
    : count_(static_cast<unsigned>(fifos.size())) {
  TOROID_CHECK_LE(fifos.size(), kMost);
  for (unsigned f = 0; f < count_; ++f) {
    TOROID_CHECK_LE(fifos[f].capacity, kMostChunks);
    TOROID_CHECK_LE(fifos[f].used, fifos[f].capacity);
    Half& half = halves_[f / kLanes];
    half.used[f % kLanes] = static_cast<std::uint16_t>(fifos[f].used);
    half.room[f % kLanes] = static_cast<std::uint16_t>(fifos[f].capacity - fifos[f].used);
    half.directions[f % kLanes] = static_cast<std::uint16_t>(fifos[f].directions.bits());
  }
}

std::vector<InjectionFifo> tie_fifos(const Shape& shape, unsigned count, unsigned capacity,
                                     FifoTying tying) {
  TOROID_CHECK_LT(0u, count);
  std::vector<InjectionFifo> fifos(count, InjectionFifo{.directions = {}, .capacity = capacity});
  const unsigned slots = slots_of(shape, tying);
  for (unsigned f = 0; f < std::max(count, slots); ++f)
    for (unsigned l = 0; l < shape.links(); ++l) {
      const Direction direction{static_cast<std::uint8_t>(l)};
      if (slot_of(direction, tying) == f % slots) fifos[f % count].directions.add(direction);
    }
  return fifos;
}

}  // namespace toroid
