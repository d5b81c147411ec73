#include "tests/net/host.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <thread>
#include <utility>

namespace toroid::testing {
namespace {

FileDescriptor open_namespace(const std::string& kind) {
  const std::string path = "/proc/thread-self/ns/" + kind;
  return FileDescriptor(succeeded(::open(path.c_str(), O_RDONLY | O_CLOEXEC), path.c_str()));
}

void mount_over(const char* what, const char* where, const char* type, unsigned long flags) {
  succeeded(::mount(what, where, type, flags, nullptr), where);
}

/// Gives the file at `path` this content, in this mount namespace only. /dev/shm must be writable.
void replace_file(const char* path, const std::string& content) {
  constexpr const char* kDraft = "/dev/shm/draft";
  std::ofstream(kDraft) << content;
  mount_over(kDraft, path, nullptr, MS_BIND);
  ::unlink(kDraft);
}

void unshare_all() {
  if (::unshare(CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNS) != 0)
    throw NotPermitted(std::string("namespaces are not permitted: ") + ::strerrordesc_np(errno));
}

}  // namespace

void on_a_thread(const std::function<void()>& action) {
  std::exception_ptr thrown;
  std::thread([&] {
    try {
      action();
    } catch (...) {
      thrown = std::current_exception();
    }
  }).join();
  if (thrown) std::rethrow_exception(thrown);
}

Host::Host(HostIdentity identity) : identity_(std::move(identity)) {
  on_a_thread([this] { make_namespaces(); });
  ip({"link", "set", "lo", "up"});
}

void Host::make_namespaces() {
  unshare_all();
  mount_over("none", "/", nullptr, MS_REC | MS_PRIVATE);
  mount_over("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV);
  replace_file("/etc/hosts", identity_.hosts_file);
  replace_file("/proc/sys/kernel/random/boot_id", identity_.boot_id + '\n');
  succeeded(::sethostname(identity_.name.data(), identity_.name.size()), "sethostname");
  network_ = open_namespace("net");
  names_ = open_namespace("uts");
  memory_ = open_namespace("ipc");
  mounts_ = open_namespace("mnt");
}

std::string Host::network_path() const {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(network_.get());
}

Process Host::start(const Arguments& argv, const Environment& more,
                    const std::filesystem::path& directory) const {
  return Process(
      argv, more,
      {{network_.get(), names_.get(), memory_.get(), mounts_.get()}, absolute(directory)});
}

void Host::in_network(const std::function<void()>& action) const {
  on_a_thread([&] {
    succeeded(::setns(network_.get(), CLONE_NEWNET), "setns");
    action();
  });
}

void Host::ip(const Arguments& arguments) const {
  run_tool(Arguments{"ip"} + arguments, {.namespaces = {network_.get()}});
}

void Host::set_address() const {
  ip({"address", "add", address() + "/24", "dev", "eth0"});
  ip({"link", "set", "eth0", "up"});
}

std::uint64_t Host::field_of_eth0(unsigned wanted) const {
  std::uint64_t value = 0;
  in_network([&] {
    std::ifstream table("/proc/thread-self/net/dev");
    std::string name;
    while (table >> name && name != "eth0:") continue;
    for (unsigned field = 0; field <= wanted; ++field) table >> value;
  });
  return value;
}

}  // namespace toroid::testing
