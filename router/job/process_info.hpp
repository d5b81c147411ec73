// Who the processes of a job are, and how messages name them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/job.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {

/// This process, without its address.
ProcessInfo this_process();

/// The processes of a job.
class Roster {
 public:
  explicit Roster(unsigned size) : infos_(size), places_(size) {}

  ProcessInfo& operator[](unsigned rank) { return infos_[rank]; }
  const ProcessInfo& operator[](unsigned rank) const { return infos_[rank]; }
  void set_place(unsigned rank, std::string place) { places_[rank] = std::move(place); }
  /// Job::name().
  std::string name(unsigned rank) const;
  /// Gives processes that are connected with process 0 over the loopback the address of process 0.
  void replace_loopback();

  Message encode() const;
  /// Takes over what encode() made. Throws as info_of().
  void decode(const Message& table);

 private:
  std::vector<ProcessInfo> infos_;
  std::vector<std::string> places_;
};

/// Packs blobs into one.
Blob pack(const std::vector<Blob>& parts);
/// The `size` blobs that pack() made one of. Throws Malformed.
std::vector<Blob> unpack(Bytes packed, unsigned size);

}  // namespace toroid::job
