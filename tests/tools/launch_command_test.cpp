// toroid launch: refusals, hosts files, reports of other hosts, and quoting for shells.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/run/host_list.hpp"
#include "tools/run/host_processes.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid::testing {
namespace {

using ::testing::ElementsAre;

TEST(LaunchCommand, RefusesInvalidHostsAndCommands) {
  const TemporaryDirectory directory;
  directory.save("empty", "# nobody\n");
  directory.save("option", "good\n-oProxyCommand=evil\n");
  directory.save("slots", "good slots=0\n");
  directory.save("word", "good more\n");
  directory.save("twice", "good:2 slots=2\n");
  directory.save("many", "a:65536\nb\n");
  directory.save("small", "good slots=2\n");
  const auto refuses = [&](const Arguments& options, const std::vector<std::string>& words) {
    expect_refusal(directory, Arguments{"launch"} + options + Arguments{"--", "true"}, words);
  };
  refuses({}, {"-n"});
  refuses({"-n", "0"}, {"-n"});
  refuses({"-n", "2", "--port", "99"}, {"--hosts"});
  refuses({"--hosts", "missing"}, {"missing: cannot be read: No such file or directory"});
  refuses({"--hosts", "empty"}, {"names no host"});
  refuses({"--hosts", "/dev/zero"}, {"/dev/zero: expected at most"});
  refuses({"--hosts", "option"}, {"option line 2", "is not a host name"});
  refuses({"--hosts", "slots"}, {"slots line 1", "slots=0"});
  refuses({"--hosts", "word"}, {"'more'"});
  refuses({"--hosts", "many"}, {"65537 slots", "at most 65536"});
  refuses({"--hosts", "twice"}, {"'slots=2'", "given already"});
  refuses({"-n", "1", "-x", "=1"}, {"expected NAME or NAME=VALUE"});
  refuses({"-n", "1", "-x", "NOT_SET_ANYWHERE"}, {"NOT_SET_ANYWHERE", "is not set"});
  refuses({"-n", "1", "-x", "RANK=1"}, {"launch itself sets RANK"});
  expect_refusal(directory, {"launch", "--agent"}, {"toroid launch --hosts"});
  refuses({"--hosts", "small", "-n", "3"}, {"2 slots", "3 processes"});
  expect_refusal(directory, {"launch", "-n", "2"}, {"command"});
  expect_refusal(directory, {"launch", "-n", "2", "--", "./nothing"}, {"cannot run './nothing'"});
}

std::vector<std::string> names_and_slots(const std::string& text) {
  std::vector<std::string> all;
  for (const HostSlots& host : parse_hosts(text, "hosts"))
    all.push_back(host.name + " " + std::to_string(host.slots));
  return all;
}

TEST(HostList, ReadsSlotsAndAddressesAsMpirunDoes) {
  for (const auto& [line, expected] : std::vector<std::pair<std::string, std::string>>{
           {"host", "host 1"},
           {"host:4", "host 4"},
           {"host slots=4", "host 4"},
           {"me@host:4", "me@host 4"},
           {"10.0.0.1:2", "10.0.0.1 2"},
           {"[::1]", "::1 1"},
           {"[::1]:4", "::1 4"},
           {"me@[fe80::1%eth0]:2", "me@fe80::1%eth0 2"},
           {"fe80::1", "fe80::1 1"},
           {"::1 slots=3", "::1 3"}})
    EXPECT_THAT(names_and_slots(line), ElementsAre(expected)) << line;
  EXPECT_EQ(address_of({"me@::1", 1}), "::1");
}

TEST(HostList, ReadsFilesOfOtherSystemsAndJoinsEqualHosts) {
  EXPECT_THAT(names_and_slots("a\r\nb:2 # two\r\n\r\na slots=3\r\n"), ElementsAre("a 4", "b 2"));
  const TemporaryDirectory directory;
  directory.save("hosts", "\xEF\xBB\xBFhost\n");
  EXPECT_EQ(load_hosts(directory / "hosts").front().name, "host");
}

TEST(HostList, RefusesWhatIsNoHost) {
  for (const std::string line : {"host:", "host:0", "host:x", "[::1", "::1]", "[::1]4", "a[b]",
                                 "a[b]:2", "[]:2", "me@", "host:65537", "a:65536\na"})
    EXPECT_THROW(parse_hosts(line, "hosts"), BadInput) << line;
}

TEST(LaunchShare, KeepsAnyBytesAndIsTakenOnceItIsWhole) {
  LaunchShare share;
  share.command = {"echo", "\xe9\n\x80", ""};
  share.variables = {{"NAME", "a=b\n"}};
  share.count = 7;
  const std::string all = encode(share) + "15\n";
  std::string bytes;
  for (std::size_t i = 0; i + 4 < all.size(); ++i) {
    bytes += all[i];
    EXPECT_FALSE(take_share(bytes)) << i;
  }
  bytes += all.substr(all.size() - 4);
  const auto taken = take_share(bytes);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->command, share.command);
  EXPECT_EQ(taken->variables, share.variables);
  EXPECT_EQ(taken->count, 7U);
  EXPECT_EQ(bytes, "15\n");
  for (std::string wrong : {"\n", "x\n", "99999999999\n", "3\nabc", "1\n\x01"})
    EXPECT_THROW(take_share(wrong), BadInput);
}

/// What a reader makes of the bytes, read in pieces of this length.
std::pair<std::string, int> read_in_pieces(const std::string& bytes, std::size_t length) {
  ReportReader reader;
  std::string text;
  int sum = 0;
  for (std::size_t at = 0; at < bytes.size(); at += length) {
    const ReportReader::Result result = reader.read(bytes.substr(at, length));
    text += result.text;
    for (const Report& report : result.reports)
      sum += static_cast<int>(report.rank) + 100 * report.what + 10000 * report.status;
  }
  return {text, sum};
}

TEST(ReportReader, SeparatesReportsFromTextInPiecesOfAnyLength) {
  const std::string report = text_of({7, Report::ends, 9});
  const std::string wrong = "\x1etoroid launch: 7 7 9\n\x1etoroid launch: 7\n\x1e\x1etoroid";
  const std::string bytes = "50 %" + report + "\rdone\n" + wrong + report + wrong + "ing";
  for (std::size_t length = 1; length <= bytes.size(); ++length)
    EXPECT_EQ(read_in_pieces(bytes, length),
              std::pair("50 %\rdone\n" + wrong + wrong + "ing", 2 * 90607))
        << length;
}

TEST(LaunchCommand, QuotesForAShell) {
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's $x"), "'it'\\''s $x'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace toroid::testing
