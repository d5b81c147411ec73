// Processes whose inputs differ are refused: every file that a run reads, with another content,
// shortened, or missing on one process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/net/process.hpp"
#include "tests/scale.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

/// A .npy file in C order.
template <typename Number>
std::string npy(const std::string& shape, const std::vector<Number>& numbers) {
  const std::string type = std::is_integral_v<Number> ? "<i8" : "<f8";
  const std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }\n";
  std::string file("\x93NUMPY\x01\0", 8);
  file += static_cast<char>(header.size());
  file += '\0' + header;
  file.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
  return file;
}

/// Numbers from `first` on.
std::vector<double> numbers(std::size_t count, double first) {
  std::vector<double> all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

std::string boxes(int cut) {
  const std::string at = std::to_string(cut);
  return "node,begin0,end0,begin1,end1,begin2,end2\n0,0," + at + ",0,4,0,4\n1," + at +
         ",4,0,4,0,4\n";
}

std::string goal(int bytes) {
  const std::string size = std::to_string(bytes);
  return "num_ranks 2\nrank 0 {\nl1: send " + size + "b to 1 tag 5\n}\nrank 1 {\nl1: recv " + size +
         "b from 0 tag 5\n}\n";
}

/// A policy's library. Appended bytes do not change what it does.
std::string library(const std::string& appended) {
  std::ifstream file(TOROID_POLICY_LIBRARIES "/shift_copy.so", std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {}) + appended;
}

/// A run that reads a file, and two valid contents of the file.
struct Case {
  std::string file;
  Arguments arguments;
  std::string content;
  std::string other;
  std::string torus = "4x1x1";
  std::string beside{};  ///< name of another file that the run needs, the same on all processes
  std::string beside_content{};
};

const Arguments kFftOf4 = {"fft", "--size", "4", "--plan", "estimate"};

std::vector<Case> cases() {
  const std::vector<double> density = numbers(64, -31.5);  // the sum is 0
  const std::vector<double> other_density(density.rbegin(), density.rend());
  const std::string array = npy("4, 4, 4", numbers(64, 0)),
                    other_array = npy("4, 4, 4", numbers(64, 1));
  const std::string matrix = npy("4, 4", numbers(16, 0)),
                    other_matrix = npy("4, 4", numbers(16, 1));
  return {{"a.npy", {"fft", "--in", "a.npy", "--plan", "estimate"}, array, other_array},
          {"a.npy",
           {"poisson", "--in", "a.npy"},
           npy("4, 4, 4", density),
           npy("4, 4, 4", other_density)},
          {"a.npy",
           {"redistribute", "--in", "a.npy", "--from", "blocks", "--to", "slabs:x"},
           array,
           other_array},
          {"b.csv", kFftOf4 + Arguments{"--in-boxes", "b.csv"}, boxes(2), boxes(1)},
          {"b.csv", kFftOf4 + Arguments{"--out-boxes", "b.csv"}, boxes(2), boxes(1)},
          {"b.csv",
           {"redistribute", "--size", "4", "--from", "b.csv", "--to", "blocks"},
           boxes(2),
           boxes(1)},
          {"b.csv",
           {"redistribute", "--size", "4", "--from", "blocks", "--to", "b.csv"},
           boxes(2),
           boxes(1)},
          {"m.npy", kFftOf4 + Arguments{"--method", "orbital", "--transform", "matrix:m.npy"},
           matrix, other_matrix, "2x2x2"},
          {"g.goal", {"replay", "g.goal"}, goal(240), goal(480)},
          {"g.csv",
           {"replay", "g.csv"},
           "time,src,dst,bytes\n0,0,1,240\n",
           "time,src,dst,bytes\n0,0,1,480\n"},
          {"m.toml",
           {"hello", "--machine", "m.toml"},
           "name = \"m\"\nclock_hz = 7e8\n",
           "name = \"m\"\nclock_hz = 8e8\n"},
          {"p.toml",
           {"alltoall", "--policy", "p.toml"},
           "policy = \"random\"\noutput_queues = 3\n",
           "policy = \"random\"\noutput_queues = 4\n"},
          {"o.npy",
           {"alltoall", "--policy", "p.toml"},
           npy<std::int64_t>("4, 3", {1, 2, 3, 2, 3, 0, 3, 0, 1, 0, 1, 2}),
           npy<std::int64_t>("4, 3", {3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0}),
           "4x1x1",
           "p.toml",
           "policy = \"random\"\n[tables]\ntorus = \"4x1x1\"\norder = \"o.npy\"\n"},
          {"p.so", {"alltoall", "--policy", "p.so"}, library(""), library("x")}};
}

enum class Fault : std::uint8_t { other, shorter, missing };

/// Number of lines on standard error without those of the launcher, which tells each exit code.
std::ptrdiff_t lines_of_processes(const Ended& ended) {
  std::ptrdiff_t lines = ended.err_lines();
  for (std::size_t at = 0; (at = ended.err.find("toroid: rank ", at)) != std::string::npos; ++at)
    --lines;
  return lines;
}

class OfiInputs : public ::testing::Test {
 protected:
  /// Runs the case on `processes`, each in a directory of its own. The last one has the fault.
  Ended run(const Case& one, Fault fault, unsigned processes) {
    for (unsigned p = 0; p < processes; ++p) {
      const std::filesystem::path directory = directory_.path() / std::to_string(p);
      std::filesystem::remove_all(directory);
      std::filesystem::create_directory(directory);
      const std::string place = std::to_string(p) + '/';
      if (!one.beside.empty()) directory_.save(place + one.beside, one.beside_content);
      const bool is_faulty = p + 1 == processes;
      if (is_faulty && fault == Fault::missing) continue;
      directory_.save(place + one.file, !is_faulty              ? one.content
                                        : fault == Fault::other ? one.other
                                                                : half(one.content));
    }
    return launched(one.arguments + Arguments{"--torus", one.torus}, processes);
  }

  static std::string half(const std::string& content) {
    return content.substr(0, content.size() / 2);
  }

  void expect_refusal(const Case& one, Fault fault, unsigned processes) {
    SCOPED_TRACE(one.arguments.front() + ' ' + one.arguments.back() + ", fault " +
                 std::to_string(static_cast<int>(fault)));
    const Ended ended = run(one, fault, processes);
    EXPECT_EQ(ended.exit_code, 2) << ended.err;
    EXPECT_EQ(lines_of_processes(ended), 1) << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, HasSubstr(one.file));
    const std::string last = "process " + std::to_string(processes - 1) + " .host .*, pid ";
    EXPECT_THAT(ended.err, ContainsRegex(last));
    if (fault == Fault::other) {
      EXPECT_THAT(ended.err,
                  ContainsRegex("toroid: " + one.file +
                                " differs between process 0 .host .*, pid [0-9]+. and " + last));
    }
  }

  Ended launched(const Arguments& arguments, unsigned processes) const {
    return shell("cd $RANK && exec \"$0\" \"$@\" --fabric ofi", arguments, processes);
  }

  /// Runs a script in each process; $0 is the command.
  Ended shell(const std::string& script, const Arguments& arguments = {},
              unsigned processes = 2) const {
    const Process process(Arguments{TOROID_COMMAND, "launch", "-n", std::to_string(processes), "--",
                                    "sh", "-c", script, TOROID_COMMAND} +
                              arguments,
                          {}, {.directory = directory_.path()});
    return process.end_within(60s);
  }

  const TemporaryDirectory directory_;
};

/// The landing set takes some of the files.
TEST_F(OfiInputs, AcceptsEqualFiles) {
  std::size_t turn = 0;
  for (Case one : cases()) {
    if (turn++ % 4 != 0 && !is_thorough()) continue;
    SCOPED_TRACE(one.arguments.front() + ' ' + one.arguments.back());
    one.other = one.content;
    const Ended ended = run(one, Fault::other, 2);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
  }
}

/// The landing set tries each file with one fault.
TEST_F(OfiInputs, RefusesFilesThatDiffer) {
  constexpr std::array kFaults = {Fault::other, Fault::shorter, Fault::missing};
  std::size_t turn = 0;
  for (const Case& one : cases()) {
    const Fault taken = kFaults[turn++ % kFaults.size()];
    for (const Fault fault : kFaults)
      for (const unsigned processes : {2u, 4u})
        if (is_thorough() || (processes == 2 && fault == taken))
          expect_refusal(one, fault, processes);
  }
}

TEST_F(OfiInputs, RefusesOptionsThatDifferWithBothValues) {
  const Ended ended = shell("exec \"$0\" alltoall --torus 4 --bytes 24$RANK --fabric ofi");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(lines_of_processes(ended), 1) << ended.err;
  EXPECT_THAT(ended.err, ContainsRegex("toroid: process 1 .host .* has --bytes 241, but process 0 "
                                       ".host .* has --bytes 240; all processes"));
}

TEST_F(OfiInputs, RefusesVariablesThatDiffer) {
  for (const std::string name : {"OPENBLAS_CORETYPE", "FI_OFI_RXM_EAGER_LIMIT"}) {
    const Ended ended = shell(name + "=1638$RANK exec \"$0\" hello --torus 4 --fabric ofi");
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.err, ContainsRegex("has " + name + "=16381, but process 0 .host .* has " +
                                         name + "=16380;"));
  }
}

TEST_F(OfiInputs, RefusesAnOutputOfOneProcessAlone) {
  for (const std::string alone : {"0", "1"}) {
    const Ended ended = shell(
        "exec \"$0\" fft --size 4 --torus 2x1x1 --fabric ofi --plan estimate $([ $RANK = " + alone +
        " ] && echo --out a.npy)");
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.err,
                ContainsRegex(alone == "1" ? "has --out, but process 0 .* has no --out;"
                                           : "has no --out, but process 0 .* has --out;"));
    EXPECT_FALSE(std::filesystem::exists(directory_ / "a.npy"));
  }
}

TEST_F(OfiInputs, MayDifferInOutputsThreadsBindingAndWisdom) {
  const Ended ended = shell(
      "exec \"$0\" fft --size 4 --torus 2x1x1 --fabric ofi --out $RANK.npy --json $RANK.json "
      "--export $RANK.goal --threads $((RANK + 1)) --wisdom $RANK.wisdom "
      "$([ $RANK = 0 ] && echo --bind none)");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(directory_.entries(),
            (std::vector<std::string>{"0.goal", "0.json", "0.npy", "0.wisdom"}));
}

TEST_F(OfiInputs, RefusesStandardInputForSeveralProcesses) {
  directory_.save("m.npy", npy("4, 4", numbers(16, 0)));
  for (const std::string run :
       {"redistribute --in - --from blocks --to blocks", "fft --in -", "poisson --in -",
        "fft --size 4 --method orbital --transform matrix:-", "fft --in -:x"}) {
    SCOPED_TRACE(run);
    const Ended ended = shell("exec \"$0\" " + run + " --torus 4x1x1 --fabric ofi < m.npy");
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.err, HasSubstr("is for one process; use a file for several"));
  }
}

/// Each process would get a part of what comes through a pipe.
TEST_F(OfiInputs, RefusesPipesForSeveralProcesses) {
  for (const char* name : {"a.npy", "m.toml", "g.goal"})
    ASSERT_EQ(::mkfifo((directory_ / name).c_str(), 0600), 0);
  for (const auto& [name, run] :
       {std::pair<std::string, std::string>{"a.npy", "fft --in a.npy --torus 2x1x1"},
        {"m.toml", "hello --machine m.toml --torus 2"},
        {"g.goal", "replay g.goal --torus 2"}}) {
    SCOPED_TRACE(name);
    const Ended ended = shell("exec \"$0\" " + run + " --fabric ofi");
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(lines_of_processes(ended), 1) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(name));
    EXPECT_THAT(ended.err, HasSubstr("is a pipe or a device, which is for one process"));
  }
}

/// A process that was started without a launcher refuses its missing file before it joins.
TEST_F(OfiInputs, DoesNotLetOthersWaitForAProcessThatMissesAFile) {
  std::filesystem::create_directory(directory_.path() / "0");
  std::filesystem::create_directory(directory_.path() / "1");
  directory_.save("0/m.toml", "name = \"m\"\n");
  const Ended ended = shell(
      "cd $RANK; \"$0\" hello --torus 4 --machine m.toml --fabric ofi; "
      "echo rank $RANK ends with $? >&2; sleep 0.2");
  EXPECT_THAT(ended.err, HasSubstr("rank 0 ends with 2\n"));
  EXPECT_THAT(ended.err, HasSubstr("rank 1 ends with 2\n"));
  EXPECT_THAT(ended.err, ContainsRegex("toroid: process 1 .host .*: machine 'm.toml'"));
}

}  // namespace
}  // namespace toroid::testing
