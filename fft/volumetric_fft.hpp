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

#include <map>
#include <memory>

#include "fft/local_array.hpp"
#include "fft/volumetric_phases.hpp"

namespace toroid {

struct VolumetricOptions {
  Sign sign = Sign::forward;
  bool return_to_blocks = false;  ///< a last exchange puts the result into the input's layout
  unsigned repeat = 1;            ///< times that the same input is transformed; at least 1
  Rigor rigor = Rigor::estimate;
};

/// When a node went through a phase, in cycles.
struct PhaseTimes {
  Tick begin = 0;
  Tick exchanged = 0;
  Tick computed = 0;
};

/// What all nodes share: created once, by one thread, used for any number of transforms.
class VolumetricPlan {
 public:
  /// Throws BadInput where the array does not fit the machine; see Decomposition.
  VolumetricPlan(const Index& size, const Shape& shape, VolumetricOptions options,
                 const TransformLibrary& library = fftw_library());

  const Decomposition& decomposition() const { return decomposition_; }
  const VolumetricOptions& options() const { return options_; }
  std::span<const VolumetricPhase> phases() const { return phases_; }
  Distribution output_distribution() const { return phases_.back().distribution; }
  /// The transform of a phase that a node's part needs; none where there is nothing to transform.
  const LocalTransform* transform(const VolumetricPhase& phase, const NodeLayout& layout) const;
  /// Different ones among those.
  std::size_t transforms() const { return transforms_.size(); }
  /// Whether the first phase's transform is one of a single plane of equal x.
  bool by_planes() const {
    return !phases_[0].exchange && !phases_[0].axes[0] && phases_.size() > 1;
  }
  /// Where the first phase, if it has no exchange, leaves its result.
  NodeLayout local_result(const NodeLayout& blocks) const;

 private:
  LocalShape shape_of(const VolumetricPhase& phase, const NodeLayout& layout) const;

  Decomposition decomposition_;
  VolumetricOptions options_;
  std::vector<VolumetricPhase> phases_;
  std::map<LocalShape, std::unique_ptr<LocalTransform>> transforms_;
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
