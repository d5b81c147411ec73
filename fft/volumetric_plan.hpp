// What the volumetric FFT needs to know before it runs: phases, layouts and serial transforms.
#pragma once

#include <map>
#include <memory>

#include "fft/volumetric_phases.hpp"

namespace toroid {

struct VolumetricOptions {
  Sign sign = Sign::forward;
  bool return_to_blocks = false;  ///< a last exchange puts the result into the input's layout
  unsigned repeat = 1;            ///< times that the same input is transformed; at least 1
  Rigor rigor = Rigor::estimate;
  std::uint32_t packets_per_visit = 1;  ///< of the exchanges: the patent's b
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

}  // namespace toroid
