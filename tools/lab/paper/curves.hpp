// Figures 2 to 5 of the volumetric FFT paper, time and speed-up from 1 node to 2,048 beside those
// of the slab method. The paper's figures are pictures; the section's rows have the numbers of its
// text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fft/plan/description.hpp"
#include "tools/lab/paper/simulation.hpp"

namespace toroid {

inline constexpr std::string_view kCurves = "curves";  ///< the section

/// A point of the paper's Figures 2 to 5.
struct CurvePoint {
  std::int64_t size = 0;
  unsigned nodes = 0;
  std::string torus;
  fft::Method method = fft::Method::volumetric;
  fft::Layer layer = fft::Layer::packets;
  double time_s = 0;
  double bound_s = 0;
  std::string bound_by;
  double model_s = 0;  ///< the paper's estimate, on a mesh below 512 nodes and a torus above
  double speedup = 0;  ///< against the same method on one node
  /// time·nodes^(2/3) in s, constant where bandwidth alone limits.
  double scaled_s() const;
};

/// The runs of all points.
std::vector<Simulation> curve_simulations();
/// The points of the runs that were made, by size, nodes and method.
std::vector<CurvePoint> curve_points(const PaperResults& results, const PaperSetting& setting);
/// The points as lines of at most `width` characters.
std::string curves_table(const std::vector<CurvePoint>& points, std::size_t width);

}  // namespace toroid
