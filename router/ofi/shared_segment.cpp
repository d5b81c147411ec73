#include "router/ofi/shared_segment.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <mutex>

#include "hal/check.hpp"
#include "router/ofi/dev_shm_cleanup.hpp"

namespace toroid::ofi {
namespace {

std::string path_of(const std::string& name) {
  return kDevShm + name;
}

/// While it exists, a page of a mapped file for which there is no memory does not end the process:
/// this thread gets a private page in its place, and any() says so. libfabric fills a new segment
/// at once, and others can fill /dev/shm at any time, so no check beforehand would do.
class MissingPages {
 public:
  MissingPages() : only_(mutex()) {
    thread_ = ::gettid();
    missing_ = 0;
    struct sigaction action {};
    action.sa_sigaction = &replace_page;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGBUS, &action, &before_);
  }
  ~MissingPages() { ::sigaction(SIGBUS, &before_, nullptr); }
  MissingPages(const MissingPages&) = delete;

  bool any() const { return missing_ != 0; }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  /// A fault of another kind or thread happens again, and then the former handler gets it.
  static void replace_page(int number, siginfo_t* info, void*) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    void* const begin =
        static_cast<char*>(info->si_addr) - reinterpret_cast<std::uintptr_t>(info->si_addr) % page;
    if (info->si_code == BUS_ADRERR && thread_ == ::gettid() &&
        ::mmap(begin, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
               0) != MAP_FAILED)
      missing_ = 1;
    else
      ::sigaction(number, &before_, nullptr);
  }

  inline static pid_t thread_ = 0;
  inline static volatile std::sig_atomic_t missing_ = 0;
  inline static struct sigaction before_;
  std::unique_lock<std::mutex> only_;
};

constexpr std::uint64_t kMiB = 1u << 20;

/// Takes memory for all pages of a file. Returns false if there is no room.
bool take_pages(const std::string& name, off_t bytes) {
  const int file = ::open(path_of(name).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return false;
  int error = 0;
  do error = ::posix_fallocate(file, 0, bytes);
  while (error == EINTR);
  ::close(file);
  return error == 0;
}

off_t length_of(const std::string& name) {
  struct stat state {};
  return ::lstat(path_of(name).c_str(), &state) == 0 ? state.st_size : 0;
}

std::string room_text() {
  const std::optional<DevShmRoom> room = room_in_dev_shm();
  if (!room) return "there is no /dev/shm";
  return fmt::format("/dev/shm has too little room, {} of {} MiB are free", room->free, room->all);
}

}  // namespace

std::optional<DevShmRoom> room_in_dev_shm() {
  struct statvfs room {};
  if (::statvfs(kDevShm, &room) != 0) return std::nullopt;
  return DevShmRoom{room.f_bavail * room.f_frsize / kMiB, room.f_blocks * room.f_frsize / kMiB};
}

int create_segment(const std::string& name, const std::function<int()>& create,
                   const std::function<void()>& remove) {
  const MissingPages missing;
  if (const int error = create(); error != 0) return error;
  const off_t bytes = length_of(name);
  if (!missing.any() && bytes > 0 && take_pages(name, bytes)) return 0;
  const std::string room = room_text();
  remove();
  throw RunFailed(fmt::format("{}; libfabric's provider shm needs {} MiB for each process", room,
                              static_cast<std::uint64_t>(bytes) / kMiB));
}

void unlink_segment(const std::string& name) {
  ::unlink(path_of(name).c_str());
}

}  // namespace toroid::ofi
