// The three kinds of failure.
//
// TOROID_CHECK: a programmer's error. The check stays on in every build, prints the place and the
// condition, and aborts.
// BadInput: something from the user cannot be used. One clear line; the command exits with 2.
// RunFailed: the run itself failed. One clear text; the command exits with 1.
// A function that cannot act at present has not failed: it is a [[nodiscard]] bool try_x().
#pragma once

#include <fmt/format.h>  // IWYU pragma: export

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace toroid {

/// The user's input cannot be used; what() is one line that says what was expected.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The run itself failed (a deadlock, a check of results); what() is one clear text.
class RunFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The text with control characters replaced by '?', for messages: user input, file names and text
/// from peers may contain line ends. Replaces those of ASCII and, in UTF-8, U+0080 to U+009F, which
/// terminals obey too.
std::string one_line(std::string text);
/// Whether one_line() would replace anything in the text.
bool has_control_characters(std::string_view text);

/// The last place up to `end` where the text can be cut without splitting a UTF-8 character. In
/// text that is not UTF-8, a place at most 3 bytes before `end`. REQUIRES: end <= text.size().
std::size_t character_end(std::string_view text, std::size_t end);

/// The text on one line, cut to 60 bytes and "..." if it is longer, so that messages stay readable:
/// values from files and options may be of any length. Never splits a UTF-8 character.
std::string shortened(std::string_view text);

/// Called by a failed TOROID_CHECK.
[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               const std::string& detail);

}  // namespace toroid

#define TOROID_CHECK(condition)                                              \
  do {                                                                       \
    if (!(condition)) [[unlikely]]                                           \
      ::toroid::check_failed(__FILE__, __LINE__, #condition, std::string()); \
  } while (false)

#define TOROID_CHECK_OP(a, op, b)                                                           \
  do {                                                                                      \
    const auto& toroid_check_a = (a);                                                       \
    const auto& toroid_check_b = (b);                                                       \
    if (!(toroid_check_a op toroid_check_b)) [[unlikely]]                                   \
      ::toroid::check_failed(__FILE__, __LINE__, #a " " #op " " #b,                         \
                             fmt::format("{} against {}", toroid_check_a, toroid_check_b)); \
  } while (false)

#define TOROID_CHECK_EQ(a, b) TOROID_CHECK_OP(a, ==, b)
#define TOROID_CHECK_LT(a, b) TOROID_CHECK_OP(a, <, b)
#define TOROID_CHECK_LE(a, b) TOROID_CHECK_OP(a, <=, b)
