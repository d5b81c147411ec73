// Verbs and options that do not exist, or are missing.
#include "tests/tools/refusal.hpp"

namespace toroid::testing {
namespace {

void expect_refusal(const Arguments& arguments, const std::vector<std::string>& words) {
  const TemporaryDirectory directory;
  expect_refusal(directory, arguments, words);
}

TEST(BadCommandLine, IsRefusedWithoutAVerb) {
  expect_refusal({}, {"verb", "fft, alltoall, bench, hello, info, launch"});
}

TEST(BadCommandLine, IsRefusedWithAnUnknownVerbAndTheListOfTheKnown) {
  expect_refusal({"frob"}, {"unknown verb 'frob'", "known: fft, alltoall, bench, hello, info, launch"});
  expect_refusal({""}, {"unknown verb ''", "known"});
  expect_refusal({"FFT", "--torus", "2"}, {"unknown verb 'FFT'"});
  expect_refusal({"--frob"}, {"--frob"});
}

TEST(BadCommandLine, IsRefusedWithTwoVerbs) {
  expect_refusal({"fft", "alltoall", "--torus", "2"}, {"alltoall"});
}

TEST(BadCommandLine, IsRefusedWithAnUnknownOption) {
  for (const std::string verb : {"fft", "alltoall", "info"})
    expect_refusal({verb, "--torus", "2", "--frob"}, {"--frob"});
  expect_refusal({"alltoall", "--torus", "2", "--size", "4"}, {"--size"});
  expect_refusal({"alltoall", "--torus", "2", "extra"}, {"extra"});
}

TEST(BadCommandLine, IsRefusedWithoutATorus) {
  expect_refusal({"fft", "--size", "4"}, {"--torus"});
  expect_refusal({"alltoall"}, {"--torus"});
}

TEST(BadCommandLine, IsRefusedWithAnOptionWithoutItsValue) {
  expect_refusal({"alltoall", "--torus"}, {"--torus"});
  expect_refusal({"alltoall", "--torus", "2", "--json"}, {"--json"});
}

TEST(BadCommandLine, IsRefusedWithAnOptionGivenTwice) {
  expect_refusal({"alltoall", "--torus", "2", "--torus", "3"}, {"--torus"});
  expect_refusal({"alltoall", "--torus", "2", "--seed", "1", "--seed", "2"}, {"--seed"});
}

TEST(BadCommandLine, IsRefusedWithAnEmptyPath) {
  const Arguments fft = {"fft", "--torus", "2", "--size", "4"};
  for (const std::string option : {"--in", "--out", "--json"})
    expect_refusal(fft + Arguments{option, ""}, {option, "empty"});
  expect_refusal(fft + Arguments{"--machine", ""}, {"machine ''"});
}

TEST(BadCommandLine, IsRefusedInOneLineWhateverItContains) {
  expect_refusal({"alltoall", "--torus", "2\n3"}, {"'2?3' is not a torus"});
  expect_refusal({"alltoall", "--torus", "2", "--fr\nob"}, {"--fr?ob"});
  expect_refusal({"alltoall", "--torus", "2", "--order", "\x1b[31m\r\t"}, {"?[31m??"});
  expect_refusal({"alltoall", "--torus", "2", "--machine", "a\nb"}, {"'a?b'"});
}

TEST(BadCommandLine, IsRefusedAtAnyLength) {
  const std::string longest(100'000, '8');
  expect_refusal({"alltoall", "--torus", longest}, {"is not a torus"});
  expect_refusal({"alltoall", "--torus", "2", "--json", longest}, {"cannot write", "too long"});
}

}  // namespace
}  // namespace toroid::testing
