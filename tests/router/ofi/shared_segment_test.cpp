#include "router/ofi/shared_segment.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "hal/check.hpp"
#include "router/ofi/dev_shm_cleanup.hpp"

namespace toroid {
namespace {

constexpr std::size_t kFitting = 512 << 10, kExceeding = 2 << 20;  // bytes
constexpr const char* kSegment = "toroid-test-segment";

std::string segment_path() {
  return std::string(ofi::kDevShm) + kSegment;
}

/// Makes and maps a segment as libfabric does, and fills its first `filled` bytes.
int make_segment(std::size_t bytes, std::size_t filled) {
  const int file = ::open(segment_path().c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  if (file < 0) return errno;
  if (::ftruncate(file, static_cast<off_t>(bytes)) != 0) return errno;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  std::memset(memory, 1, filled);
  return 0;
}

std::string segment_outcome(std::size_t bytes, std::size_t filled) {
  bool is_removed = false;
  try {
    const int result = ofi::create_segment(
        kSegment, [&] { return make_segment(bytes, filled); },
        [&] {
          is_removed = true;
          ofi::unlink_segment(kSegment);
        });
    struct stat state {};
    ::stat(segment_path().c_str(), &state);
    return std::to_string(result) + " pages " + std::to_string(state.st_blocks / 8);
  } catch (const RunFailed& failure) {
    return failure.what() + std::string(is_removed ? " (removed)" : "");
  }
}

/// Checks in a child process with a /dev/shm of 1 MiB. Skips the test if that is not permitted.
void in_small_dev_shm(const std::function<void()>& check) {
  constexpr int kNotPermitted = 77;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=1m") != 0)
      ::_exit(kNotPermitted);
    check();
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotPermitted)
    GTEST_SKIP() << "this user may not mount a small file system";
  EXPECT_EQ(status, 0);
}

TEST(SharedSegment, HasMemoryForAllPages) {
  in_small_dev_shm([] { EXPECT_EQ(segment_outcome(kFitting, 0), "0 pages 128"); });
}

TEST(SharedSegment, PassesOnTheErrorOfItsMaker) {
  in_small_dev_shm([] {
    EXPECT_EQ(segment_outcome(kFitting, 0), "0 pages 128");
    EXPECT_EQ(segment_outcome(kFitting, 0).substr(0, 3), std::to_string(EEXIST) + " ");
  });
}

TEST(SharedSegment, IsRefusedIfThereIsNoRoomForAllPages) {
  in_small_dev_shm([] {
    EXPECT_EQ(segment_outcome(kExceeding, 0),
              "/dev/shm has too little room, 1 of 1 MiB are free; libfabric's provider shm needs 2 "
              "MiB for each process (removed)");
  });
}

TEST(SharedSegment, DoesNotEndTheProcessIfThereIsNoRoomWhileItIsFilled) {
  in_small_dev_shm([] {
    EXPECT_EQ(segment_outcome(kExceeding, kExceeding),
              "/dev/shm has too little room, 0 of 1 MiB are free; libfabric's provider shm needs 2 "
              "MiB for each process (removed)");
  });
}

}  // namespace
}  // namespace toroid
