// Reads the hosts of a run from a file like mpirun's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace toroid {

struct HostSlots {
  std::string name;  ///< for ssh: with or without a user, without brackets
  unsigned slots = 1;
};

/// The hosts of a file: one per line, with its slots as in "host slots=4", "host:4" or "[::1]:4",
/// or one slot; # begins a comment. The slots of a host that is listed again are added to its first
/// ones. Throws BadInput.
std::vector<HostSlots> load_hosts(const std::string& path);
/// The hosts in the text of a hosts file. `path`: the file's name, for messages.
std::vector<HostSlots> parse_hosts(std::string_view text, const std::string& path);
/// The host's name without the user.
std::string address_of(const HostSlots& host);

}  // namespace toroid
