// What the orbital transform cannot do, and what it could do instead.
#pragma once

#include "fft/orbital/plan.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// Throws BadInput; see OrbitalPlan.
void refuse_what_is_no_orbit(const CubeSize& size, const Shape& shape,
                             const OrbitalOptions& options);

}  // namespace toroid
