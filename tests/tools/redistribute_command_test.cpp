// toroid redistribute, and transforms that begin and end in the user's boxes.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tests/tools/values.hpp"
#include "tools/files/npy.hpp"

namespace toroid::testing {
namespace {

const std::string kBoxes =
    "node,begin0,end0,begin1,end1,begin2,end2\n"
    "3,0,2,0,7,0,3\n"
    "1,2,5,0,7,0,3\n";

class Redistribute : public ::testing::Test {
 protected:
  Redistribute() { directory_.save("boxes.csv", kBoxes); }

  nlohmann::json run(const Arguments& arguments) const {
    return json_of(arguments, {.directory = directory_.path()});
  }
  void expect_refusal(const Arguments& arguments, const std::vector<std::string>& words) const {
    testing::expect_refusal(directory_, arguments, words);
  }
  void expect_refusal_of(const std::string& from, const std::vector<std::string>& words) const {
    expect_refusal(
        {"redistribute", "--size", "5x7x3", "--torus", "2x2", "--to", "blocks", "--from", from},
        words);
  }

  const TemporaryDirectory directory_;
};

TEST_F(Redistribute, MovesEveryElementBetweenAnyLayouts) {
  const std::vector<std::string> layouts = {"blocks",      "blocks:1x3x1,zyx", "slabs:x",
                                            "slabs:z@2",   "lines:y",          "lines:0,zyx@3-1",
                                            "./boxes.csv", "boxes.csv,yxz",    "blocks:2x1x1@3,0"};
  const std::vector<std::string> types = {"c16", "f4", "f8", "c8"};
  for (std::size_t i = 0; i < layouts.size(); ++i)
    for (const std::size_t step : {1u, 4u}) {
      const std::string& to = layouts[(i + step) % layouts.size()];
      SCOPED_TRACE(layouts[i] + " to " + to);
      const Arguments arguments = {
          "redistribute", "--size", "5x7x3", "--torus", "2x2",    "--from",
          layouts[i],     "--to",   to,      "--check", "--type", types[(i + step) % types.size()]};
      const nlohmann::json report = run(arguments);
      EXPECT_EQ(report["wrong_elements"], 0);
      EXPECT_EQ(run(arguments + kShm)["wrong_elements"], 0);
    }
}

TEST_F(Redistribute, CountsPacketsAndBytes) {
  const nlohmann::json report = run({"redistribute", "--size", "9x9", "--torus", "3x3", "--from",
                                     "lines:y", "--to", "lines:x", "--check"});
  EXPECT_EQ(report["packets"], 9 * 8);
  EXPECT_EQ(report["payload_bytes"], 9 * 8 * 16);
  EXPECT_GE(report["cycles"], report["bound_cycles"]);
  const nlohmann::json nothing = run(
      {"redistribute", "--size", "9x9", "--torus", "3x3", "--from", "slabs:x", "--to", "lines:y"});
  EXPECT_EQ(nothing["packets"], 0);
}

TEST_F(Redistribute, WritesTheArrayThatItReads) {
  std::ostringstream file;
  write_npy(file, Extents{4, 6}, some_values(24, true));
  directory_.save("in.npy", file.str());
  (void)run({"redistribute", "--in", "in.npy", "--out", "out.npy", "--torus", "2x3", "--from",
             "blocks", "--to", "lines:x,yx@5,1", "--check"});
  EXPECT_EQ(directory_.content_of("out.npy"), directory_.content_of("in.npy"));
}

/// Integers above 2^53, NaNs with a payload, and bytes.
TEST_F(Redistribute, MovesTheBitsOfEveryType) {
  for (const std::string dtype : {"|u1", ">i2", "<f4", "<i8", ">f8", "<c16"}) {
    const std::size_t size = std::stoul(dtype.substr(2));
    std::vector<std::byte> data(4 * 6 * size);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = std::byte(i % 3 == 0 ? 255 : 127 + i);
    std::ostringstream file;
    write_npy(file, StoredArray{dtype, false, {4, 6}, data});
    directory_.save("in.npy", file.str());
    for (const Arguments& fabric : {Arguments{}, kShm}) {
      const nlohmann::json report =
          run(Arguments{"redistribute", "--in", "in.npy", "--out", "out.npy", "--torus", "2x3",
                        "--from", "blocks", "--to", "slabs:x", "--check"} +
              fabric);
      EXPECT_EQ(report["wrong_elements"], 0);
      EXPECT_EQ(report["type"], dtype.substr(1));
      EXPECT_EQ(directory_.content_of("out.npy"), directory_.content_of("in.npy")) << dtype;
    }
  }
}

TEST_F(Redistribute, ConvertsOnlyWhatTheTypeHoldsExactly) {
  const auto save = [&](const std::string& dtype, std::span<const std::byte> data) {
    std::ostringstream file;
    write_npy(file, StoredArray{dtype, false, {4}, data});
    directory_.save("in.npy", file.str());
  };
  const auto converted = [&](const std::string& type) {
    return Arguments{"redistribute", "--in",   "in.npy", "--out",   "out.npy", "--torus", "2",
                     "--from",       "blocks", "--to",   "slabs:x", "--check", "--type",  type};
  };
  std::vector<std::int64_t> integers = {1, 2, 3, std::int64_t{1} << 53};
  save("<i8", std::as_bytes(std::span(integers)));
  EXPECT_EQ(run(converted("f8"))["wrong_elements"], 0);
  integers[2] = (std::int64_t{1} << 53) + 1;
  save("<i8", std::as_bytes(std::span(integers)));
  expect_refusal(converted("f8"), {"in.npy: a number does not fit double precision"});
  const std::vector<double> numbers = {1, std::nan(""), -HUGE_VAL, 0.5};
  save("<f8", std::as_bytes(std::span(numbers)));
  for (const char* type : {"f4", "f8", "c8", "c16"})
    EXPECT_EQ(run(converted(type))["wrong_elements"], 0);
  const std::vector<double> third = {1, 1.0 / 3, 2, 3};
  save("<f8", std::as_bytes(std::span(third)));
  expect_refusal(converted("f4"), {"element 1 in C order does not fit type f4"});
}

TEST_F(Redistribute, RefusesInvalidLayouts) {
  expect_refusal_of("slab:x", {"--from 'slab:x'", "unknown layout", "slabs"});
  expect_refusal_of("slabs", {"expected one axis of xyz, e.g. slabs:x"});
  expect_refusal_of("slabs:u", {"expected one axis of xyz"});
  expect_refusal_of("blocks:2x2", {"expected a grid of 3 extents"});
  expect_refusal_of("blocks:5x1x1", {"each at most 4"});
  expect_refusal_of("blocks:3x2x1", {"more blocks than nodes (4)"});
  expect_refusal_of("blocks@0-1", {"blocks with @NODES need a grid"});
  expect_refusal_of("blocks,xy", {"'xy' is not an order of the axes xyz"});
  expect_refusal_of("lines:x,xyz", {"the order must end with x"});
  expect_refusal_of("slabs:x@0-4", {"node 4 does not exist; torus 2x2 has nodes 0 to 3"});
  expect_refusal_of("slabs:x@1,0-2", {"node 1 is named twice"});
  expect_refusal_of("slabs:x@a", {"'a' is not a node rank"});
  expect_refusal_of("boxes.csv@1", {"assigns boxes to nodes itself"});
  expect_refusal_of("none.csv", {"none.csv: cannot be read"});
}

TEST_F(Redistribute, RefusesGridsIfTheirBlockCountOverflows) {
  const auto refused = [&](const std::string& grid, const std::string& why) {
    expect_refusal({"redistribute", "--size", "2x2x2x2x2x2", "--torus", "16x16x8", "--from",
                    "blocks:" + grid, "--to", "slabs:x"},
                   {why});
  };
  refused("2048x2048x2048x2048x2048x2048", "more blocks than nodes (2048)");  // 2^66: 0 in 64 bits
  refused("2048x2048x2048x2048x2048x2048@0", "more blocks than nodes (1)");
  refused("2048x2048x2048x2048x2048x512", "more blocks than nodes (2048)");  // 2^64
  refused("2048x2048x2048x2048x2048x256", "more blocks than nodes (2048)");  // 2^63
  refused("1x1x2x1x1x1@0-2", "2 blocks for 3 listed nodes");
}

TEST_F(Redistribute, TakesOneArray) {
  const Arguments move = {"redistribute", "--torus", "2x2", "--from", "blocks", "--to", "slabs:x"};
  expect_refusal(move, {"an array is missing: give either --in FILE or --size 64x64x64"});
  expect_refusal(move + Arguments{"--in", "in.npy", "--size", "4x4"},
                 {"--in and --size both give an array; omit one of them"});
}

TEST_F(Redistribute, ListsLayoutsIfOptionToIsMissing) {
  expect_refusal({"redistribute", "--size", "4x4", "--torus", "2x2", "--from", "blocks"},
                 {"--to LAYOUT", "slabs:AXIS"});
}

TEST_F(Redistribute, RefusesValuesThatTheTypeWouldRound) {
  std::ostringstream file;
  write_npy(file, Extents{2}, Values{1, 0.1});
  directory_.save("in.npy", file.str());
  expect_refusal({"redistribute", "--in", "in.npy", "--torus", "2", "--from", "slabs:0", "--to",
                  "slabs:0@1", "--type", "f4"},
                 {"in.npy: element 1", "does not fit type f4"});
}

TEST_F(Redistribute, RefusesToReplaceAFileOfBoxes) {
  directory_.save("boxes", kBoxes);
  const std::vector<Arguments> inputs = {
      {"fft", "--in-boxes", "boxes"},
      {"fft", "--out-boxes", "boxes"},
      {"redistribute", "--from", "./boxes,yxz", "--to", "blocks"},
      {"redistribute", "--from", "slabs:x@0-3", "--to", "./boxes"}};
  for (const Arguments& input : inputs)
    for (const std::string output : {"--out", "--json", "--report"})
      expect_refusal(input + Arguments{"--size", "5x7x3", "--torus", "2x2", output, "boxes"},
                     {"boxes are the same file"});
  EXPECT_EQ(directory_.content_of("boxes"), kBoxes);
}

TEST_F(Redistribute, RefusesBoxesThatOverlapOrLeaveAGap) {
  const auto refused = [&](const std::string& lines, const std::vector<std::string>& words) {
    directory_.save("bad.csv", kBoxes + lines);
    expect_refusal_of("bad.csv", words);
    expect_refusal({"fft", "--size", "5x7x3", "--torus", "2x2", "--in-boxes", "bad.csv"}, words);
  };
  refused("0,1,3,2,3,0,1\n", {"bad.csv: boxes of nodes 0 and 1 overlap"});
  refused("1,0,1,0,1,0,1\n", {"bad.csv:4: node 1 has a box already"});
  refused("4,0,1,0,1,0,1\n", {"bad.csv:4: expected the rank of a node"});
  refused("0,0,0,0,0,0,0\n0,0,0,0,0,0,0\n", {"bad.csv:5: node 0 has a box already"});
  refused("0,0,6,0,1,0,1\n", {"bad.csv:4: expected an index from 0 to 5"});
  refused("0,6,6,0,1,0,1\n", {"bad.csv:4: expected an index from 0 to 5"});
  refused("0,3,2,0,1,0,1\n", {"bad.csv:4: expected an index from 3 to 5"});
  refused("0,0,1,0,1\n", {"bad.csv:4: expected ','"});
  directory_.save("bad.csv", kBoxes.substr(0, kBoxes.rfind("1,")) + "1,2,5,1,7,0,3\n");
  expect_refusal_of("bad.csv",
                    {"bad.csv: boxes hold 96 of the array's 105 elements; first missing: (2, 0"});
}

TEST_F(Redistribute, AcceptsEmptyBoxes) {
  for (const std::string empty : {"0,0,0,0,0,0,0\n", "0,5,5,7,7,3,3\n", "2,1,2,3,3,0,3\n"}) {
    directory_.save("empty.csv", kBoxes + empty);
    const nlohmann::json report = run({"redistribute", "--size", "5x7x3", "--torus", "2x2",
                                       "--from", "empty.csv", "--to", "blocks", "--check"});
    EXPECT_EQ(report["wrong_elements"], 0);
    (void)run({"fft", "--size", "5x7x3", "--torus", "2x2", "--in-boxes", "empty.csv", "--out-boxes",
               "empty.csv", "--check"});
  }
}

TEST_F(Redistribute, AcceptsAnUnterminatedOrEmptyLastLine) {
  const std::string unended = kBoxes.substr(0, kBoxes.size() - 1);
  for (const std::string& text : {unended, kBoxes + "\n", unended + "\r\n\r\n"}) {
    directory_.save("last.csv", text);
    const nlohmann::json report = run({"redistribute", "--size", "5x7x3", "--torus", "2x2",
                                       "--from", "last.csv", "--to", "blocks", "--check"});
    EXPECT_EQ(report["wrong_elements"], 0);
  }
  const auto refused = [&](const std::string& text, const std::string& why) {
    directory_.save("last.csv", text);
    expect_refusal_of("last.csv", {why});
  };
  refused(kBoxes + "\n0,0,1,0,1,0,1\n", "last.csv:5: expected the end of the file");
  refused(unended.substr(0, unended.size() - 1), "last.csv:3: expected an index");
  refused(unended + " 3", "last.csv:3: expected the end of the line");
  refused(kBoxes.substr(0, kBoxes.find('\n')), "boxes hold 0 of the array's 105 elements");
}

TEST_F(Redistribute, TransformsFromBoxesGiveTheSameResult) {
  const Arguments fft = {"fft", "--size", "5x7x3", "--torus", "2x2", "--check"};
  for (const std::string method : {"volumetric", "rows"})
    for (const Arguments& way : {Arguments{}, Arguments{"--inverse"}}) {
      const Arguments plain = fft + way + Arguments{"--method", method, "--out"};
      const Arguments boxes = {"--in-boxes", "boxes.csv", "--out-boxes", "boxes.csv"};
      (void)run(plain + Arguments{"plain.npy"});
      const nlohmann::json report = run(plain + Arguments{"boxed.npy"} + boxes);
      EXPECT_EQ(directory_.content_of("boxed.npy"), directory_.content_of("plain.npy"));
      EXPECT_EQ(report["in_boxes"], "boxes.csv");
    }
  expect_refusal(fft + Arguments{"--return", "--out-boxes", "boxes.csv"},
                 {"--return", "--out-boxes"});
  expect_refusal(fft + Arguments{"--real", "--out-boxes", "boxes.csv"}, {"boxes.csv:"});
}

TEST_F(Redistribute, TransformsWithFewerLinesThanNodesAreCorrect) {
  for (const Arguments& fabric : {Arguments{}, kShm}) {
    const nlohmann::json rows =
        run(Arguments{"fft", "--method", "rows", "--size", "4x4", "--torus", "3x3", "--check"} +
            fabric);
    EXPECT_LE(rows["l2_error"].get<double>(), kTolerance);
    const nlohmann::json blocks =
        run(Arguments{"fft", "--size", "2", "--torus", "2x4x2", "--check"} + fabric);
    EXPECT_LE(blocks["l2_error"].get<double>(), kTolerance);
  }
}

}  // namespace
}  // namespace toroid::testing
