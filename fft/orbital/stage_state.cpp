#include "fft/orbital/stage_state.hpp"

#include <complex>
#include <cstddef>
#include <cstring>
#include <memory>

#include "fft/orbital/base.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/orbital/transform.hpp"
#include "fft/plan/description.hpp"
#include "packet/node/node.hpp"

namespace toroid {
namespace {

template <typename T>
class TypedStageState final : public OrbitalStageState {
 public:
  TypedStageState(Node& node, const Description& description, Way way)
      : plan_(orbital_plan(description, node.shape(), way)),
        transform_(node, plan_, node.reserve_handlers(OrbitalBase::kHandlers)) {}

  void put(const std::byte* block) override {
    std::memcpy(static_cast<void*>(transform_.input().data()), block, bytes());
  }
  void get(std::byte* block) override { std::memcpy(block, transform_.output().data(), bytes()); }
  OrbitalBase& transform() override { return transform_; }
  std::size_t bytes() const override {
    const auto b = static_cast<std::size_t>(plan_.block());
    return b * b * b * sizeof(T);
  }

 private:
  OrbitalPlan plan_;
  OrbitalTransform<T> transform_;
};

}  // namespace

std::unique_ptr<OrbitalStageState> OrbitalStageState::make(Node& node,
                                                           const Description& description,
                                                           Way way) {
  const bool single = description.precision == Precision::single;
  if (description.real && single)
    return std::make_unique<TypedStageState<float>>(node, description, way);
  if (description.real) return std::make_unique<TypedStageState<double>>(node, description, way);
  if (single) return std::make_unique<TypedStageState<std::complex<float>>>(node, description, way);
  return std::make_unique<TypedStageState<std::complex<double>>>(node, description, way);
}

}  // namespace toroid
