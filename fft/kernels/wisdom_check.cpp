#include "fft/kernels/wisdom_check.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace toroid::fft::local {
namespace {

// Widths in bits of the three fields of FFTW's planner flags: what a plan must do, what it may do,
// and how much time it may take.
constexpr std::array<unsigned, 3> kFlagBits = {20, 20, 9};
constexpr unsigned kSignatureWords = 4;

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

/// Reads expected words from the front of a text. After a mismatch, holds() is false.
class Taker {
 public:
  explicit Taker(std::string_view text) : text_(text) {}

  bool holds() const { return holds_; }
  bool at(std::string_view next) const { return text_.starts_with(next); }
  bool empty() const { return text_.empty(); }

  void word(std::string_view expected) {
    if ((holds_ = holds_ && at(expected))) text_.remove_prefix(expected.size());
  }
  void name() {
    const auto end = std::ranges::find_if_not(text_, is_name);
    holds_ = holds_ && end != text_.begin();
    text_.remove_prefix(static_cast<std::size_t>(end - text_.begin()));
  }
  /// Takes a number of at most `bits` bits.
  void number(int base, unsigned bits) {
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data(), text_.data() + text_.size(), value, base);
    holds_ = holds_ && error == std::errc() && value >> bits == 0;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
  }
  void hexadecimal(unsigned bits) {
    word(" #x");
    number(16, bits);
  }
  void signature() {
    for (unsigned i = 0; i < kSignatureWords; ++i) hexadecimal(32);
  }

 private:
  std::string_view text_;
  bool holds_ = true;
};

/// Reads the line of one solver, for example:
/// "  (fftw_codelet_n1fv_4_avx 0 #x11bdd #x11bdd #x0 #xd5151a55 #xdb9a3ab9 #x41f91dac #x9a905f03)"
void take_solver(Taker& take) {
  take.word("  (");
  take.name();
  take.word(" ");
  take.number(10, 31);
  for (const unsigned bits : kFlagBits) take.hexadecimal(bits);
  take.signature();
  take.word(")\n");
}

}  // namespace

bool is_wisdom_list(std::string_view list) {
  Taker take(list);
  take.word("(");
  take.name();
  take.word(" ");
  take.name();
  take.signature();
  take.word("\n");
  while (take.holds() && !take.at(")")) take_solver(take);
  take.word(")");
  return take.holds() && take.empty();
}

}  // namespace toroid::fft::local
