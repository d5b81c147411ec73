#include "tools/launch/shell.hpp"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "tools/launch/child.hpp"

#include "tools/command_line/shell_word.hpp"

namespace toroid {

/// By sh, whatever the user's own shell is. The watcher holds nothing of the command's output, so
/// that ssh ends with the command.
std::string remote_script(const std::string& directory, const Variables& variables,
                          const std::vector<std::string>& command) {
  std::string script = "IFS= read -r TOROID_JOB_KEY && export TOROID_JOB_KEY && cd " +
                       shell_word(directory) + " || exit 1\n";
  for (const auto& [name, value] : variables)
    script += fmt::format("export {}={}\n", name, shell_word(value));
  script += "exec 3<&0\n";
  for (const std::string& word : command) script += shell_word(word) + " ";
  script +=
      "</dev/null 3<&- &\n"
      "p=$!\n"
      "(cat <&3; kill -TERM $p; sleep 1; kill -KILL $p) >/dev/null 2>&1 &\n"
      "w=$!\n"
      "exec 3<&-\n"
      "{ wait $p; } 2>/dev/null\n"
      "s=$?\n"
      "kill $w 2>/dev/null\n"
      "exit $s\n";
  return "exec sh -c " + shell_word(script);
}

}  // namespace toroid
