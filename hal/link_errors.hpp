// Link errors: the kinds of faults, their rates, and the random draw of the faults of a link.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/random.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// A fault of one transmission: of a packet on a link, or of a frame between two processes.
enum class LinkFault : std::uint8_t {
  drop,       ///< it does not arrive
  corrupt,    ///< it arrives damaged, and its CRC does not match
  duplicate,  ///< it arrives twice
  reorder,    ///< it arrives after the next one
  delay,      ///< it arrives late, in order
  silent      ///< it arrives damaged with a matching CRC: only the CRCs over all packets reveal it
};
inline constexpr std::array<std::string_view, 6> kLinkFaultNames = {
    "drop", "corrupt", "duplicate", "reorder", "delay", "silent"};

/// A set of LinkFaults, as bits.
using LinkFaultSet = std::uint8_t;
constexpr LinkFaultSet set_of(LinkFault fault) {
  return static_cast<LinkFaultSet>(1u << static_cast<unsigned>(fault));
}
/// All faults that the links' protocol notices: everything but silent.
inline constexpr LinkFaultSet kNoticedFaults =
    static_cast<LinkFaultSet>(set_of(LinkFault::silent) - 1u);

/// The errors of a machine's links. If `rates` is empty, packets on links have neither number nor
/// CRC.
struct LinkErrors {
  struct Rate {
    double errors;     ///< per transmission, from 0 to kMostErrors
    std::string link;  ///< "(0,0,0)X+": from this node in this direction; empty for every link
  };
  static constexpr double kMostErrors = 0.5;

  std::vector<Rate> rates;               ///< later ones override earlier ones; if empty, links are
                                         ///< not checked
  LinkFaultSet faults = kNoticedFaults;  ///< drawn with equal chances
  unsigned burst = 1;                    ///< number of faulty transmissions in a row
  std::uint64_t limit = 0;               ///< a link fails after this many errors; never if 0

  /// Whether transmissions are numbered, checked and repeated.
  bool are_checked() const { return !rates.empty(); }
};

/// Parses "1e-4" or "1e-3@(0,0,0)X+". Throws BadInput.
LinkErrors::Rate parse_link_error(std::string_view text);
/// Parses "drop,corrupt", or "all" (all but silent). Throws BadInput.
LinkFaultSet parse_link_faults(std::string_view text);

/// The rates of all links, [rank · shape.links() + direction]. Throws BadInput if `errors` names a
/// link that the shape lacks.
std::vector<double> link_error_rates(const Shape& shape, const LinkErrors& errors);

/// The faults of one link, drawn in the order of its transmissions. They are the same on every
/// fabric and in every build, because random integers are compared with integer thresholds, and the
/// thresholds are computed by additions, subtractions, multiplications and divisions only.
class LinkFaultDraw {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  /// Makes a draw for a link without faults.
  LinkFaultDraw() : LinkFaultDraw({}, 0, 0, 0) {}
  /// `link`: a unique number for each direction of each link.
  LinkFaultDraw(const LinkErrors& errors, double rate, std::uint64_t seed, std::uint64_t link);

  /// The fault of the next transmission, if any.
  std::optional<LinkFault> next() {
    if (sound_ > 0) [[likely]] {
      --sound_;
      return std::nullopt;
    }
    return fault();
  }
  /// Returns the number of good transmissions before the next fault, or kNever if no fault comes.
  /// The caller counts these transmissions itself, without next(), and then calls fault().
  std::uint64_t take_sound() {
    const std::uint64_t sound = sound_;
    sound_ = 0;
    return sound;
  }
  /// The fault of the next transmission. REQUIRES: no good transmission is left before it.
  LinkFault fault();

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(random_, sound_, burst_left_);
  }

 private:
  std::uint64_t gap();

  Random random_;
  double rate_;  ///< bursts per transmission
  LinkFaultSet faults_;
  unsigned burst_;
  std::uint64_t sound_;      ///< good transmissions before the next fault
  unsigned burst_left_ = 0;  ///< faults left in this burst
};

}  // namespace toroid
