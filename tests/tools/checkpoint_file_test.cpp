// Checkpoint files: read if whole, refused with the reason otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/files/checkpoint_file.hpp"
#include "tools/run/run_identity.hpp"

namespace toroid::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A state that is longer than one block of the reader.
const std::vector<std::uint32_t> kCheckpointed = [] {
  std::vector<std::uint32_t> values(100000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint32_t>(i * i);
  return values;
}();

void save_checkpoint(const std::string& path, std::vector<std::uint32_t> values) {
  CheckpointWriter file(path, "who\n");
  std::uint8_t small = 7;
  file(small, values, small);
  file.commit();
}

std::vector<std::uint32_t> checkpoint_in(const std::string& path) {
  CheckpointReader file(path);
  EXPECT_EQ(file.identity(), "who\n");
  std::uint8_t small = 0;
  std::vector<std::uint32_t> values;
  file(small, values, small);
  EXPECT_EQ(file.left(), 0u);
  EXPECT_EQ(small, 7);
  return values;
}

std::string refusal_of_checkpoint(const std::string& path) {
  try {
    CheckpointReader file(path);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "taken";
}

TEST(CheckpointFile, RoundTripsAndReplacesThePreviousOne) {
  const TemporaryDirectory directory;
  save_checkpoint(directory / "c", {1, 2});
  EXPECT_THAT(checkpoint_in(directory / "c"), ElementsAre(1, 2));
  save_checkpoint(directory / "c", kCheckpointed);
  EXPECT_EQ(checkpoint_in(directory / "c"), kCheckpointed);
  EXPECT_THAT(directory.entries(), ElementsAre("c"));
}

TEST(CheckpointFile, IsRefusedIfTruncatedAnywhere) {
  const TemporaryDirectory directory;
  save_checkpoint(directory / "c", {1, 2, 3});
  const std::string whole = directory.content_of("c");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    directory.save("c", whole.substr(0, size));
    EXPECT_THAT(refusal_of_checkpoint(directory / "c"), HasSubstr("is truncated")) << size;
  }
  directory.save("c", whole + "x");
  EXPECT_THAT(refusal_of_checkpoint(directory / "c"), HasSubstr("damaged at its end"));
}

TEST(CheckpointFile, IsRefusedWithAnyByteChanged) {
  const TemporaryDirectory directory;
  save_checkpoint(directory / "c", {1, 2, 3});
  const std::string whole = directory.content_of("c");
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int bit : {1, 0x80}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ bit);
      directory.save("c", damaged);
      EXPECT_THAT(refusal_of_checkpoint(directory / "c"), HasSubstr("checkpoint ")) << at;
    }
  std::string other = whole;
  other[8] = 9;
  directory.save("c", other);
  EXPECT_THAT(refusal_of_checkpoint(directory / "c"),
              HasSubstr("has format version 9; expected 1"));
}

TEST(CheckpointFile, HeadIsReadWithoutItsState) {
  const TemporaryDirectory directory;
  save_checkpoint(directory / "c", kCheckpointed);
  directory.save("c", directory.content_of("c").replace(1000, 100, 100, 'x'));
  EXPECT_EQ(CheckpointHead(directory / "c").identity(), "who\n");
  EXPECT_THAT(refusal_of_checkpoint(directory / "c"), HasSubstr("is damaged: wrong checksum"));
}

TEST(CheckpointFile, OtherFilesAreRefused) {
  const TemporaryDirectory directory;
  directory.save("c", "{\"verb\": \"alltoall\", \"something\": \"else\"}");
  EXPECT_THAT(refusal_of_checkpoint(directory / "c"), HasSubstr("is not a toroid checkpoint"));
  EXPECT_THAT(refusal_of_checkpoint(directory.path()), HasSubstr("is not a regular file"));
  EXPECT_THAT(refusal_of_checkpoint("/dev/zero"), HasSubstr("is not a regular file"));
}

/// While this object exists, files cannot grow beyond `bytes`, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit full{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &full);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(CheckpointFile, KeepsThePreviousOneOnAFullDisk) {
  const TemporaryDirectory directory;
  save_checkpoint(directory / "c", {1, 2, 3});
  for (const rlim_t room : {0u, 10u, 4096u, 300000u}) {
    const FullDisk full(room);
    EXPECT_THROW(save_checkpoint(directory / "c", kCheckpointed), RunFailed) << room;
  }
  EXPECT_THAT(checkpoint_in(directory / "c"), ElementsAre(1, 2, 3));
  EXPECT_THAT(directory.entries(), ElementsAre("c"));
}

TEST(BuildText, DistinguishesProgramsWithoutACleanCommit) {
  const TemporaryDirectory directory;
  directory.save("one", std::string(100000, 'a'));
  directory.save("same", std::string(100000, 'a'));
  directory.save("other", std::string(99999, 'a') + 'b');
  for (const char* commit : {"0123abcd-dirty", "unknown"}) {
    const std::string one = build_text(commit, directory / "one");
    EXPECT_THAT(one, HasSubstr(commit));
    EXPECT_EQ(one, build_text(commit, directory / "same"));
    EXPECT_NE(one, build_text(commit, directory / "other"));
  }
  EXPECT_EQ(build_text("0123abcd", directory / "one"), "0123abcd");
}

TEST(RunIdentity, NamesTheFirstDifference) {
  RunIdentity here, there, longer;
  for (RunIdentity* identity : {&here, &there, &longer}) identity->add("seed", "seed", "1\t2\n");
  EXPECT_EQ(here.difference(RunIdentity(there.text())), std::nullopt);
  longer.add("command", "bytes", "240");
  EXPECT_EQ(here.difference(longer), "another command");
  here.add("command", "bytes", "480");
  EXPECT_EQ(here.difference(RunIdentity(longer.text())), "another command: bytes 240, not 480");
}

}  // namespace
}  // namespace toroid::testing
