#include "router/job/process_info.hpp"

#include <fmt/core.h>
#include <limits.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/job.hpp"
#include "router/job/socket.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

/// The boot and the time namespace: the latter, because a container may have a clock of its own.
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

Message Roster::encode() const {
  Message table;
  for (const ProcessInfo& info : infos_) table.push_back(message_of(info));
  return table;
}

void Roster::decode(const Message& table) {
  for (std::size_t rank = 0; rank < infos_.size(); ++rank) infos_[rank] = info_of(table.at(rank));
}

Blob pack(const std::vector<Blob>& parts) {
  std::size_t size = 0;
  for (const Blob& part : parts) size += sizeof size + part.size();
  Blob packed;
  packed.reserve(size);
  for (const Blob& part : parts) {
    const Blob length = blob_of(std::uint64_t{part.size()});
    packed.insert(packed.end(), length.begin(), length.end());
    packed.insert(packed.end(), part.begin(), part.end());
  }
  return packed;
}

std::vector<Blob> unpack(Bytes packed, unsigned size) {
  std::vector<Blob> parts(size);
  const auto take = [&](std::uint64_t bytes) {
    if (bytes > packed.size()) throw Malformed("blobs are cut short");
    const Bytes taken = packed.first(bytes);
    packed = packed.subspan(bytes);
    return Blob(taken.begin(), taken.end());
  };
  for (Blob& part : parts) part = take(toroid::value_of<std::uint64_t>(take(sizeof(std::uint64_t))));
  return parts;
}

}  // namespace toroid::job
