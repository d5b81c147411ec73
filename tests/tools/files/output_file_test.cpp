#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <ios>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "tools/files/output_file.hpp"

namespace toroid {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Staging = OutputFile::Staging;

class OutputFileTest : public ::testing::Test {
 protected:
  OutputFileTest() {
    std::string pattern = (fs::temp_directory_path() / "output_file_test.XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    directory_ = pattern;
    fs::permissions(directory_, fs::perms(0755));
  }
  ~OutputFileTest() override { fs::remove_all(directory_); }

  fs::path at(const std::string& name) const { return directory_ / name; }

  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory_)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  bool has_unnamed_files() const {
    const int file = ::open(directory_.c_str(), O_TMPFILE | O_WRONLY, 0600);
    if (file >= 0) ::close(file);
    return file >= 0;
  }

  fs::path directory_;
};

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void save(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

mode_t mode_of(const fs::path& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

void write_file(const fs::path& path, const std::string& content,
                Staging staging = Staging::unnamed) {
  OutputFile file(path, staging);
  file.stream() << content;
  file.commit();
}

std::string output_refusal(const fs::path& path) {
  try {
    const OutputFile file(path);
  } catch (const BadInput& reason) {
    return reason.what();
  }
  return "accepted";
}

/// Runs `body` in a child process; returns its status from waitpid().
int in_child(const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

/// Runs `body` as an unprivileged user, even if root runs the tests.
int unprivileged(const std::function<void()>& body) {
  return in_child([&body] {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && ::setresuid(kNobody, kNobody, kNobody) != 0) ::_exit(2);
    body();
  });
}

TEST_F(OutputFileTest, NewFileAppearsOnlyAtCommit) {
  OutputFile file(at("new"));
  file.stream() << "some text";
  file.stream().flush();
  EXPECT_FALSE(fs::exists(at("new")));
  file.commit();
  EXPECT_EQ(content_of(at("new")), "some text");
  EXPECT_THAT(entries(), ElementsAre("new"));
}

TEST_F(OutputFileTest, ReplacesAnExistingFileOnlyAtCommit) {
  save(at("old"), "old and longer");
  OutputFile file(at("old"));
  file.stream() << "new";
  file.stream().flush();
  EXPECT_EQ(content_of(at("old")), "old and longer");
  file.commit();
  EXPECT_EQ(content_of(at("old")), "new");
  EXPECT_THAT(entries(), ElementsAre("old"));
}

TEST_F(OutputFileTest, ReplacesAFileThatAppearedMeanwhile) {
  OutputFile file(at("new"));
  file.stream() << "late";
  save(at("new"), "early");
  file.commit();
  EXPECT_EQ(content_of(at("new")), "late");
  EXPECT_THAT(entries(), ElementsAre("new"));
}

TEST_F(OutputFileTest, WritesContentOfAnySize) {
  for (const std::size_t size : {0U, 1U, 65535U, 65536U, 65537U, 1'000'000U}) {
    std::string content;
    for (std::size_t i = 0; i < size; ++i) content += static_cast<char>(i % 251);
    write_file(at("at once"), content);
    EXPECT_EQ(content_of(at("at once")), content);
    OutputFile file(at("in parts"));
    for (std::size_t i = 0; i < size; i += 777) file.stream() << content.substr(i, 776);
    for (std::size_t i = 0; i < size; ++i) file.stream().put(content[i]);
    file.commit();
    EXPECT_TRUE(content_of(at("in parts")).ends_with(content));
  }
}

TEST_F(OutputFileTest, LeavesNothingWithoutCommit) {
  save(at("old"), "old");
  for (const Staging staging : {Staging::unnamed, Staging::named}) {
    OutputFile(at("new"), staging).stream() << "half" << std::flush;
    OutputFile(at("old"), staging).stream() << "half" << std::flush;
  }
  EXPECT_THAT(entries(), ElementsAre("old"));
  EXPECT_EQ(content_of(at("old")), "old");
}

TEST_F(OutputFileTest, LeavesNothingWhenKilled) {
  if (!has_unnamed_files()) GTEST_SKIP() << "no O_TMPFILE in " << directory_;
  for (const int signal : {SIGKILL, SIGINT, SIGTERM}) {
    const int status = in_child([&] {
      ::signal(signal, SIG_DFL);
      OutputFile file(at("new"));
      file.stream() << std::string(100'000, 'x') << std::flush;
      if (!entries().empty()) ::_exit(1);
      ::raise(signal);
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    EXPECT_THAT(entries(), IsEmpty());
  }
}

TEST_F(OutputFileTest, StagesInANamedFileIfRequired) {
  save(at("old"), "old");
  OutputFile replacing(at("old"), Staging::named);
  OutputFile creating(at("new"), Staging::named);
  EXPECT_THAT(entries(), ElementsAre(HasSubstr(".toroid-"), HasSubstr(".toroid-"), "old"));
  replacing.stream() << "1";
  creating.stream() << "2";
  replacing.commit();
  creating.commit();
  EXPECT_THAT(entries(), ElementsAre("new", "old"));
  EXPECT_EQ(content_of(at("old")) + content_of(at("new")), "12");
}

TEST_F(OutputFileTest, RefusesATargetThatCannotBeWritten) {
  save(at("file"), "text");
  fs::create_symlink("loop", at("loop"));
  const auto refused = [this](const std::string& name, const std::string& why) {
    EXPECT_THAT(output_refusal(at(name)), HasSubstr("cannot write " + at(name).string() + ": "));
    EXPECT_THAT(output_refusal(at(name)), HasSubstr(why));
  };
  refused("none/new", "No such file or directory");
  refused("new/", "No such file or directory");
  refused("file/new", "Not a directory");
  refused("file/", "Not a directory");
  refused("loop", "Too many levels of symbolic links");
  refused(std::string(300, 'x'), "File name too long");
  EXPECT_EQ(output_refusal(directory_), "cannot write " + directory_.string() + ": Is a directory");
  EXPECT_EQ(output_refusal(""), "cannot write : No such file or directory");
  EXPECT_EQ(output_refusal("none\n/x"), "cannot write none?/x: No such file or directory");
  EXPECT_THAT(entries(), ElementsAre("file", "loop"));
}

TEST_F(OutputFileTest, RefusesATargetWithoutPermission) {
  save(at("read-only"), "text");
  fs::permissions(at("read-only"), fs::perms(0444));
  fs::create_directory(at("closed"));
  save(at("closed/writable"), "text");
  fs::permissions(at("closed/writable"), fs::perms(0666));
  fs::permissions(at("closed"), fs::perms(0555));
  const int status = unprivileged([this] {
    EXPECT_THAT(output_refusal(at("read-only")), HasSubstr("Permission denied"));
    EXPECT_THAT(output_refusal(at("closed/new")), HasSubstr("Permission denied"));
    EXPECT_THAT(output_refusal(at("closed/writable")), HasSubstr("cannot create a file in"));
  });
  fs::permissions(at("closed"), fs::perms(0755));
  EXPECT_EQ(status, 0);
  EXPECT_THAT(entries(), ElementsAre("closed", "read-only"));
}

TEST_F(OutputFileTest, GivesANewFileThePermissionsOfTheUmask) {
  const int status = in_child([this] {
    ::umask(027);
    write_file(at("unnamed"), "");
    write_file(at("named"), "", Staging::named);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(mode_of(at("unnamed")), 0640U);
  EXPECT_EQ(mode_of(at("named")), 0640U);
}

TEST_F(OutputFileTest, KeepsThePermissionsOfAReplacedFile) {
  for (const mode_t mode : {0600U, 0666U, 0755U}) {
    for (const Staging staging : {Staging::unnamed, Staging::named}) {
      save(at("old"), "old");
      ::chmod(at("old").c_str(), mode);
      write_file(at("old"), "new", staging);
      EXPECT_EQ(mode_of(at("old")), mode);
    }
  }
}

TEST_F(OutputFileTest, KeepsTheOwnerOfAReplacedFileIfPermitted) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  save(at("old"), "old");
  ASSERT_EQ(::chown(at("old").c_str(), 1234, 5678), 0);
  write_file(at("old"), "new");
  struct stat status;
  ASSERT_EQ(::stat(at("old").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 1234U);
  EXPECT_EQ(status.st_gid, 5678U);
}

TEST_F(OutputFileTest, ReplacesWhatALinkLeadsTo) {
  fs::create_directory(at("other"));
  save(at("other/file"), "old");
  fs::create_symlink("other/file", at("first"));
  fs::create_symlink(at("first"), at("second"));
  write_file(at("second"), "new");
  EXPECT_TRUE(fs::is_symlink(at("first")) && fs::is_symlink(at("second")));
  EXPECT_FALSE(fs::is_symlink(at("other/file")));
  EXPECT_EQ(content_of(at("other/file")), "new");
}

TEST_F(OutputFileTest, CreatesWhatADanglingLinkLeadsTo) {
  fs::create_symlink("file", at("link"));
  write_file(at("link"), "new");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(content_of(at("file")), "new");
}

TEST_F(OutputFileTest, ResolvesARelativePathAtConstruction) {
  const int status = in_child([this] {
    fs::current_path(directory_);
    OutputFile file("relative");
    fs::current_path("/");
    file.stream() << "text";
    file.commit();
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content_of(at("relative")), "text");
}

TEST_F(OutputFileTest, WritesToADeviceDirectly) {
  write_file("/dev/null", "text");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputFileTest, WritesToAFifoDirectly) {
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  auto read = std::async(std::launch::async, [this] { return content_of(at("fifo")); });
  write_file(at("fifo"), "text");
  EXPECT_EQ(read.get(), "text");
  EXPECT_TRUE(fs::is_fifo(at("fifo")));
}

TEST_F(OutputFileTest, WritesToRedirectedStandardOutputInOrder) {
  save(at("log"), "before ");
  const int status = in_child([this] {
    ::dup2(::open(at("log").c_str(), O_WRONLY | O_APPEND), STDOUT_FILENO);
    write_file("/dev/stdout", "middle ");
    if (::write(STDOUT_FILENO, "after", 5) != 5) ::_exit(3);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content_of(at("log")), "before middle after");
  EXPECT_THAT(entries(), ElementsAre("log"));
}

TEST_F(OutputFileTest, RefusesADescriptorThatIsNotForWriting) {
  const int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_THAT(output_refusal("/dev/fd/" + std::to_string(file)), HasSubstr("Bad file descriptor"));
  ::close(file);
  EXPECT_THAT(output_refusal("/dev/fd/12345"), HasSubstr("Bad file descriptor"));
}

std::string failure_of(OutputFile& file) {
  try {
    file.commit();
  } catch (const RunFailed& failure) {
    return failure.what();
  }
  return "committed";
}

TEST_F(OutputFileTest, FailsAtCommitWhenTheDeviceIsFull) {
  OutputFile file("/dev/full");
  file.stream() << "text";
  EXPECT_EQ(failure_of(file), "cannot write /dev/full: No space left on device");
}

TEST_F(OutputFileTest, FailsAtCommitWhenABlockCouldNotBeWritten) {
  OutputFile file("/dev/full");
  file.stream() << std::string(1'000'000, 'x');
  EXPECT_FALSE(file.stream());
  file.stream().clear();
  EXPECT_EQ(failure_of(file), "cannot write /dev/full: No space left on device");
}

TEST_F(OutputFileTest, FailsAtCommitWhenTheStreamFailed) {
  OutputFile file(at("new"));
  file.stream().setstate(std::ios::failbit);
  EXPECT_THAT(failure_of(file), HasSubstr("the content is incomplete"));
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(OutputFileTest, KeepsTheOldFileWhenTheNewOneDoesNotFit) {
  save(at("old"), "old");
  const int status = in_child([this] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    OutputFile file(at("old"));
    file.stream() << std::string(100'000, 'x');
    EXPECT_THAT(failure_of(file), HasSubstr("File too large"));
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content_of(at("old")), "old");
  EXPECT_THAT(entries(), ElementsAre("old"));
}

TEST_F(OutputFileTest, FailsAtCommitWhenTheTargetBecameADirectory) {
  {
    OutputFile file(at("new"));
    fs::create_directory(at("new"));
    EXPECT_THAT(failure_of(file), HasSubstr("cannot replace"));
  }
  EXPECT_THAT(entries(), ElementsAre("new"));
}

}  // namespace
}  // namespace toroid
