// Who the processes of a job are, and what they are called.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/job.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {

/// All but the address.
ProcessInfo this_process();

class Roster {
 public:
  explicit Roster(unsigned size) : infos_(size), places_(size) {}

  ProcessInfo& operator[](unsigned rank) { return infos_[rank]; }
  const ProcessInfo& operator[](unsigned rank) const { return infos_[rank]; }
  void set_place(unsigned rank, std::string place) { places_[rank] = std::move(place); }
  std::string name(unsigned rank) const;
  /// A process that reaches process 0 by the loopback is reached as process 0 is.
  void replace_loopback();

  Blob encode(std::uint64_t session) const;
  /// Returns the session. Throws Malformed.
  std::uint64_t decode(Bytes table);

 private:
  std::vector<ProcessInfo> infos_;
  std::vector<std::string> places_;
};

/// Blobs by rank as one.
Blob pack(const std::vector<Blob>& parts);
/// Throws Malformed.
std::vector<Blob> unpack(Bytes packed, unsigned size);

}  // namespace toroid::job
