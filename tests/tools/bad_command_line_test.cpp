// Verbs and options that do not exist, or are missing.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

void expect_refused(const Arguments& arguments, const std::vector<std::string>& words) {
  const TemporaryDirectory directory;
  expect_refusal(directory, arguments, words);
}

TEST(BadCommandLine, UnknownVerbIsRefusedWithTheListOfVerbs) {
  expect_refused({"frob"}, {"unknown verb 'frob'",
                            "known: fft, alltoall, hello, poisson, redistribute, replay, bench"});
  expect_refused({""}, {"unknown verb ''", "known"});
  expect_refused({"FFT", "--torus", "2"}, {"unknown verb 'FFT'"});
  expect_refused({"--frob"}, {"--frob"});
}

TEST(BadCommandLine, IsRefusedWithTwoCommands) {
  expect_refused({"fft", "alltoall", "--torus", "2"}, {"alltoall"});
}

TEST(BadCommandLine, IsRefusedWithAnUnknownOption) {
  for (const std::string command : {"fft", "alltoall", "info"})
    expect_refused({command, "--torus", "2", "--frob"}, {"--frob"});
  expect_refused({"alltoall", "--torus", "2", "--size", "4"}, {"--size"});
  expect_refused({"alltoall", "--torus", "2", "extra"}, {"extra"});
}

TEST(BadCommandLine, IsRefusedWithoutATorus) {
  expect_refused({"fft", "--size", "4"}, {"--torus"});
  expect_refused({"alltoall"}, {"--torus"});
}

TEST(BadCommandLine, IsRefusedWithAnOptionWithoutItsValue) {
  expect_refused({"alltoall", "--torus"}, {"--torus"});
  expect_refused({"alltoall", "--torus", "2", "--json"}, {"--json"});
}

TEST(BadCommandLine, IsRefusedWithAnOptionGivenTwice) {
  expect_refused({"alltoall", "--torus", "2", "--torus", "3"}, {"--torus"});
  expect_refused({"alltoall", "--torus", "2", "--seed", "1", "--seed", "2"}, {"--seed"});
}

TEST(BadCommandLine, IsRefusedWithAnEmptyPath) {
  const Arguments fft = {"fft", "--torus", "2", "--size", "4"};
  for (const std::string option : {"--in", "--out", "--json"})
    expect_refused(fft + Arguments{option, ""}, {option, "empty"});
  expect_refused(fft + Arguments{"--machine", ""}, {"machine ''"});
}

TEST(BadCommandLine, IsRefusedInOneLineWithoutControlCharacters) {
  expect_refused({"alltoall", "--torus", "2\n3"}, {"'2?3' is not a torus"});
  expect_refused({"alltoall", "--torus", "2", "--fr\nob"}, {"--fr?ob"});
  expect_refused({"alltoall", "--torus", "2", "--order", "\x1b[31m\r\t"}, {"?[31m??"});
  expect_refused({"alltoall", "--torus", "2", "--machine", "a\nb"}, {"'a?b'"});
}

TEST(BadCommandLine, IsRefusedAtAnyLength) {
  const std::string longest(100'000, '8');
  expect_refused({"alltoall", "--torus", longest}, {"is not a torus"});
  expect_refused({"alltoall", "--torus", "2", "--json", longest}, {"cannot write", "too long"});
}

}  // namespace
}  // namespace toroid::testing
