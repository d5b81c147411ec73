// The options that all processes of a run must have alike.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/options/cli_fwd.hpp"

namespace toroid {

/// The options whose values may differ from process to process, because they do not change the
/// result: each process has its own output files, cores and wisdom.
std::span<const std::string_view> own_options();

/// The other options of a parsed command with their values, typed or default, as texts: "verb fft",
/// "--size 64", "no --in". Of output files the text says only whether there is one: "no --out".
/// Commands of the same name give texts of the same options in the same order.
std::vector<std::string> agreed_options(const CLI::App& command);

}  // namespace toroid
