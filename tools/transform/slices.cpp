#include "tools/transform/slices.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "fft/plan/transform_kind.hpp"
#include "tools/report/array_slices.hpp"
#include "tools/report/slice.hpp"

namespace toroid {
namespace {

/// Axes beyond the third have the DFT.
SpectrumOrder order_of(const fft::Description& description) {
  SpectrumOrder order;
  order.kinds.assign(description.size.size(), fft::TransformKind::dft);
  for (std::size_t a = 0; a < std::min(order.kinds.size(), description.kinds.size()); ++a)
    order.kinds[a] = description.kinds[a].kind;
  if (fft::keeps_half(description))
    order.half_of = fft::kept_of(description.size.back(), description.box_cut);
  return order;
}

}  // namespace

Json slices_json(const TransformJob& job, const HostArray& input, const HostArray& result) {
  const bool is_forward = job.way == fft::Way::forward;
  const HostArray& density = is_forward ? input : result;
  const HostArray& spectrum = is_forward ? result : input;
  Json slices = Json::array();
  for (const Slice& slice : density_slices(density)) slices.push_back(slice.to_json());
  if (job.loops > 0) return slices;  // whose result is the density again
  for (const Slice& slice : spectrum_slices(spectrum, order_of(job.blueprint->description())))
    slices.push_back(slice.to_json());
  return slices;
}

}  // namespace toroid
