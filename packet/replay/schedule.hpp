// What every rank sends, receives and computes, and which operations wait for which: a run without
// its data.
// Source of the model: GOAL by Hoefler, Siebert and Lumsdaine, "Group Operation Assembly Language"
// (ICPP 2009).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hal/shape.hpp"

namespace toroid {

/// The longest message that a file may contain, in bytes.
inline constexpr std::uint64_t kMostMessageBytes = std::uint64_t{1} << 40;

/// The latest time that a file may contain, in seconds from the start. Even in cycles of the
/// fastest clock it fits a Tick.
inline constexpr double kMostSeconds = 1e6;

struct Operation {
  enum class Kind : std::uint8_t { send, receive, compute };
  Kind kind = Kind::compute;
  Rank peer = 0;             ///< destination or source
  std::uint32_t tag = 0;     ///< tag of a message
  std::uint32_t line = 0;    ///< line of the file that it comes from
  std::uint64_t amount = 0;  ///< bytes of a message, nanoseconds of a computation
  double not_before = 0;     ///< seconds from the start
};

/// One operation of a rank waits for another. Both are indices in the rank's list.
struct Dependency {
  std::uint32_t operation;
  std::uint32_t on;
  bool on_start;  ///< wait only until the other has begun: GOAL's irequires
};

struct RankSchedule {
  std::vector<Operation> operations;
  std::vector<Dependency> dependencies;
};

struct Schedule {
  std::string name;  ///< name of the file
  std::vector<RankSchedule> ranks;
};

}  // namespace toroid
