// The volumetric 3-D FFT by active packets: blocks in, then phase after phase an all-to-all
// exchange and the transforms of one axis.
//
//   blocks --line z--> z lines, FFT --plane yz--> y lines, FFT --plane xy--> x lines, FFT [--line
//   x--> blocks]
//
// Axes that the machine does not split need no exchange: they are transformed first, together. If x
// is none of them, plane by plane, and each plane leaves while it is in the cache.
//
// Source: the volumetric FFT paper; see fft/decomposition.hpp. Its first phase's "return to the
// original distribution" and the second one's redistribution are one exchange, as the paper does
// it.
#pragma once

#include "fft/local_array.hpp"
#include "fft/volumetric_plan.hpp"

namespace toroid {

/// When a node went through a phase, in cycles.
struct PhaseTimes {
  Tick begin = 0;
  Tick exchanged = 0;
  Tick computed = 0;
};

/// One node's arrays and its part of the transforms. Construct before the node's first turn; it
/// must live until the fabric has stopped.
class VolumetricFft {
 public:
  static constexpr HandlerId kFirstHandler = kFirstUserHandler;

  VolumetricFft(Node& node, const VolumetricPlan& plan);

  /// This node's block of the array, to be set before the run, which leaves it as it is.
  std::span<Complex> input() { return arrays_.front(); }
  NodeLayout input_layout() const;
  /// This node's part of the result, unscaled, after the run.
  std::span<const Complex> output() const { return arrays_.back(); }
  NodeLayout output_layout() const;
  /// Of one repetition, phase by phase.
  std::span<const PhaseTimes> times(unsigned repetition = 0) const;
  unsigned repetitions() const { return plan_->options().repeat; }

  // What the program below is made of.
  std::size_t phases() const { return steps_.size(); }
  /// None: the phase needs none.
  const AllToAll* exchange(std::size_t phase) const { return steps_[phase].exchange.get(); }
  /// Packets that the exchange has received when a repetition's part of it is complete.
  std::uint64_t expected(unsigned repetition, std::size_t phase) const;
  /// Starts of its exchange that must have been sent before a phase begins.
  std::uint64_t starts_before(unsigned repetition, std::size_t phase) const {
    return phase == 1 && planes_ > 0 ? 0 : repetition;  // the planes wait for themselves
  }
  /// What stays here is copied, everything else starts on its way.
  void begin_phase(unsigned repetition, std::size_t phase);
  /// The exchange is complete: transforms the lines; the cycles that this takes.
  Tick transform(unsigned repetition, std::size_t phase);
  void end_phase(unsigned repetition, std::size_t phase);

  /// Planes of the first phase that are sent one by one; 0: it ends before the exchange begins.
  std::uint32_t planes() const { return planes_; }
  /// Into one of two buffers, so that the plane before may still be leaving the other.
  Tick transform_plane(unsigned repetition, std::uint32_t plane);
  /// Starts of the second phase's exchange before this plane's.
  std::uint64_t planes_before(unsigned repetition, std::uint32_t plane) const {
    return std::uint64_t{repetition} * planes_ + plane;
  }
  /// REQUIRES: the planes before have left.
  void send_plane(unsigned repetition, std::uint32_t plane);

 private:
  struct Step {
    std::unique_ptr<Redistribution> redistribution;
    std::unique_ptr<AllToAll> exchange;
    const LocalTransform* transform;
    Tick cycles;  ///< of the transform
  };
  Step step(std::size_t phase);
  std::unique_ptr<Redistribution> redistribution(std::size_t phase);
  std::unique_ptr<Redistribution> by_planes();
  std::unique_ptr<Redistribution> from_local_result();
  void transform_all_planes();
  std::span<Complex> plane_buffer(std::uint32_t plane);
  const Complex* input_plane(std::uint32_t plane) const;
  NodeLayout layout(Distribution distribution) const;
  PhaseTimes& time(unsigned repetition, std::size_t phase);

  Node* node_;
  const VolumetricPlan* plan_;
  std::vector<LocalArray> arrays_;  ///< [phase], one more than phases
  std::vector<Step> steps_;
  std::uint32_t planes_ = 0;
  std::vector<PhaseTimes> times_;  ///< [repetition][phase]
};

/// The node program.
Program volumetric_fft(Node& node, VolumetricFft& fft);

}  // namespace toroid
