#include "tools/fft_slices.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "fft/description.hpp"
#include "fft/half.hpp"
#include "fft/transform_kind.hpp"
#include "tools/array_io.hpp"
#include "tools/fft_run.hpp"
#include "tools/json.hpp"
#include "tools/report/array_slices.hpp"
#include "tools/report/slice.hpp"

namespace toroid {
namespace {

/// Axes beyond the third have the DFT.
SpectrumOrder order_of(const Description& description) {
  SpectrumOrder order;
  order.kinds.assign(description.size.size(), TransformKind::dft);
  for (std::size_t a = 0; a < std::min(order.kinds.size(), description.kinds.size()); ++a)
    order.kinds[a] = description.kinds[a];
  if (keeps_half(description)) order.half_of = description.size.back() / description.box_cut;
  return order;
}

}  // namespace

Json slices_json(const TransformJob& job, const HostArray& input, const HostArray& result) {
  const bool is_forward = job.way == Way::forward;
  const HostArray& density = is_forward ? input : result;
  const HostArray& spectrum = is_forward ? result : input;
  Json slices = Json::array();
  for (const Slice& slice : density_slices(density)) slices.push_back(slice.to_json());
  for (const Slice& slice : spectrum_slices(spectrum, order_of(job.blueprint->description())))
    slices.push_back(slice.to_json());
  return slices;
}

}  // namespace toroid
