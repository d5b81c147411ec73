// Failures that threads hand to the end of a run, as exceptions with a text.
#pragma once

#include <exception>
#include <string>

#include "hal/check.hpp"
#include "hal/shape.hpp"

namespace toroid::termination {

/// A RunFailed with the text that `text` returns. If memory does not suffice for it, the lack of
/// memory is the failure: an exception that left a thread would end the process.
template <typename Text>
std::exception_ptr failure_with(const Text& text) noexcept {
  try {
    throw RunFailed(text());
  } catch (...) {
    return std::current_exception();
  }
}

/// What an exception says.
std::string text_of(const std::exception_ptr& error);

/// A failure with the text of an exception from a node's turn, after the node's coordinates.
std::exception_ptr node_failure(const Shape& shape, Rank node,
                                const std::exception_ptr& error) noexcept;
/// The same for an exception that does not come from a node.
std::exception_ptr run_failure(const std::exception_ptr& error) noexcept;

}  // namespace toroid::termination
