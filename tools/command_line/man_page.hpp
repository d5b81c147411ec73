// Manual pages in man(7)'s macros, for man, mandoc and groff.
#pragma once

#include "tools/command_line/cli_fwd.hpp"

#include <string>

namespace toroid {

/// "toroid" or "toroid-fft": of which a page is, and the stem of its file's name.
std::string man_page_name(const CLI::App& app);

/// The page of a verb, or of the whole command, in section 1.
std::string man_page(const CLI::App& app);

}  // namespace toroid
