#include "fft/orbital/transform.hpp"

#include "fft/plan/transform_kind.hpp"

namespace toroid::fft {

template <typename T>
OrbitalTransform<T>::OrbitalTransform(Node& node, const OrbitalPlan& plan, HandlerId first_handler)
    : OrbitalBase(node, plan, first_handler,
                  {plan.checked_for(node.size(), element_type<T>()).block_elements() * sizeof(T),
                   OrbitalProduct<T>(plan, plan.product_axis(0)).coefficient_bytes()}) {
  for (unsigned pair = 0; pair < plan.kStages; ++pair) {
    const unsigned axis = plan.product_axis(pair);
    products_.emplace_back(plan, axis);
    if (pair > 0)
      fixed_coefficients_.push_back(LocalArray::of_bytes(products_[pair].coefficient_bytes()));
    load_coefficients(pair);
    if (plan.by_factors(axis))
      factors_.emplace_back(plan, axis, block_number(pair + 1, axis), node.machine());
    else
      factors_.emplace_back();
  }
}

template <typename T>
std::byte* OrbitalTransform<T>::coefficients(unsigned pair) {
  return pair == 0 ? shifted_coefficients()
                   : fixed_coefficients_[pair - 1].template as<std::byte>();
}

/// Loads the coefficients that lead from this node's block of one array of the pair to its block of
/// the other array. For pair 0, whose coefficients are shifted, these are the coefficients of the
/// first step.
template <typename T>
void OrbitalTransform<T>::load_coefficients(unsigned pair) {
  const unsigned axis = plan().product_axis(pair);
  const unsigned before = block_number(pair, axis);
  const unsigned after = block_number(pair + 1, axis);
  const Sign sign = plan().options().sign;
  const bool forward = sign == Sign::forward;
  std::byte* const place = pair == 0 ? own_coefficients() : coefficients(pair);
  products_[pair].fill(place, sign, plan().size()[axis], forward ? before : after,
                       forward ? after : before);
}

template <typename T>
unsigned OrbitalTransform<T>::block_number(unsigned number, unsigned axis) const {
  return plan().home(number, node().rank())[axis];
}

template <typename T>
std::span<T> OrbitalTransform<T>::elements_at(std::byte* block) const {
  return {reinterpret_cast<T*>(block), plan().block_elements()};
}

template <typename T>
std::uint64_t OrbitalTransform<T>::multiply_blocks(const OrbitalStage& stage, bool add,
                                                   const OrbitalSlice& slice) {
  OrbitalProduct<T>& product = products_[stage.pair()];
  product.run(coefficients(stage.pair()), elements_at(array(stage.data)).data(), add,
              elements_at(array(stage.sum)).data(), {slice.first, slice.last - slice.first});
  return product.fmas_of_plane();
}

/// Works on the pair's second array, which is the one with the frequencies.
template <typename T>
Tick OrbitalTransform<T>::transform_lines(unsigned pair) {
  Factor& factor = factors_[pair];
  factor.run(array(pair + 1));
  return factor.cycles();
}

template class OrbitalTransform<float>;
template class OrbitalTransform<double>;
template class OrbitalTransform<std::complex<float>>;
template class OrbitalTransform<std::complex<double>>;

}  // namespace toroid::fft
