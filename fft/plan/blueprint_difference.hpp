// What differs between two blueprints that should be equal.
#pragma once

#include <optional>

#include "fft/plan/blueprint.hpp"
#include "packet/node/agreement.hpp"

namespace toroid::fft {

/// The first difference between two blueprints for one machine, of which nodes make plans that run
/// together; none if they are equal. Fields that concern only a node's own work may differ; see
/// Description.
std::optional<Agreement::Difference> difference(const Blueprint& a, const Blueprint& b);
/// Everything that difference() compares, as text; of boxes, matrices and stages a checksum.
Agreement::Fields fields_of(const Blueprint& blueprint);

}  // namespace toroid::fft
