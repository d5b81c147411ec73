// The volumetric 3-D FFT by active packets: blocks in, three phases, each an all-to-all exchange
// and the line transforms of one axis.
//
//   blocks --line z--> z lines, FFT --plane yz--> y lines, FFT --plane xy--> x lines, FFT [--line
//   x--> blocks]
//
// Source: the volumetric FFT paper; see fft/decomposition.hpp. Its first phase's "return to the
// original distribution" and the second one's redistribution are one exchange, as the paper does
// it.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "fft/line_transform.hpp"
#include "fft/redistribution.hpp"

namespace toroid {

struct VolumetricOptions {
  Sign sign = Sign::forward;
  bool return_to_blocks = false;  ///< a fourth exchange puts the result into the input's layout
};

/// One phase's exchange and, but for the return, the axis whose lines it transforms.
struct VolumetricPhase {
  std::string_view name;
  Exchange exchange;
  int axis;  ///< -1: no transform
};
std::span<const VolumetricPhase> volumetric_phases(const VolumetricOptions& options);

/// When a node went through a phase, in cycles.
struct PhaseTimes {
  Tick begin = 0;
  Tick exchanged = 0;
  Tick computed = 0;
};

/// What all nodes share: created once, used for any number of transforms.
class VolumetricPlan {
 public:
  /// Throws BadInput where the array does not fit the machine; see Decomposition.
  VolumetricPlan(const Index& size, const Shape& shape, VolumetricOptions options,
                 const LineTransformLibrary& library = fftw_lines());

  const Decomposition& decomposition() const { return decomposition_; }
  const VolumetricOptions& options() const { return options_; }
  std::span<const VolumetricPhase> phases() const { return volumetric_phases(options_); }
  const LineTransform& lines(int axis) const { return *lines_[static_cast<std::size_t>(axis)]; }
  Distribution output_distribution() const { return phases().back().exchange.to; }

 private:
  Decomposition decomposition_;
  VolumetricOptions options_;
  std::array<std::unique_ptr<LineTransform>, 3> lines_;
};

/// One node's arrays and its part of one transform. Construct before the node's first turn; it must
/// live until the fabric has stopped.
class VolumetricFft {
 public:
  static constexpr HandlerId kFirstHandler = kFirstUserHandler;

  VolumetricFft(Node& node, const VolumetricPlan& plan);

  /// This node's block of the array, to be set before the run.
  std::span<Complex> input() { return arrays_.front(); }
  NodeLayout input_layout() const;
  /// This node's part of the result, unscaled, after the run.
  std::span<const Complex> output() const { return arrays_.back(); }
  NodeLayout output_layout() const;
  std::span<const PhaseTimes> times() const { return times_; }

  // What the program below is made of.
  std::size_t phases() const { return steps_.size(); }
  const AllToAll& exchange(std::size_t phase) const { return *steps_[phase].exchange; }
  /// What stays here is copied, everything else starts on its way.
  void start_exchange(std::size_t phase);
  /// The exchange is complete: transforms the lines; the cycles that this takes.
  Tick transform(std::size_t phase);
  void end_phase(std::size_t phase) { times_[phase].computed = node_->now(); }

 private:
  struct Step {
    std::unique_ptr<Redistribution> redistribution;
    std::unique_ptr<AllToAll> exchange;
  };
  NodeLayout layout(Distribution distribution) const;

  Node* node_;
  const VolumetricPlan* plan_;
  std::vector<std::vector<Complex>> arrays_;  ///< [phase], one more than phases
  std::vector<Step> steps_;
  std::vector<PhaseTimes> times_;
};

/// The node program.
Program volumetric_fft(Node& node, VolumetricFft& fft);

}  // namespace toroid
