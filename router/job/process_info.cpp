#include "router/job/process_info.hpp"

#include <fmt/core.h>
#include <limits.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <fstream>

#include "router/job/listening_socket.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

/// The boot id and the time namespace, because a container may have a clock of its own.
std::string kernel() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::array<char, 64> link{};
  const ssize_t size = ::readlink("/proc/self/ns/time", link.data(), link.size());
  return boot + ' ' +
         std::string(link.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
}

std::string host() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), HOST_NAME_MAX) == 0 ? name.data() : "unknown";
}

}  // namespace

ProcessInfo this_process() {
  return {.host = host(), .pid = ::getpid(), .address = {}, .kernel = kernel()};
}

std::string Roster::name(unsigned rank) const {
  const ProcessInfo& info = infos_[rank];
  if (info.host.empty() && info.address.empty()) return fmt::format("process {}", rank);
  if (info.host.empty()) return fmt::format("process {} (address {})", rank, info.address);
  const std::string place = places_[rank].empty() ? "" : ", " + places_[rank];
  return fmt::format("process {} (host {}, pid {}{})", rank, info.host, info.pid, place);
}

void Roster::replace_loopback() {
  for (ProcessInfo& info : infos_)
    if (is_loopback(info.address)) info.address = infos_[0].address;
}

void Roster::set_infos(std::vector<ProcessInfo> infos) {
  if (infos.size() != infos_.size()) throw Malformed("a table of a wrong size");
  infos_ = std::move(infos);
}

}  // namespace toroid::job
