// Figures 2 to 5 of the volumetric FFT paper: time and speed-up on 1 to 2,048 nodes, beside those
// of the slab method. The paper has the figures only as pictures, so the points have no published
// numbers. The rows of section `curves` compare the numbers that the paper's text states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fft/plan/description.hpp"
#include "tools/lab/paper/simulation.hpp"

namespace toroid {

inline constexpr std::string_view kCurves = "curves";  ///< name of the section

/// One point of the paper's Figures 2 to 5.
struct CurvePoint {
  std::int64_t size = 0;
  unsigned nodes = 0;
  std::string torus;
  fft::Method method = fft::Method::volumetric;
  fft::Layer layer = fft::Layer::packets;
  double time_s = 0;
  double bound_s = 0;
  std::string bound_by;
  /// The paper's estimate, which assumes a mesh below 512 nodes and otherwise a torus.
  double model_s = 0;
  double speedup = 0;  ///< relative to the same method on one node
  /// time·nodes^(2/3) in s; constant if only bandwidth limits the time.
  double scaled_s() const;
};

/// The runs for all points.
std::vector<Simulation> curve_simulations();
/// The points of the runs that were made, ordered by size, nodes and method.
std::vector<CurvePoint> curve_points(const PaperResults& results, const PaperSetting& setting);
/// The points as text lines of at most `width` characters.
std::string curves_table(const std::vector<CurvePoint>& points, std::size_t width);

}  // namespace toroid
