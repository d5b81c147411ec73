// The scales of Description::norm.
#pragma once

#include "fft/plan/description.hpp"

namespace toroid::fft {

/// The factor with which the results of one direction are multiplied, besides a call's Scale.
double norm_factor(const Description& description, Way way);

/// The Scale of a backward call that undoes a forward call without Scale.
Scale undoing_scale(const Description& description);

/// Sets AxisTransform::weighted of all axes as the norm asks.
void set_weights(Description& description);

}  // namespace toroid::fft
