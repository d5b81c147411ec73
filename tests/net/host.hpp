// A host as far as programs can tell: namespaces of the kernel with a network, a host name, shared
// memory and a boot id of their own. They have no names in the file system and go when nothing
// uses them any more, however the test ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "tests/net/file_descriptor.hpp"
#include "tests/net/process.hpp"
#include "tests/tools/run_process.hpp"

namespace toroid::testing {

/// This machine or user may not do what the test needs: a reason to skip it.
class NotPermitted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct HostIdentity {
  std::string name;
  std::string address;     ///< IPv4, of its interface eth0 once it is linked
  std::string hosts_file;  ///< content of /etc/hosts
  std::string boot_id;     ///< of its kernel
};

class Host {
 public:
  /// Its loopback interface is up; it is not linked to anything. Throws NotPermitted.
  explicit Host(HostIdentity identity);

  const std::string& name() const { return identity_.name; }
  const std::string& address() const { return identity_.address; }
  /// A path that names its network for `ip link ... netns`.
  std::string network_path() const;

  Process start(const Arguments& argv, const Environment& more = {},
                const std::filesystem::path& directory = std::filesystem::current_path()) const;
  /// Calls `action` on a thread that is in this host's network: sockets that it makes stay there.
  void in_network(const std::function<void()>& action) const;
  /// Runs ip(8) in this host's network.
  void ip(const Arguments& arguments) const;

  /// Gives eth0, which is there already, the host's address.
  void set_address() const;
  void take_link_down() const { ip({"link", "set", "eth0", "down"}); }
  /// By eth0, since it exists.
  std::uint64_t bytes_received() const { return field_of_eth0(0); }
  std::uint64_t bytes_sent() const { return field_of_eth0(8); }

 private:
  /// Of /proc/net/dev.
  std::uint64_t field_of_eth0(unsigned wanted) const;
  void make_namespaces();

  HostIdentity identity_;
  FileDescriptor network_;
  FileDescriptor names_;
  FileDescriptor memory_;
  FileDescriptor mounts_;
};

/// Calls `action` on a thread of its own and waits for it; passes its exception on.
void on_a_thread(const std::function<void()>& action);

}  // namespace toroid::testing
