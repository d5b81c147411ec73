# Writes version.hpp; run at every build, touches the file only when something changed.
execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE hash OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT hash)
  set(hash unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#pragma once
#include <string_view>
namespace toroid {
inline constexpr std::string_view kVersion = "@VERSION@";
inline constexpr std::string_view kGitHash = "@hash@";
}  // namespace toroid
]] @ONLY)
