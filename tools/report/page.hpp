// Makes the report: a single HTML file without external resources.
#pragma once

#include <cstddef>
#include <string>

#include "tools/report/inputs.hpp"

namespace toroid {

inline constexpr std::size_t kMostPageBytes = 5'000'000;

/// The page for the inputs. If it would be longer than kMostPageBytes, the recording with the most
/// samples joins every two of them. This is repeated until the page fits or each recording has one
/// sample left.
std::string report_page(ReportInputs inputs);

}  // namespace toroid
