// The report: one HTML file that needs nothing else.
#pragma once

#include <cstddef>
#include <string>

#include "tools/report/inputs.hpp"

namespace toroid {

inline constexpr std::size_t kMostPageBytes = 5'000'000;

/// Where it would be longer than kMostPageBytes, recordings lose every second sample until it is
/// not, or until each has one sample left.
std::string report_page(ReportInputs inputs);

}  // namespace toroid
