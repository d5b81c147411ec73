#include "router/ofi/dev_shm_cleanup.hpp"

#include <gtest/gtest.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace toroid {
namespace {

std::filesystem::path file_path(const std::string& name) {
  return ofi::kDevShm + name;
}

void make_shared_file(const std::string& name) {
  std::ofstream(file_path(name)) << "x";
}

/// A child process that has made a file, and the file's name.
struct FileOwner {
  FileOwner() {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    pid = ::fork();
    if (pid == 0) {
      const std::string name = ofi::new_shared_file_name(77, 1);
      make_shared_file(name);
      [[maybe_unused]] const auto written = ::write(pipe[1], name.data(), name.size());
      ::pause();
    }
    std::array<char, 200> text{};
    const auto read = ::read(pipe[0], text.data(), text.size());
    file.assign(text.data(), static_cast<std::size_t>(read));
    for (const int end : pipe) ::close(end);
  }
  ~FileOwner() {
    end();
    std::filesystem::remove(file_path(file));
  }
  FileOwner(const FileOwner&) = delete;

  void end() {
    if (pid == 0) return;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    pid = 0;
  }

  pid_t pid = 0;
  std::string file;
};

TEST(DevShmCleanup, NamesDiffer) {
  EXPECT_NE(ofi::new_shared_file_name(1, 0), ofi::new_shared_file_name(1, 0));
}

TEST(DevShmCleanup, RemovesFilesOfTheDeadOnly) {
  FileOwner dead;
  const FileOwner living;
  ofi::remove_shared_files_of_the_dead();
  EXPECT_TRUE(std::filesystem::exists(file_path(dead.file)));
  dead.end();
  ofi::remove_shared_files_of_the_dead();
  EXPECT_FALSE(std::filesystem::exists(file_path(dead.file)));
  EXPECT_TRUE(std::filesystem::exists(file_path(living.file)));
}

TEST(DevShmCleanup, RemovesFilesOfADeadProcessWhoseParentDoesNotKnow) {
  const FileOwner dead;
  ::kill(dead.pid, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(dead.pid), &info, WEXITED | WNOWAIT), 0);
  ofi::remove_shared_files_of_the_dead();
  EXPECT_FALSE(std::filesystem::exists(file_path(dead.file)));
}

TEST(DevShmCleanup, RemovesFilesOfAFormerProcessWithTheSameId) {
  const std::string own = ofi::new_shared_file_name(1, 0);
  const std::size_t start = own.find('-', own.find('-', own.find('-') + 1) + 1) + 1;
  const std::string former = own.substr(0, start) + "1" + own.substr(own.find('-', start));
  make_shared_file(own);
  make_shared_file(former);
  ofi::remove_shared_files_of_the_dead();
  EXPECT_TRUE(std::filesystem::remove(file_path(own)));
  EXPECT_FALSE(std::filesystem::remove(file_path(former)));
}

TEST(DevShmCleanup, LeavesFilesOfAnotherPidNamespaceAlone) {
  const std::string other = "toroid-1-999999999-1-0-0-1";
  make_shared_file(other);
  ofi::remove_shared_files_of_the_dead();
  EXPECT_TRUE(std::filesystem::remove(file_path(other)));
}

TEST(DevShmCleanup, RemovesFilesOfOneProcess) {
  const FileOwner one;
  const FileOwner other;
  ofi::remove_shared_files_of(one.pid);
  EXPECT_FALSE(std::filesystem::exists(file_path(one.file)));
  EXPECT_TRUE(std::filesystem::exists(file_path(other.file)));
}

}  // namespace
}  // namespace toroid
