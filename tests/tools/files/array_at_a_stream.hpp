// toroid fft with arrays at standard input and standard output.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <span>
#include <sstream>
#include <string>

#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tests/tools/values.hpp"
#include "tools/files/npy.hpp"

namespace toroid::testing {

inline const Arguments kStreamFft = {"fft", "--torus", "2"};
inline const Arguments kFromStream = {"--in", "-"};
inline const Arguments kToStream = {"--out", "-"};

class ArrayAtAStream : public ::testing::Test {
 protected:
  ArrayAtAStream() {
    std::ostringstream file;
    write_npy(file, Extents{3, 4, 5}, values_);
    npy_ = file.str();
  }

  /// Calls `run`, which is run_command or run_process, with `input` at standard input.
  template <typename Run>
  Ended run_by(Run run, const Arguments& arguments, const std::string& input, int out = -1) {
    directory_.save("input", input);
    const int in = ::open((directory_ / "input").c_str(), O_RDONLY | O_CLOEXEC);
    const Ended ended = run(arguments, {.directory = directory_.path(), .out = out, .in = in});
    ::close(in);
    return ended;
  }
  static NpyArray array_of(const std::string& file) {
    return parse_npy(std::as_bytes(std::span(file)), "standard output");
  }

  const TemporaryDirectory directory_;
  const Values values_ = some_values(60, true);
  std::string npy_;
};

}  // namespace toroid::testing
