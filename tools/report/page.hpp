// Makes the report: one HTML file that needs nothing else.
#pragma once

#include <cstddef>
#include <string>

#include "tools/report/inputs.hpp"

namespace toroid {

inline constexpr std::size_t kMostPageBytes = 5'000'000;

/// The page of the inputs. Where it would be longer than kMostPageBytes, recordings lose every
/// second sample until it fits, or until each has one sample left.
std::string report_page(ReportInputs inputs);

}  // namespace toroid
