// The hosts of a run, from a file as mpirun's users know them.
#pragma once

#include <string>
#include <vector>

namespace toroid {

struct HostSlots {
  std::string name;  ///< as ssh takes it, perhaps with a user
  unsigned slots = 1;
};

/// One host per line, perhaps with slots=K; # begins a comment. Throws BadInput.
std::vector<HostSlots> load_hosts(const std::string& path);
/// Without the user.
std::string address_of(const HostSlots& host);

}  // namespace toroid
