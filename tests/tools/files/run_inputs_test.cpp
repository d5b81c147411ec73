// What is noted of the inputs that a process reads for a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/hash64.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/files/read_file.hpp"
#include "tools/files/run_inputs.hpp"

namespace toroid::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

RunInput input_of(const std::string& name, const std::string& content) {
  return {name, content.size(), hash64(std::as_bytes(std::span(content)))};
}

bool accept(std::span<const std::byte>) {
  return true;
}

TEST(RunInputs, HaveTheNameSizeAndHashOfFiles) {
  const TemporaryDirectory directory;
  const std::string text = "a text", bytes(3'000'001, 'x');
  directory.save("text", text);
  directory.save("bytes", bytes);
  directory.save("noted", "n");
  RunInputs inputs({});
  EXPECT_FALSE(inputs.any_attempted());
  EXPECT_EQ(read_text(directory / "text", 100), text);
  EXPECT_EQ(read_bytes(directory / "bytes", accept).size(), bytes.size());
  note_input_file("by another name", directory / "noted");
  note_input("array", std::as_bytes(std::span("ab", 2)));
  EXPECT_TRUE(inputs.any_attempted());
  EXPECT_THAT(inputs.take(),
              ElementsAre(input_of(directory / "text", text), input_of(directory / "bytes", bytes),
                          input_of("by another name", "n"), input_of("array", "ab")));
  EXPECT_THAT(inputs.take(), IsEmpty());
}

TEST(RunInputs, HaveAFileOnceUnlessItChanges) {
  const TemporaryDirectory directory;
  RunInputs inputs({});
  for (const char* content : {"1", "1", "2"}) {
    directory.save("file", content);
    (void)read_text(directory / "file", 100);
  }
  EXPECT_THAT(inputs.take(), SizeIs(2));
}

TEST(RunInputs, NoteThatAMissingFileWasTried) {
  RunInputs inputs({});
  EXPECT_EQ(try_read_text("/nowhere/at/all", 100), std::nullopt);
  EXPECT_TRUE(inputs.any_attempted());
  EXPECT_THAT(inputs.take(), IsEmpty());
}

TEST(RunInputs, AreCollectedOnlyWhileTheyExist) {
  { RunInputs inputs({}); }
  EXPECT_EQ(RunInputs::current(), nullptr);
  note_input("a", {});  // has no effect
  RunInputs inputs({"--bytes 1"});
  EXPECT_EQ(RunInputs::current(), &inputs);
  EXPECT_THAT(inputs.take(), IsEmpty());
  EXPECT_THAT(inputs.options(), ElementsAre("--bytes 1"));
}

TEST(RunInputs, RefuseStandardInputOnlyIfOthersReadTheSame) {
  refuse_shared_standard_input();
  RunInputs inputs({});
  refuse_shared_standard_input();
  inputs.note_join(false);
  refuse_shared_standard_input();
  inputs.note_join(true);
  EXPECT_THROW(refuse_shared_standard_input(), BadInput);
  EXPECT_THROW(read_standard_input(accept), BadInput);
}

}  // namespace
}  // namespace toroid::testing
