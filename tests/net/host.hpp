// An emulated host: kernel namespaces with a network, a host name, shared memory and a boot id of
// their own. They have no names in the file system and disappear when nothing uses them any more,
// however the test ends.
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

/// This machine or user lacks a permission that the test needs: a reason to skip the test.
class NotPermitted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct HostIdentity {
  std::string name;
  std::string address;     ///< IPv4 address of its interface eth0, once it is linked
  std::string hosts_file;  ///< content of /etc/hosts
  std::string boot_id;     ///< boot id of its kernel
};

class Host {
 public:
  /// Makes a host whose loopback interface is up and that has no other link. Throws NotPermitted.
  explicit Host(HostIdentity identity);

  const std::string& name() const { return identity_.name; }
  const std::string& address() const { return identity_.address; }
  /// A path that names its network for `ip link ... netns`.
  std::string network_path() const;

  Process start(const Arguments& argv, const Environment& more = {},
                const std::filesystem::path& directory = std::filesystem::current_path()) const;
  /// Calls `action` on a thread in this host's network: sockets that it creates belong to that
  /// network.
  void in_network(const std::function<void()>& action) const;
  /// Runs ip(8) in this host's network.
  void ip(const Arguments& arguments) const;

  /// Gives the host's address to eth0, which must exist.
  void set_address() const;
  void take_link_down() const { ip({"link", "set", "eth0", "down"}); }
  /// Bytes through eth0 since it was created.
  std::uint64_t bytes_received() const { return field_of_eth0(0); }
  std::uint64_t bytes_sent() const { return field_of_eth0(8); }

 private:
  /// The number in column `wanted` (counted from 0) of the line of eth0 in /proc/net/dev.
  std::uint64_t field_of_eth0(unsigned wanted) const;
  void make_namespaces();

  HostIdentity identity_;
  FileDescriptor network_;
  FileDescriptor names_;
  FileDescriptor memory_;
  FileDescriptor mounts_;
};

/// Calls `action` on a new thread, waits for it, and rethrows its exception.
void on_a_thread(const std::function<void()>& action);

}  // namespace toroid::testing
