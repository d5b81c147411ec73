// Runs of toroid fft that check themselves.
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/values.hpp"

namespace toroid::testing {

/// Runs with --check, expects an error of at most `tolerance`, and returns the report. --check
/// itself fails beyond its own tolerance.
inline nlohmann::json expect_right(const Arguments& run, double tolerance = kTolerance) {
  SCOPED_TRACE(::testing::PrintToString(run));
  const nlohmann::json report = json_of(run + Arguments{"--check"});
  EXPECT_LE(report["l2_error"].get<double>(), tolerance);
  return report;
}

}  // namespace toroid::testing
