#include "hal/checkpoint_archive.hpp"

#include <algorithm>

#include "hal/check.hpp"

namespace toroid {

void Archive::refuse() {
  throw BadInput("its content does not match this program");
}

void Archive::mark(std::uint32_t number) {
  std::uint32_t found = number;
  one(found);
  if (found != number) refuse();
}

/// The number of a known object; 0 for null.
std::uint32_t Archive::number_of(const void* object) const {
  if (object == nullptr) return 0;
  const auto found = std::ranges::find(objects_, object);
  TOROID_CHECK(found != objects_.end());
  return static_cast<std::uint32_t>(found - objects_.begin()) + 1;
}

void* Archive::object(std::uint32_t number) const {
  if (number == 0) return nullptr;
  if (std::size_t{number} > objects_.size()) refuse();
  return objects_[number - 1];
}

}  // namespace toroid
