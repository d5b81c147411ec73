// The result of toroid fft, as JSON and as a table.
#pragma once

#include "tools/fft_options.hpp"
#include "tools/fft_run.hpp"
#include "tools/report.hpp"

namespace toroid {

Json fft_report(const FftOptions& options, const TransformJob& job, PlanBounds bounds,
                const Machine& machine, const Emulation& emulation, const Outcome& outcome);

std::string fft_table(const Json& report);

}  // namespace toroid
