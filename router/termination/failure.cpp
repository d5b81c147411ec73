#include "router/termination/failure.hpp"

#include <fmt/core.h>

namespace toroid::termination {

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "threw something that is not a std::exception";
  }
}

std::exception_ptr node_failure(const Shape& shape, Rank node,
                                const std::exception_ptr& error) noexcept {
  return failure_with(
      [&] { return fmt::format("node {}: {}", shape.coord_text(node), text_of(error)); });
}

std::exception_ptr run_failure(const std::exception_ptr& error) noexcept {
  return failure_with([&] { return text_of(error); });
}

}  // namespace toroid::termination
