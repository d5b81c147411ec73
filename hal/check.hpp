// The three kinds of failure.
//
// TOROID_CHECK: a programmer's error. The check is active in every build. If it fails, it prints
// its place in the source and its condition, and aborts. TOROID_CHECK_IN_CHECKED_BUILD is the same
// for the paths of every packet, where a check would take time: it is active in builds with the
// CMake option TOROID_CHECKED only. The two check the preconditions that comments state.
// BadInput: the user's input cannot be used. The command prints one clear line and exits with 2.
// RunFailed: the run itself failed. The command prints one clear text and exits with 1.
// It is not a failure if a function cannot act now but may be able to later. Such a function is
// named try_x() and returns a [[nodiscard]] bool.
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

/// The text with every control character replaced by '?', so that it can be part of a message: user
/// input, file names and text from peers may contain line ends. Control characters are those of
/// ASCII and, in UTF-8, U+0080 to U+009F, because terminals obey these too.
std::string one_line(std::string text);
/// Whether one_line() would replace anything in the text.
bool has_control_characters(std::string_view text);

/// The last place up to `end` where the text can be cut without splitting a UTF-8 character. In
/// text that is not UTF-8, a place at most 3 bytes before `end`. REQUIRES: end <= text.size().
std::size_t character_end(std::string_view text, std::size_t end);

/// The text on one line. If it has more than 60 bytes, it is cut after at most 60 and "..." is
/// appended, so that messages stay readable: values from files and options may be of any length.
/// The cut never splits a UTF-8 character.
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

#ifdef TOROID_CHECKED
#define TOROID_CHECK_IN_CHECKED_BUILD(condition) TOROID_CHECK(condition)
#else  // the condition must compile in every build
#define TOROID_CHECK_IN_CHECKED_BUILD(condition) static_cast<void>(sizeof(!(condition)))
#endif
