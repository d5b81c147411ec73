#include "tools/policies/policy_library.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include "hal/check.hpp"
#include "packet/policies/policy.hpp"
#include "tools/io/file_sum.hpp"

namespace toroid {
namespace {

std::string_view library_path(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  return colon == std::string_view::npos ? text : text.substr(0, colon);
}

}  // namespace

bool names_policy_library(std::string_view text) {
  return library_path(text).ends_with(".so");
}

const Policy& policy_from_library(std::string_view text) {
  throw BadInput("policy " + std::string(text) + ": libraries cannot be loaded");
}

std::string policy_library_sum(std::string_view text) {
  return file_sum(std::string(library_path(text)));
}

}  // namespace toroid
