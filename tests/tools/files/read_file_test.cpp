// Texts that users name.
#include <gtest/gtest.h>

#include "tests/tools/temporary_directory.hpp"
#include "tools/files/read_file.hpp"
#include "tools/files/schedule_file.hpp"

namespace toroid::testing {
namespace {

TEST(ReadText, LeavesOutAByteOrderMark) {
  const TemporaryDirectory directory;
  directory.save("text", "\xEF\xBB\xBFone \xEF\xBB\xBF two\n");
  EXPECT_EQ(read_text(directory / "text", 100), "one \xEF\xBB\xBF two\n");
}

TEST(ReadText, ReadsSchedulesWithAByteOrderMark) {
  const TemporaryDirectory directory;
  directory.save("x.csv", "\xEF\xBB\xBFtime,src,dst,bytes\n0,0,1,240\n");
  directory.save("x.goal", "\xEF\xBB\xBFnum_ranks 1\nrank 0 {\n}\n");
  EXPECT_EQ(read_schedule(directory / "x.csv", 2).ranks.size(), 2U);
  EXPECT_EQ(read_schedule(directory / "x.goal", 1).ranks.size(), 1U);
}

}  // namespace
}  // namespace toroid::testing
