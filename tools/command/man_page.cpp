#include "tools/command/help_man_completion.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tools/options/option_text.hpp"
#include "tools/options/option_values.hpp"
#include "tools/text/version.hpp"

namespace toroid {
namespace {

/// Escapes text for roff, so that hyphens of options stay hyphens and no line becomes a request.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else if (c == '\'')
      escaped += "\\(aq";
    else
      escaped += c;
  }
  return escaped.starts_with('.') ? "\\&" + escaped : escaped;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

/// For example "\fB\-o\fR, \fB\-\-out\fR \fIFILE\fR".
std::string man_heading(const OptionText& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += fmt::format("{}\\fB{}\\fR", text.empty() ? "" : ", ", roff(name));
  if (option.value.empty()) return text;
  return fmt::format("{}{}\\fI{}\\fR{}", text, text.empty() ? "" : " ", roff(option.value),
                     option.repeats ? "..." : "");
}

std::string man_entry(const OptionText& option) {
  return fmt::format(".TP\n{}\n{}\n", man_heading(option), roff(option.full_description()));
}

std::string man_options(const std::vector<OptionText>& options) {
  std::string text;
  for (const OptionText& option : options)
    if (option.is_argument()) text += man_entry(option);
  if (!text.empty()) text = ".SH ARGUMENTS\n" + text;
  text += ".SH OPTIONS\n";
  for (const std::string& group : option_groups(options)) {
    text += fmt::format(".SS {}\n", roff(group));
    for (const OptionText& option : options)
      if (!option.is_argument() && option.group == group) text += man_entry(option);
  }
  return text;
}

std::string man_commands(const CLI::App& app) {
  std::string text;
  std::string group;
  for (const CLI::App* command : commands_of(app)) {
    text += text.empty() ? ".SH VERBS\n" : "";
    if (command->get_group() != group) text += fmt::format(".SS {}\n", roff(command->get_group()));
    group = command->get_group();
    text += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", roff(man_page_name(*command)),
                        roff(command->get_description()));
  }
  return text;
}

std::string man_examples(const CLI::App& app) {
  std::string text;
  for (const Example& example : examples_of(app)) {
    text += text.empty() ? ".SH EXAMPLES\n" : "";
    if (!example.what.empty()) text += fmt::format(".PP\n{}:\n", roff(example.what));
    text += fmt::format(".PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", roff(example.command));
  }
  return text;
}

/// The references of a page. The page of a command refers to the page of toroid, which refers to
/// the pages of all commands.
std::string see_also(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  std::string text = ".SH SEE ALSO\n";
  if (parent != nullptr) return text + fmt::format("\\fB{}\\fR(1)\n", roff(parent->get_name()));
  std::string pages;
  for (const CLI::App* command : commands_of(app))
    pages +=
        fmt::format("{}\\fB{}\\fR(1)", pages.empty() ? "" : ",\n", roff(man_page_name(*command)));
  return text + pages + "\n";
}

constexpr std::string_view kExitStatus =
    ".SH EXIT STATUS\n"
    ".TP\n0\nsuccess\n"
    ".TP\n1\nthe run failed: a failed check, a deadlock, a process that died\n"
    ".TP\n2\nbad input: one line on standard error explains it; nothing has been written\n"
    ".TP\n130, 143\ninterrupted with a checkpoint: 128 plus the number of the signal\n";

}  // namespace

std::string man_page_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : parent->get_name() + "-" + app.get_name();
}

std::string man_page(const CLI::App& app) {
  const std::string name = man_page_name(app);
  std::string text = fmt::format(".TH \"{}\" 1 \"\" \"toroid {}\" \"User Commands\"\n",
                                 roff(upper(name)), kVersion);
  text += fmt::format(".SH NAME\n{} \\- {}\n", roff(name), roff(app.get_description()));
  text += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR{}\n", roff(full_name(app)),
                      roff(usage_of(app).substr(full_name(app).size())));
  text += man_commands(app) + man_options(option_texts(app)) + man_examples(app);
  return text.append(kExitStatus) + see_also(app);
}

}  // namespace toroid
