#include "tools/run/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "hal/check.hpp"
#include "tools/run/embedding_program.hpp"

namespace toroid {

bool is_terminal() {
  return ::isatty(STDOUT_FILENO) != 0;
}

std::size_t line_width() {
  constexpr std::size_t kLeast = 48, kElsewhere = 100;
  winsize size{};
  if (!is_terminal() || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return kElsewhere;
  return std::max<std::size_t>(kLeast, size.ws_col);
}

void print_now(std::string_view text) {
  if (EmbeddingProgram* const host = embedding_program()) return host->print(text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return;
  throw RunFailed("cannot write to standard output: " + std::generic_category().message(errno));
}

}  // namespace toroid
