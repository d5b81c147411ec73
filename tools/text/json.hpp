// JSON that keeps keys in the order in which they were added.
#pragma once

#include <nlohmann/json.hpp>  // IWYU pragma: export

namespace toroid {

using Json = nlohmann::ordered_json;

}  // namespace toroid
