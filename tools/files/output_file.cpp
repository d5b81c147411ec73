#include "tools/files/output_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <ostream>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>

#include "hal/check.hpp"
#include "hal/parse_number.hpp"
#include "tools/files/file_descriptor.hpp"

namespace toroid {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwnDescriptors = "/proc/self/fd";
constexpr int kMostLinksFollowed = 40;  // Linux's limit
constexpr int kMaxNames = 100;
constexpr mode_t kNewMode = 0666;  // minus the umask

std::string error_text(int error) {
  return std::generic_category().message(error);
}

/// Returns N if the path is /proc/self/fd/N in any spelling, such as /dev/fd/N.
std::optional<int> own_descriptor(const fs::path& path) {
  std::error_code missing;
  const fs::path own = fs::canonical(kOwnDescriptors, missing);
  if (missing || fs::canonical(path.parent_path(), missing) != own || missing) return std::nullopt;
  return parse_number<int>(path.filename().string());
}

/// Follows a chain of symbolic links to its end, which need not exist. A descriptor of this process
/// ends the chain: its link in /proc names an open file, not a path in the file system.
fs::path followed(fs::path path) {
  std::error_code error;
  for (int links = 0; links < kMostLinksFollowed && !own_descriptor(path); ++links) {
    const fs::path next = fs::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / next;
  }
  return path;
}

/// Duplicates a descriptor of this process. Closing the duplicate leaves the other open, and both
/// share the file offset. Returns -1 and sets errno if the descriptor is not open for writing.
int duplicate(int own) {
  const int flags = ::fcntl(own, F_GETFL);
  if (flags < 0) return -1;
  if ((flags & O_ACCMODE) != O_RDONLY) return ::fcntl(own, F_DUPFD_CLOEXEC, 0);
  errno = EBADF;
  return -1;
}

int open_target(const fs::path& path) {
  const std::optional<int> own = own_descriptor(path);
  return own ? duplicate(*own) : ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
}

/// Calls create(name), which sets errno, with random names until one is new; returns that name.
template <class Create>
std::optional<std::string> under_new_name(Create create) {
  std::random_device random;
  for (int tries = 0; tries < kMaxNames; ++tries) {
    const std::string name = fmt::format(".toroid-{:08x}{:08x}.tmp", random(), random());
    if (create(name.c_str())) return name;
    if (errno != EEXIST) break;
  }
  return std::nullopt;
}

}  // namespace

struct OutputFile::State {
  std::string shown;                     // the target, for messages
  std::string name;                      // the target's name in `directory`
  std::optional<std::string> temporary;  // a file in `directory` that must be removed
  FileDescriptor directory;              // none if the target is written directly
  FileDescriptor file;
  DescriptorBuffer buffer;
  std::ostream stream{&buffer};

  explicit State(const fs::path& target) : shown(one_line(target.native())) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { remove_temporary(); }

  void open(const fs::path& target, Staging staging);
  void open_standard_output();
  void stage(const fs::path& path, Staging staging);
  void create(Staging staging);
  void keep_attributes(const struct stat& replaced);
  void finish_writing();
  void publish();
  bool link(const char* new_name) const;
  void remove_temporary();
  [[noreturn]] void refuse(int error) const;
  [[noreturn]] void fail(std::string_view what, int error) const;
};

void OutputFile::State::open(const fs::path& target, Staging staging) {
  const fs::path path = followed(target);
  FileDescriptor existing(open_target(path));
  if (!existing.is_open() && (errno != ENOENT || path.filename().empty())) refuse(errno);
  if (!existing.is_open()) {
    stage(path, staging);
  } else {
    struct stat status;
    if (::fstat(existing.number(), &status) != 0) refuse(errno);
    if (S_ISREG(status.st_mode) && !own_descriptor(path)) {
      stage(path, staging);
      keep_attributes(status);
    } else {
      file = std::move(existing);
    }
  }
  buffer.attach(file.number());
}

void OutputFile::State::open_standard_output() {
  file = FileDescriptor(duplicate(STDOUT_FILENO));
  if (!file.is_open()) refuse(errno);
  if (::isatty(file.number()) != 0)
    throw BadInput("standard output is a terminal; redirect it to receive binary data");
  buffer.attach(file.number());
}

void OutputFile::State::stage(const fs::path& path, Staging staging) {
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  name = path.filename();
  directory = FileDescriptor(::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open()) refuse(errno);
  create(staging);
  if (!file.is_open()) {
    const std::string reason = error_text(errno);
    throw BadInput(one_line(fmt::format("cannot write {}: cannot create a file in {}: {}", shown,
                                        parent.native(), reason)));
  }
}

void OutputFile::State::create(Staging staging) {
  // Without /proc an unnamed file cannot be given a name.
  if (staging == Staging::unnamed && ::access(kOwnDescriptors, X_OK) == 0) {
    file = FileDescriptor(
        ::openat(directory.number(), ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, kNewMode));
    if (file.is_open() || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return;
  }
  temporary = under_new_name([this](const char* new_name) {
    constexpr int kFlags = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC;
    file = FileDescriptor(::openat(directory.number(), new_name, kFlags, kNewMode));
    return file.is_open();
  });
}

void OutputFile::State::keep_attributes(const struct stat& replaced) {
  // Only root may change the owner; other users may choose one of their groups. If neither works,
  // the file belongs to the writer, like any new file.
  constexpr uid_t kSameOwner = static_cast<uid_t>(-1);
  const bool kept = ::fchown(file.number(), replaced.st_uid, replaced.st_gid) == 0 ||
                    ::fchown(file.number(), kSameOwner, replaced.st_gid) == 0;
  const mode_t special = kept ? 07777 : 0777;
  if (::fchmod(file.number(), replaced.st_mode & special) != 0) refuse(errno);
}

void OutputFile::State::finish_writing() {
  stream.flush();
  if (buffer.error() != 0) fail("cannot write", buffer.error());
  if (!stream) throw RunFailed(fmt::format("cannot write {}: the content is incomplete", shown));
  // Some file systems report only here that they are full, and a file that is renamed before it is
  // on the disk may be empty after a power failure.
  const bool unsynced = directory.is_open() && ::fsync(file.number()) != 0;
  if (unsynced && errno != EINVAL && errno != ENOSYS) fail("cannot write", errno);
}

void OutputFile::State::publish() {
  if (!temporary) {
    if (link(name.c_str())) return;  // the target was new: there was nothing to replace
    if (errno != EEXIST) fail("cannot create", errno);
    temporary = under_new_name([this](const char* new_name) { return link(new_name); });
    if (!temporary) fail("cannot replace", errno);
  }
  const int at = directory.number();
  if (::renameat(at, temporary->c_str(), at, name.c_str()) != 0) fail("cannot replace", errno);
  temporary.reset();
}

bool OutputFile::State::link(const char* new_name) const {
  const std::string open_file = fmt::format("{}/{}", kOwnDescriptors, file.number());
  return ::linkat(AT_FDCWD, open_file.c_str(), directory.number(), new_name, AT_SYMLINK_FOLLOW) ==
         0;
}

void OutputFile::State::remove_temporary() {
  if (temporary) ::unlinkat(directory.number(), temporary->c_str(), 0);
  temporary.reset();
}

void OutputFile::State::refuse(int error) const {
  throw BadInput(fmt::format("cannot write {}: {}", shown, error_text(error)));
}

void OutputFile::State::fail(std::string_view what, int error) const {
  throw RunFailed(fmt::format("{} {}: {}", what, shown, error_text(error)));
}

OutputFile::OutputFile(const std::filesystem::path& target, Staging staging)
    : state_(std::make_unique<State>(target)) {
  if (target == "-")
    throw BadInput(
        "cannot write -: only --json and fft --out write to standard output; use ./- for a file");
  state_->open(target, staging);
}

OutputFile::OutputFile(StandardOutput) : state_(std::make_unique<State>("standard output")) {
  state_->open_standard_output();
}

OutputFile::~OutputFile() = default;

std::ostream& OutputFile::stream() {
  return state_->stream;
}

void OutputFile::finish() {
  TOROID_CHECK(state_->file.is_open());
  state_->finish_writing();
}

void OutputFile::commit() {
  finish();
  if (state_->directory.is_open()) state_->publish();
  state_->buffer.attach(-1);
  state_->file = FileDescriptor();
}

namespace {

void refuse_the_same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return;
  std::error_code error;  // ignored: opening the files reports it
  const fs::path file = fs::weakly_canonical(fs::absolute(a), error);
  if (error || file != fs::weakly_canonical(fs::absolute(b), error) || error) return;
  if (fs::exists(file, error) && !fs::is_regular_file(file, error)) return;  // such as /dev/null
  throw BadInput(fmt::format("{} and {} are the same file; one would overwrite the other", a, b));
}

}  // namespace

void refuse_one_file_for_two(std::span<const std::string> outputs) {
  for (std::size_t b = 1; b < outputs.size(); ++b)
    for (std::size_t a = 0; a < b; ++a) refuse_the_same_file(outputs[a], outputs[b]);
}

}  // namespace toroid
