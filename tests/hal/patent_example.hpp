// The patent's own example of FIGS. 9 and 10: node Q11 of a 3x3 torus sends to the eight others in
// the order {Q32 Q22 Q13 Q21 Q23 Q33 Q12 Q31}. In Qrc, r counts along Y and c along X; in our shape
// dimension 0 is X and dimension 1 is Y.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/direction.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "tests/hal/descriptors.hpp"

namespace toroid::testing::patent {

inline const Shape& torus() {
  static const Shape shape = Shape::parse("3x3");
  return shape;
}

/// q(32) is Q32.
inline Rank q(unsigned rc) {
  Coord coord;
  coord[0] = static_cast<std::uint8_t>(rc % 10 - 1);
  coord[1] = static_cast<std::uint8_t>(rc / 10 - 1);
  return torus().rank(coord);
}

inline const std::vector<unsigned> kRandomMap = {32, 22, 13, 21, 23, 33, 12, 31};

inline SendOrder random_map() {
  std::vector<Rank> peers;
  for (const unsigned rc : kRandomMap) peers.push_back(q(rc));
  return SendOrder(peers);
}

inline DirectionSet hints_to(Rank peer) {
  Random random(1);
  return minimal_directions(torus(), torus().coord(q(11)), torus().coord(peer), TieRule::parity,
                            random);
}

inline SendDescriptor element(Rank peer, std::uint32_t /*packet*/, std::uint32_t /*limit*/) {
  return testing::descriptor(hints_to(peer), peer);
}

}  // namespace toroid::testing::patent
